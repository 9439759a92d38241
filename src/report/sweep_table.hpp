/// A sweep for people: what is constant stands once, only what varies and the result are columns, the end names the
/// best.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "report/rows.hpp"
#include "report/sweep_axes.hpp"

namespace occcalc::report {

/// Which axes vary, and how wide their widest text is.
struct SweepShape {
  AxisSet varies{};
  std::array<std::size_t, axis_count> widths{};
  AskedAnswers asked{};
  std::size_t binding_width = 0;             ///< of what binds, where columns follow it
  std::vector<std::string> passed{};         ///< names of the user's own columns
  std::vector<std::size_t> passed_widths{};  ///< of their widest texts
};

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
  std::string latency_legend_;
  double best_share_ = -1;
  std::int64_t best_count_ = 0;
  std::vector<std::string> best_names_;
  ResourceSet best_limiters_;
};

}  // namespace occcalc::report
