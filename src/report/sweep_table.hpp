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

/// Which axes vary, and how wide their widest text is.
struct SweepShape {
  std::array<bool, axis_count> varies{};
  std::array<std::size_t, axis_count> widths{};

  [[nodiscard]] bool does_vary(Axis axis) const { return varies[static_cast<std::size_t>(axis)]; }
  std::size_t binding_width = 0;             ///< of what binds, where columns follow it
  std::vector<std::string> passed{};         ///< names of the user's own columns
  std::vector<std::size_t> passed_widths{};  ///< of their widest texts
};

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

  SweepShape shape_;
  Style style_;
  std::array<std::size_t, axis_count> widths_{};
  double best_share_ = -1;
  std::string_view best_measure_;
  std::int64_t best_count_ = 0;
  std::vector<std::string> best_names_;
  ResourceSet best_limiters_;
};

}  // namespace occcalc::report
