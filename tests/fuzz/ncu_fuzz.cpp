// Nsight Compute's pages.

#include "check_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  occcalc::test::check_reader(occcalc::read_ncu, data, size);
  return 0;
}
