// Rows of the user's own: every block of every input is read.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "input/records.hpp"
#include "occcalc/error.hpp"

namespace {

void read_all(std::string_view text) {
  occcalc::input::RecordReader reader(
      [&text](char* to, std::size_t size) {
        const std::size_t count = std::min(size, text.size());
        if (count > 0) {
          std::memcpy(to, text.data(), count);
        }
        text.remove_prefix(count);
        return count;
      },
      "rows");
  constexpr std::size_t most_rows = 5;
  std::vector<std::string> errors;
  while (const auto block = reader.next(most_rows)) {
    reader.read(
        *block, [](const occcalc::input::Record&) {}, errors);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    read_all({reinterpret_cast<const char*>(data), size});
  } catch (const occcalc::InputError&) {
    // what bad input is answered with
  }
  return 0;
}
