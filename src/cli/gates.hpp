/// The gates: --require-launch, --require-occupancy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "report/report.hpp"

namespace occcalc::cli {

/// The rows that one gate fails.
struct FailingRows {
  std::int64_t count = 0;
  std::vector<std::string> first{};  ///< names of the first few
};

/// The rows that fail, gate by gate.
struct GateCounts {
  FailingRows without_launch{};
  FailingRows below_occupancy{};
  std::int64_t without_registers = 0;  ///< whose registers are unknown

  /// Adds those of later rows.
  void add(const GateCounts& later);
};

class Gates {
 public:
  explicit Gates(const Arguments& arguments);

  /// Counts the row among those that fail, if it does.
  void check(const report::Row& row, GateCounts& counts) const {
    if (launch_ || occupancy_) {
      hold_against(row, counts);
    }
  }
  /// Says on standard error what was not met, of `rows` rows, or that an upper bound was held against the gate because
  /// registers are unknown; true if all was met.
  [[nodiscard]] bool judge(const GateCounts& counts, std::int64_t rows) const;

 private:
  void hold_against(const report::Row& row, GateCounts& counts) const;

  bool launch_;
  std::optional<double> occupancy_;
};

}  // namespace occcalc::cli
