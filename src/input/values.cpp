#include "input/values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <optional>
#include <vector>

#include "input/text.hpp"
#include "occcalc/error.hpp"

namespace occcalc::input {

namespace {

[[noreturn]] void refuse(const std::string& where, std::string_view text, std::string_view accepted,
                         std::string_view hint = "") {
  std::string what = text.empty() ? "found nothing" : "found " + abridged(text);
  what += "; accepted: " + std::string(accepted);
  if (!hint.empty()) {
    what += "; " + std::string(hint);
  }
  throw InputError(where, what);
}

// Several values in one option are understood, so that the refusal can say what they are.
void refuse_several(const std::string& where, std::string_view text) {
  const bool list = text.find(',') != std::string_view::npos;
  const bool range = text.find(':') != std::string_view::npos;
  if (list || range) {
    throw InputError(where, abridged(text) + " is a " + (range ? "range" : "list") + "; this takes one value");
  }
}

// nullopt: no digits, or above the maximum of 64 bits.
std::optional<std::int64_t> read_digits(std::string_view text) {
  std::int64_t number = 0;
  if (!is_digits(text) || std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) {
    return std::nullopt;
  }
  return number;
}

std::string count_accepted(std::string_view what, int least, int most) {
  return "one whole number of " + std::string(what) + ", " + std::to_string(least) + " to " + std::to_string(most);
}

struct Unit {
  std::string_view name;
  int bits;
};

constexpr std::array<Unit, 7> units = {Unit{"", 0},   Unit{"K", 10},  Unit{"KB", 10}, Unit{"KiB", 10},
                                       Unit{"M", 20}, Unit{"MB", 20}, Unit{"MiB", 20}};

std::optional<int> unit_bits(std::string_view text) {
  for (const Unit& unit : units) {
    if (equal_ignoring_case(text, unit.name)) {
      return unit.bits;
    }
  }
  return std::nullopt;
}

// The digits behind the point times 2^bits, if that is whole: .5K is 512. Halving the decimal fraction's denominator
// digit by digit keeps every step exact.
std::optional<std::int64_t> fraction_bytes(std::string_view digits, int bits) {
  std::vector<int> fraction;
  for (const char digit : digits) {
    fraction.push_back(digit - '0');
  }
  std::int64_t whole = 0;
  for (int bit = 0; bit < bits; ++bit) {
    int carry = 0;
    for (auto digit = fraction.rbegin(); digit != fraction.rend(); ++digit) {
      const int doubled = 2 * *digit + carry;
      *digit = doubled % 10;
      carry = doubled / 10;
    }
    whole = 2 * whole + carry;
  }
  const bool is_whole = std::all_of(fraction.begin(), fraction.end(), [](int digit) { return digit == 0; });
  return is_whole ? std::optional(whole) : std::nullopt;
}

std::string_view size_hint(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view unit = text.substr(end);
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  for (const std::string_view bytes : {"B", "byte", "bytes"}) {
    if (end > 0 && equal_ignoring_case(unit, bytes)) {
      return "write the bytes alone";
    }
  }
  return text.ends_with("byte") || text.ends_with("bytes")
             ? "ncu's Kbyte is 1000 bytes, rounded: take the bytes of `ncu --print-units base`"
             : "";
}

constexpr std::string_view size_accepted = "bytes below 2^63, or with K or M (8192, 8K, 1.5K)";

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

using Sizes = std::array<std::int64_t, 3>;

// 16, 16x16, 32x8x4: each size from 1 to its `most`, the product up to `most_product`.
Sizes read_dimensions(const std::string& where, std::string_view text, const Sizes& most, std::string_view accepted,
                      std::int64_t most_product = INT_MAX) {
  refuse_several(where, text);
  Sizes sizes = {1, 1, 1};
  const std::vector<std::string_view> parts = split(text, text.find('X') == std::string_view::npos ? 'x' : 'X');
  if (parts.size() > sizes.size()) {
    refuse(where, text, accepted);
  }
  std::int64_t product = 1;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::optional<std::int64_t> size = read_digits(parts[i]);
    if (!size || *size < 1 || *size > most[i] || product > most_product / *size) {
      refuse(where, text, accepted);
    }
    sizes[i] = *size;
    product *= *size;
  }
  return sizes;
}

std::string sizes_of(const CarveoutSizes& sizes) {
  std::string text;
  for (const std::int64_t size : sizes) {
    text += (text.empty() ? "" : ", ") + (size % 1024 == 0 ? std::to_string(size / 1024) + "K" : std::to_string(size));
  }
  return text;
}

std::optional<Carveout> carveout_word(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, Carveout::Kind>, 4> words = {
      {{"default", Carveout::Kind::Default},
       {"max-l1", Carveout::Kind::MaxL1},
       {"max-shared", Carveout::Kind::MaxShared},
       {"equal", Carveout::Kind::Equal}}};
  for (const auto& [word, kind] : words) {
    if (equal_ignoring_case(text, word)) {
      return Carveout{kind, 0};
    }
  }
  return std::nullopt;
}

}  // namespace

int read_count(const std::string& where, std::string_view text, std::string_view what, int least, int most) {
  const std::optional<std::int64_t> number = read_digits(text);
  if (!number) {
    refuse_several(where, text);
  }
  if (!number || *number < least || *number > most) {
    refuse(where, text, count_accepted(what, least, most));
  }
  return static_cast<int>(*number);
}

std::int64_t read_size(const std::string& where, std::string_view text) {
  refuse_several(where, text);
  const std::size_t number_end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, number_end);
  const std::size_t point = number.find('.');
  const std::optional<int> bits = unit_bits(text.substr(number_end));
  const std::optional<std::int64_t> whole = read_digits(number.substr(0, point));
  const bool has_fraction = point != std::string_view::npos;
  if (!bits || !whole || (has_fraction && !is_digits(number.substr(point + 1)))) {
    refuse(where, text, size_accepted, size_hint(text));
  }
  const std::optional<std::int64_t> rest = has_fraction ? fraction_bytes(number.substr(point + 1), *bits) : 0;
  if (!rest) {
    refuse(where, text, size_accepted, "this is no whole number of bytes");
  }
  if (*whole > (INT64_MAX >> *bits)) {
    refuse(where, text, size_accepted);
  }
  return (*whole << *bits) + *rest;
}

Dim3 read_block(const std::string& where, std::string_view text) {
  const Sizes sizes = read_dimensions(where, text, {INT_MAX, INT_MAX, INT_MAX},
                                      "threads per block (256) or dimensions (16x16, 32x8x4), 1 to 2147483647 in all");
  return {static_cast<int>(sizes[0]), static_cast<int>(sizes[1]), static_cast<int>(sizes[2])};
}

Dim3 read_cluster(const std::string& where, std::string_view text) {
  const Sizes sizes = read_dimensions(where, text, {INT_MAX, INT_MAX, INT_MAX},
                                      "blocks per cluster (8) or dimensions (2x4, 2x2x2), 1 to 2147483647 in all");
  return {static_cast<int>(sizes[0]), static_cast<int>(sizes[1]), static_cast<int>(sizes[2])};
}

Grid read_grid(const std::string& where, std::string_view text) {
  const Sizes sizes = read_dimensions(
      where, text, {most_grid.x, most_grid.y, most_grid.z},
      "blocks (1000) or dimensions (1000x8, 100x8x4), x up to 2147483647, y and z up to 65535", block_count(most_grid));
  return {sizes[0], sizes[1], sizes[2]};
}

Carveout read_carveout(const std::string& where, std::string_view text, const Architecture& architecture) {
  const std::string accepted = "default, max-l1, max-shared, equal, 0% to 100%, or a size of " +
                               std::string(architecture.name) + " (" + sizes_of(architecture.limits.carveouts) + ")";
  if (const std::optional<Carveout> word = carveout_word(text)) {
    return *word;
  }
  refuse_several(where, text);
  if (text.ends_with('%')) {
    const std::optional<std::int64_t> percent = read_digits(text.substr(0, text.size() - 1));
    if (!percent || *percent > 100) {
      refuse(where, text, accepted);
    }
    return Carveout::percent(static_cast<int>(*percent));
  }
  constexpr std::int64_t kilobyte = 1024;
  if (const std::optional<std::int64_t> bare = read_digits(text); bare && *bare <= 100) {
    const std::int64_t size = architecture.limits.carveouts.at_least(*bare * kilobyte);
    refuse(where, text, accepted, "write " + std::to_string(*bare) + "% or " + std::to_string(size / kilobyte) + "K");
  }
  if (text.empty() || !is_digit(text.front())) {
    refuse(where, text, accepted);
  }
  const std::int64_t bytes = read_size(where, text);
  const CarveoutSizes& sizes = architecture.limits.carveouts;
  if (std::find(sizes.begin(), sizes.end(), bytes) == sizes.end()) {
    const bool means_kilobytes =
        bytes <= INT_MAX && std::find(sizes.begin(), sizes.end(), bytes * kilobyte) != sizes.end();
    refuse(where, text, accepted, means_kilobytes ? "write " + std::to_string(bytes) + "K" : "");
  }
  return Carveout::bytes(bytes);
}

double read_fraction(const std::string& where, std::string_view text) {
  constexpr std::string_view accepted = "0% to 100%, or a fraction from 0 to 1 such as 0.5";
  const bool percent = text.ends_with('%');
  const std::string_view number = percent ? text.substr(0, text.size() - 1) : text;
  const std::size_t point = number.find('.');
  const bool plain =
      is_digits(number.substr(0, point)) && (point == std::string_view::npos || is_digits(number.substr(point + 1)));
  double value = 0;
  if (!plain || std::from_chars(number.data(), number.data() + number.size(), value).ec != std::errc()) {
    refuse(where, text, accepted);
  }
  if (!percent && value > 1) {
    refuse(where, text, accepted, value <= 100 ? "write " + std::string(text) + "%" : "");
  }
  if (percent && value > 100) {
    refuse(where, text, accepted);
  }
  return percent ? value / 100 : value;
}

GlobalCaching read_global_caching(const std::string& where, std::string_view text) {
  constexpr std::array<std::string_view, 3> words = {"off", "on", "strict"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (equal_ignoring_case(text, words[i])) {
      return static_cast<GlobalCaching>(i);
    }
  }
  refuse(where, text, "off, on, strict");
}

}  // namespace occcalc::input
