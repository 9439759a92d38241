#include "input/archive.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace occcalc::input {

namespace {

constexpr std::uint64_t header_size = 60;
constexpr std::string_view bsd_prefix = "#1/";
constexpr std::size_t most_name = 4096;  // names are copied for each image, and many may be the same bytes

std::string_view without_blanks(std::string_view field) {
  const std::size_t end = field.find_last_not_of(' ');
  return end == std::string_view::npos ? std::string_view() : field.substr(0, end + 1);
}

std::uint64_t number(std::string_view field, std::uint64_t at, const char* what) {
  const std::string_view digits = without_blanks(field);
  std::uint64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || read.ec != std::errc() || read.ptr != digits.data() + digits.size()) {
    throw Malformed(at, std::string(what) + " of an archive member is no number");
  }
  return value;
}

// Symbols and long names, of GNU's ar, of Microsoft's, of BSD's.
bool is_table(std::string_view name) {
  return name == "/" || name == "//" || name == "/SYM64/" || name.starts_with("__.SYMDEF");
}

}  // namespace

std::optional<ArchiveMember> Archive::next() {
  while (at_ < bytes_.size()) {
    const std::uint64_t at = std::exchange(at_, bytes_.size());
    const std::string_view header = bytes_.part(at, header_size, "the header of an archive member").view();
    if (!header.ends_with("`\n")) {
      throw Malformed(at, "the header of an archive member does not end as one");
    }
    const std::string_view field = without_blanks(header.substr(0, 16));
    const std::uint64_t size = number(header.substr(48, 10), at, "the size");
    ArchiveMember member;
    member.begin = at + header_size;
    member.is_file = is_thin_ && !is_table(field);
    const std::uint64_t stored = member.is_file ? 0 : size;
    member.end = member.begin + bytes_.part(member.begin, stored, "an archive member").size();
    const std::uint64_t behind = member.end + member.end % 2;  // each begins at an even byte
    if (is_table(field)) {
      long_names_ = field == "//" ? bytes_.view().substr(member.begin, stored) : long_names_;
      at_ = behind;
      continue;
    }
    // "/0:674": of an archive in a thin one, the member at its byte 674.
    const bool is_nested = member.is_file && field.starts_with('/') && field.find(':') != std::string_view::npos;
    member.name = name_of(is_nested ? field.substr(0, field.find(':')) : field, stored, member.begin);
    at_ = behind;
    const bool is_new = !is_nested || member.name != origin_;
    origin_ = is_nested ? member.name : std::string();
    if (is_new && !is_table(member.name)) {
      return member;
    }
  }
  return std::nullopt;
}

// "name/", "/123" in the table of long names, "#1/20" before the bytes.
std::string Archive::name_of(std::string_view field, std::uint64_t size, std::uint64_t& begin) const {
  if (field.starts_with(bsd_prefix)) {
    const std::uint64_t length = number(field.substr(bsd_prefix.size()), begin - header_size, "the length of the name");
    if (length > size) {
      throw Malformed(begin - header_size, "the name of an archive member is longer than the member");
    }
    const std::string_view name = bytes_.view().substr(begin, std::min<std::uint64_t>(length, most_name));
    begin += length;
    return std::string(name.substr(0, name.find('\0')));
  }
  if (field.starts_with('/')) {
    const std::uint64_t place = number(field.substr(1), begin - header_size, "the place of the name");
    if (place >= long_names_.size()) {
      throw Malformed(begin - header_size, "the name of an archive member lies behind the table of names");
    }
    const std::string_view rest = long_names_.substr(place, most_name);
    const std::string_view line = rest.substr(0, rest.find_first_of(std::string_view("\n\0", 2)));
    return std::string(line.ends_with('/') ? line.substr(0, line.size() - 1) : line);
  }
  return std::string(field.ends_with('/') ? field.substr(0, field.size() - 1) : field);
}

}  // namespace occcalc::input
