/// Patterns that select names.
#pragma once

#include <memory>
#include <string>

struct re_pattern_buffer;  // regex_t of POSIX

namespace occcalc::input {

/// A POSIX extended regular expression, found anywhere in a name. Its time is bounded by the product of the two
/// lengths: back references, which have no such bound, are refused.
class NamePattern {
 public:
  /// Throws InputError at `where` for what is no such expression.
  NamePattern(const std::string& where, const std::string& text);

  [[nodiscard]] bool matches(const std::string& name) const;

 private:
  struct Free {
    void operator()(re_pattern_buffer* pattern) const;
  };
  std::unique_ptr<re_pattern_buffer, Free> pattern_;
};

}  // namespace occcalc::input
