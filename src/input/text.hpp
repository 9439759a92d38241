/// Small questions about ASCII text, independent of the locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace occcalc::input {

[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// One or more decimal digits and nothing else.
[[nodiscard]] constexpr bool is_digits(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

[[nodiscard]] constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

[[nodiscard]] constexpr bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) noexcept {
  return equal_ignoring_case(text.substr(0, prefix.size()), prefix);
}

/// The text in quotes; of a long one the beginning.
[[nodiscard]] inline std::string abridged(std::string_view text) {
  constexpr std::size_t most = 60;
  return "'" + std::string(text.substr(0, most)) + (text.size() > most ? "...'" : "'");
}

}  // namespace occcalc::input
