// What a text is.

#include <cstdint>

#include "occcalc/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static_cast<void>(occcalc::recognise({reinterpret_cast<const char*>(data), size}));
  return 0;
}
