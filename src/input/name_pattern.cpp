#include "input/name_pattern.hpp"

#include <regex.h>

#include <array>

#include "input/text.hpp"
#include "occcalc/error.hpp"

namespace occcalc::input {

NamePattern::NamePattern(const std::string& where, const std::string& text) : pattern_(new regex_t{}) {
  for (std::size_t at = text.find('\\'); at != std::string::npos; at = text.find('\\', at + 2)) {
    if (at + 1 < text.size() && is_digit(text[at + 1])) {
      throw InputError(where, abridged(text) + " has a back reference; accepted: a POSIX extended regular expression");
    }
  }
  if (const int error = ::regcomp(pattern_.get(), text.c_str(), REG_EXTENDED | REG_NOSUB); error != 0) {
    std::array<char, 100> what{};
    ::regerror(error, pattern_.get(), what.data(), what.size());
    throw InputError(where, abridged(text) + " is no POSIX extended regular expression: " + what.data());
  }
}

bool NamePattern::matches(const std::string& name) const {
  return ::regexec(pattern_.get(), name.c_str(), 0, nullptr, 0) == 0;
}

void NamePattern::Free::operator()(re_pattern_buffer* pattern) const {
  ::regfree(pattern);
  delete pattern;
}

}  // namespace occcalc::input
