/// A sweep for people: what is constant stands once, only what varies and the result are columns, the end names the
/// best.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

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

/// What is asked of a whole GPU, by any row.
struct AskedAnswers {
  bool clusters = false;
  bool waves = false;
  bool latency = false;
  bool bytes_in_flight = false;
};
[[nodiscard]] AskedAnswers asked_of(const Row& row);

/// Which axes vary, and how wide their widest text is.
struct SweepShape {
  std::array<bool, axis_count> varies{};
  std::array<std::size_t, axis_count> widths{};

  [[nodiscard]] bool does_vary(Axis axis) const { return varies[static_cast<std::size_t>(axis)]; }
  AskedAnswers asked{};
  std::size_t binding_width = 0;             ///< of what binds, where columns follow it
  std::vector<std::string> passed{};         ///< names of the user's own columns
  std::vector<std::size_t> passed_widths{};  ///< of their widest texts
};

/// The value of an axis in a row, as text.
[[nodiscard]] std::string axis_value(Axis axis, const Row& row);

/// What does not vary, in one line.
[[nodiscard]] std::string constants_text(const SweepShape& shape, const Row& first);

/// What rows are compared by, 0 to 1: resident warps of those that fit; over the launch, or on the whole GPU, where
/// that is asked.
[[nodiscard]] double share_of(const Row& row);
/// Two shares, or numbers of warps, that differ by no more than rounding makes of them.
[[nodiscard]] bool is_alike(double a, double b);
/// " on average over the launch", " of the whole GPU": what share_of() is of; empty: one SM.
[[nodiscard]] std::string_view measured_on(const Row& row);

/// The text of a cluster or a grid: 8, 2x4.
[[nodiscard]] std::string size_text(const Grid& size);

/// The shape of rows that are no product of lists.
[[nodiscard]] SweepShape shape_of(std::span<const Row> rows, std::vector<std::string> passed);

class SweepTable : public RowTable {
 public:
  SweepTable(const SweepShape& shape, Style style);

  [[nodiscard]] std::string head(const Row& first) override;
  [[nodiscard]] std::string row(const Row& row) override;
  [[nodiscard]] std::string tail() const override;

 private:
  void remember(const Row& row);
  [[nodiscard]] std::string best_text() const;

  SweepShape shape_;
  Style style_;
  std::array<std::size_t, axis_count> widths_{};
  bool has_bounds_ = false;
  bool can_launch_ = false;
  double best_share_ = -1;
  std::string_view best_measure_;
  std::int64_t best_count_ = 0;
  std::vector<std::string> best_names_;
  ResourceSet best_limiters_;
};

}  // namespace occcalc::report
