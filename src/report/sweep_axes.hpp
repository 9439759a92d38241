/// What the rows of a sweep vary in, and what they are compared by; the same for tables and charts.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "report/rows.hpp"

namespace occcalc::report {

/// What may vary from row to row, in the order of the columns.
enum class Axis : std::uint8_t {
  Gpu,
  Arch,
  Block,
  Registers,
  StaticMemory,
  DynamicMemory,
  Barriers,
  Carveout,
  Cluster,
  Grid
};
inline constexpr std::size_t axis_count = 10;

/// An axis as a column of a table.
struct AxisColumn {
  std::string_view head;
  std::string (*text)(const Row& row);  ///< the value in a row
  bool is_text = false;                 ///< on the left
};
extern const std::array<AxisColumn, axis_count> axis_columns;

/// The value of an axis in a row, as text.
[[nodiscard]] std::string axis_value(Axis axis, const Row& row);

/// Some axes, by number.
using AxisSet = std::array<bool, axis_count>;
[[nodiscard]] constexpr bool contains(const AxisSet& axes, Axis axis) { return axes[static_cast<std::size_t>(axis)]; }

/// What is constant, in one line.
[[nodiscard]] std::string constants_text(const AxisSet& varying, const Row& first);

/// The text of a cluster or a grid: 8, 2x4.
[[nodiscard]] std::string size_text(const Grid& size);

/// What is asked of a whole GPU, by any row.
struct AskedAnswers {
  bool clusters = false;
  bool waves = false;
  bool latency = false;
  bool bytes_in_flight = false;
};
[[nodiscard]] AskedAnswers asked_of(const Row& row);

/// What rows are compared by, 0 to 1: resident warps of those that fit; over the launch, or on the whole GPU, where
/// that is asked.
[[nodiscard]] double share_of(const Row& row);
/// Two shares, or numbers of warps, that differ by no more than rounding makes of them.
[[nodiscard]] bool is_alike(double a, double b);
/// " on average over the launch", " of the whole GPU": what share_of() is of; empty: one SM.
[[nodiscard]] std::string_view measured_on(const AskedAnswers& asked);

}  // namespace occcalc::report
