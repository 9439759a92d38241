/// Whole numbers as text, three digits at a time from a table: a sweep writes some twenty of them a row.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace occcalc::report {

/// The text of 0 to 999, one a row: the digits and then, in the last byte, how many they are.
struct DigitTable {
  static constexpr unsigned size = 1000;
  std::array<std::array<char, 4>, size> bare{};    ///< 7 is "7"
  std::array<std::array<char, 4>, size> padded{};  ///< 7 is "007"
};

constexpr DigitTable make_digit_table() {
  DigitTable table;
  for (unsigned n = 0; n < DigitTable::size; ++n) {
    const std::array<char, 3> digits = {static_cast<char>('0' + n / 100), static_cast<char>('0' + n / 10 % 10),
                                        static_cast<char>('0' + n % 10)};
    table.padded[n] = {digits[0], digits[1], digits[2], 3};
    const std::size_t zeros = n < 10 ? 2 : n < 100 ? 1 : 0;
    for (std::size_t i = zeros; i < digits.size(); ++i) {
      table.bare[n][i - zeros] = digits[i];
    }
    table.bare[n][3] = static_cast<char>(digits.size() - zeros);
  }
  return table;
}

inline constexpr DigitTable digit_table = make_digit_table();

/// The most bytes that append_number() writes; some of them lie behind the end that it returns.
inline constexpr std::size_t most_number_bytes = 24;

/// Writes the digits at `at` and returns their end.
[[nodiscard]] inline char* append_number(char* at, std::int64_t number) {
  const auto append_bare = [](char* to, std::uint64_t n) {
    const std::array<char, 4>& digits = digit_table.bare[n];
    std::memcpy(to, digits.data(), digits.size());
    return to + digits[3];
  };
  const auto magnitude = static_cast<std::uint64_t>(number);  // a negative one is huge
  if (magnitude < DigitTable::size) {
    return append_bare(at, magnitude);
  }
  if (magnitude < std::uint64_t{DigitTable::size} * DigitTable::size) {
    at = append_bare(at, magnitude / DigitTable::size);
    std::memcpy(at, digit_table.padded[magnitude % DigitTable::size].data(), 4);
    return at + 3;
  }
  return std::to_chars(at, at + most_number_bytes, number).ptr;
}

}  // namespace occcalc::report
