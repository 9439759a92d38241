// Traces of launches.

#include "check_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  occcalc::test::check_reader(occcalc::read_gpu_trace, data, size);
  return 0;
}
