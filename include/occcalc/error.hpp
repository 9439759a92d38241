/// @file
/// What occcalc throws. Only input that cannot be read throws; an impossible launch is an answer (see occupancy.hpp).
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

namespace occcalc {

/// Base of every exception of this library; what() is one line without a final stop.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Input that cannot be read: where() names the place (an option, `file:line:column`, `file: key.path`), what()
/// reads "where: what was found, what is accepted".
class InputError : public Error {
 public:
  InputError(std::string where, const std::string& what)
      : Error(without_nul(where + ": " + what)), where_(std::move(where)) {}

  [[nodiscard]] const std::string& where() const noexcept { return where_; }

 private:
  // what() would end there.
  static std::string without_nul(std::string text) {
    std::replace(text.begin(), text.end(), '\0', '?');
    return text;
  }

  std::string where_;
};

}  // namespace occcalc
