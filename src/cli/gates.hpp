/// The gates: --require-launch, --require-occupancy, --require-no-spills, --require-known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
  FailingRows spilling{};
  FailingRows assumed{};               ///< kernels whose block or dynamic memory is a guess
  std::int64_t spills_unknown = 0;     ///< kernels of which the input does not say it
  std::int64_t without_registers = 0;  ///< whose registers are unknown

  /// Adds those of later rows.
  void add(const GateCounts& later);
};

class Gates {
 public:
  Gates() = default;  ///< none
  explicit Gates(const Arguments& arguments);

  [[nodiscard]] bool has_any() const { return launch_ || occupancy_ || no_spills_ || known_; }

  /// Counts the row among those that fail, if it does.
  void check(const report::Row& row, GateCounts& counts) const {
    if (has_any()) {
      hold_against(row, counts);
    }
  }
  /// Says on standard error what was not met, of so many rows, or that an upper bound was held against the gate because
  /// registers are unknown; true if all was met.
  [[nodiscard]] bool judge(const GateCounts& counts, std::int64_t rows, std::string_view unit = "rows") const;

 private:
  void note_guesses(const GateCounts& counts, std::int64_t rows, std::string_view unit) const;
  void hold_against(const report::Row& row, GateCounts& counts) const;

  bool launch_ = false;
  bool no_spills_ = false;
  bool known_ = false;
  std::optional<double> occupancy_;
};

}  // namespace occcalc::cli
