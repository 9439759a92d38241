// Members of archives. Bytes that do not begin as one are taken for what is behind the begin, of either kind.

#include <cstdint>
#include <string>

#include "check_binary.hpp"
#include "input/archive.hpp"
#include "input/bytes.hpp"

namespace {

using occcalc::test::demand;

void read_all(std::string_view file) {
  occcalc::input::Archive archive{occcalc::input::Bytes(file)};
  std::uint64_t end = occcalc::input::archive_magic.size();
  try {
    while (const auto member = archive.next()) {
      constexpr std::uint64_t header = 60;
      demand(member->begin >= end + header && member->begin <= member->end && member->end <= file.size());
      demand(!member->is_file || member->begin == member->end);
      constexpr std::size_t most_name = 4096;
      demand(member->name.size() <= most_name);
      end = member->end;
    }
  } catch (const occcalc::input::Malformed& problem) {
    demand(problem.at() >= end && problem.at() <= file.size());
  }
  demand(!archive.next());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file(occcalc::test::as_text(data, size));
  if (occcalc::input::Archive::begins(file)) {
    read_all(file);
  } else {
    read_all(std::string(occcalc::input::archive_magic) + file);
    read_all(std::string(occcalc::input::thin_archive_magic) + file);
  }
  return 0;
}
