// Kernels in JSON: traces of PyTorch's profiler, Triton's cache.

#include "check_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  occcalc::test::check_reader(occcalc::read_kernel_json, data, size);
  return 0;
}
