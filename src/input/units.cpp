#include "input/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cmath>
#include <string>

#include "input/profiler_lines.hpp"
#include "input/text.hpp"

namespace occcalc::input {

namespace {

// Longer than any number that a profiler prints.
constexpr std::size_t most_digits = 30;

// The character that begins the fraction; '\0': the number is whole.
char decimal_point(std::string_view text, bool is_whole) {
  constexpr std::size_t group = 3;
  const std::size_t last = text.find_last_of(".,");
  if (last == std::string_view::npos) {
    return '\0';
  }
  const char separator = text[last];
  const std::string_view before = text.substr(0, last);
  if (before.find(separator) != std::string_view::npos) {
    return '\0';  // several of a kind group digits
  }
  const bool is_only = before.find_first_of(".,") == std::string_view::npos;
  const bool may_group = is_only && text.size() - last - 1 == group && !before.empty() && before.size() <= group &&
                         before != "0" && (is_whole || separator == ',');
  return may_group ? '\0' : separator;
}

// Groups are of three digits, the first of one to three: 1,02 is no whole number.
bool has_whole_groups(std::string_view whole) {
  constexpr std::size_t group = 3;
  for (std::size_t end = whole.find_last_of(".,"); end != std::string_view::npos; end = whole.find_last_of(".,")) {
    if (whole.size() - end - 1 != group) {
      return false;
    }
    whole = whole.substr(0, end);
  }
  return is_digits(whole);
}

// The digits with a point, as from_chars reads them; empty: no number.
std::string plain_number(std::string_view mantissa, char point) {
  const std::size_t split = point == '\0' ? mantissa.size() : mantissa.rfind(point);
  const std::string_view whole = mantissa.substr(0, split);
  const std::string_view fraction = mantissa.substr(std::min(split + 1, mantissa.size()));
  const bool is_grouped = whole.find_first_of(".,") != std::string_view::npos;
  if ((is_grouped ? !has_whole_groups(whole) : !is_digits(whole)) || (point != '\0' && !is_digits(fraction))) {
    return "";
  }
  std::string plain;
  std::copy_if(whole.begin(), whole.end(), std::back_inserter(plain), is_digit);
  return point == '\0' ? plain : plain + "." + std::string(fraction);
}

// Of "Kbyte", "MB", "MiB/block"; nullopt: no unit of bytes.
std::optional<double> byte_factor(std::string_view unit, int kilo) {
  unit = unit.substr(0, unit.find('/'));
  const auto is_bytes = [](std::string_view text) {
    return equal_ignoring_case(text, "b") || equal_ignoring_case(text, "byte") || equal_ignoring_case(text, "bytes");
  };
  if (unit.empty() || is_bytes(unit)) {
    return 1;
  }
  constexpr int binary_kilo = 1024;
  double factor = 1;
  double binary_factor = 1;
  for (const char prefix : {'k', 'm', 'g'}) {
    factor *= kilo;
    binary_factor *= binary_kilo;
    if (lower(unit.front()) == prefix && equal_ignoring_case(unit.substr(1), "ib")) {
      return binary_factor;
    }
    if (lower(unit.front()) == prefix && is_bytes(unit.substr(1))) {
      return factor;
    }
  }
  return std::nullopt;
}

// The multiple of the highest power of two in the range; nullopt: none of 32.
std::optional<std::int64_t> plausible_bytes(std::int64_t least, std::int64_t most) {
  constexpr std::int64_t highest = std::int64_t{1} << 40;
  constexpr std::int64_t lowest = 32;
  for (std::int64_t power = highest; power >= lowest; power /= 2) {
    const std::int64_t multiple = (least + power - 1) / power * power;
    if (multiple <= most) {
      return multiple;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<PrintedNumber> read_printed_number(std::string_view text, bool is_whole) {
  text = trimmed(text);
  const std::size_t exponent_at = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, exponent_at);
  const char point = decimal_point(mantissa, is_whole);
  std::string plain = mantissa.size() <= most_digits ? plain_number(mantissa, point) : "";
  if (plain.empty()) {
    return std::nullopt;
  }
  const std::size_t fraction = point == '\0' ? 0 : plain.size() - plain.find('.') - 1;
  plain += text.substr(exponent_at);
  PrintedNumber number;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), number.value);
  if (error != std::errc() || end != plain.data() + plain.size()) {
    return std::nullopt;
  }
  number.step = std::pow(10.0, -static_cast<double>(fraction));
  if (exponent_at < text.size()) {
    const std::string unit_step = "1" + std::string(text.substr(exponent_at));
    double exponent = 1;
    std::from_chars(unit_step.data(), unit_step.data() + unit_step.size(), exponent);
    number.step *= exponent;
  }
  return number;
}

std::optional<int> read_printed_count(std::string_view text, int least, int most) {
  const std::optional<PrintedNumber> number = read_printed_number(text, true);
  if (!number || number->value != std::floor(number->value) || number->value < least || number->value > most) {
    return std::nullopt;
  }
  return static_cast<int>(number->value);
}

std::optional<Dim3> read_printed_dimensions(std::string_view text) {
  text = trimmed(text);
  if (!text.starts_with('(') || !text.ends_with(')')) {
    const std::optional<int> product = read_printed_count(text, 1, INT_MAX);
    return product ? std::optional(Dim3{*product, 1, 1}) : std::nullopt;
  }
  text = text.substr(1, text.size() - 2);
  std::array<int, 3> sizes{};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    text.remove_prefix(std::min(text.find_first_not_of(i == 0 ? " " : ", "), text.size()));
    const std::size_t end = std::min(text.find_first_of(", "), text.size());
    const std::optional<int> size = read_printed_count(text.substr(0, end), 1, INT_MAX);
    if (!size) {
      return std::nullopt;
    }
    sizes[i] = *size;
    text.remove_prefix(end);
  }
  return trimmed(text).empty() ? std::optional(Dim3{sizes[0], sizes[1], sizes[2]}) : std::nullopt;
}

std::optional<PrintedBytes> read_printed_bytes(std::string_view text, std::string_view unit, int kilo) {
  constexpr double most = 0x1p40;
  constexpr double tolerance = 1e-6;  // of the sums below: a whole number may come out a little beside itself
  const std::optional<double> factor = byte_factor(trimmed(unit), kilo);
  const std::optional<PrintedNumber> number = factor ? read_printed_number(text, *factor == 1) : std::nullopt;
  if (!number || number->value * *factor >= most) {
    return std::nullopt;
  }
  const double value = number->value * *factor;
  const double half = *factor == 1 && number->step == 1 ? 0 : number->step * *factor / 2;
  const auto least = static_cast<std::int64_t>(std::max(std::ceil(value - half - tolerance), 0.0));
  const auto greatest = static_cast<std::int64_t>(std::floor(value + half + tolerance));
  if (least == greatest) {
    return PrintedBytes{least, false};
  }
  return PrintedBytes{plausible_bytes(least, greatest).value_or(std::llround(value)), true};
}

std::optional<double> read_printed_time(std::string_view text, std::string_view unit) {
  struct TimeUnit {
    std::string_view name;
    double nanoseconds;
  };
  // ncu wrote usecond until 2024, us since; both micro signs are in Unicode.
  constexpr std::array units = {TimeUnit{"ns", 1},        TimeUnit{"nsec", 1},      TimeUnit{"nsecond", 1},
                                TimeUnit{"us", 1e3},      TimeUnit{"usec", 1e3},    TimeUnit{"usecond", 1e3},
                                TimeUnit{"\u00b5s", 1e3}, TimeUnit{"\u03bcs", 1e3}, TimeUnit{"ms", 1e6},
                                TimeUnit{"msec", 1e6},    TimeUnit{"msecond", 1e6}, TimeUnit{"s", 1e9},
                                TimeUnit{"sec", 1e9},     TimeUnit{"second", 1e9}};
  constexpr double most = 1e18;  // 31 years
  const std::optional<PrintedNumber> number = read_printed_number(text, false);
  for (const TimeUnit& known : units) {
    if (number && equal_ignoring_case(trimmed(unit), known.name)) {
      const double time = number->value * known.nanoseconds;
      return time <= most ? std::optional(time) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace occcalc::input
