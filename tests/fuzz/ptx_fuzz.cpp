// Entries of PTX.

#include "check_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  occcalc::test::check_reader(occcalc::read_ptx, data, size);
  return 0;
}
