/// The gates: --require-launch, --require-occupancy.
#pragma once

#include <optional>

#include "cli/arguments.hpp"
#include "cli/chunks.hpp"
#include "report/report.hpp"

namespace occcalc::cli {

class Gates {
 public:
  explicit Gates(const Arguments& arguments);

  [[nodiscard]] bool any() const { return launch_ || occupancy_; }
  /// Counts the row among those that fail, if it does.
  void check(const report::Row& row, Chunk& counts) const;
  /// Says on standard error what was not met, of `rows` rows; true if all was.
  [[nodiscard]] bool report(const Chunk& counts, std::int64_t rows) const;
  /// Says on standard error that an upper bound was held against the gate.
  void warn_of_bound() const;

 private:
  bool launch_;
  std::optional<double> occupancy_;
};

}  // namespace occcalc::cli
