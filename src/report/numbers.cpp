#include "report/numbers.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace occcalc::report {

std::string shortest(double number) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return {buffer.data(), end};
}

std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::ptrdiff_t first = number < 0 ? 1 : 0;
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > first; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

std::string percent(double fraction) { return percent_points(fraction) + " %"; }

std::string percent_cell(double fraction, int decimals) {
  const double scale = 100 * std::pow(10, decimals);  // halves are rounded up, as percent() does
  return fmt::format("{:.{}f} %", std::round(fraction * scale) * 100 / scale, decimals);
}

std::string percent_points(double difference) { return shortest(std::round(difference * 10000) / 100); }

std::string counted(std::int64_t number, std::string_view one, std::string_view many) {
  return grouped(number) + " " + std::string(number == 1 ? one : many);
}

std::string kilobytes(std::int64_t bytes) {
  return bytes % 1024 == 0 ? grouped(bytes / 1024) + " KB" : grouped(bytes) + " B";
}

std::string block_text(Dim3 block) {
  std::string text = std::to_string(block.x);
  if (block.y != 1 || block.z != 1) {
    text += "x" + std::to_string(block.y);
  }
  return block.z == 1 ? text : text + "x" + std::to_string(block.z);
}

std::string megabytes(std::int64_t bytes) {
  constexpr std::int64_t tenth = 100'000;
  const std::int64_t tenths = (bytes + tenth / 2) / tenth;
  return grouped(tenths / 10) + "." + std::to_string(tenths % 10) + " MB";
}

}  // namespace occcalc::report
