/// The metrics of Nsight Compute that tell of a launch's resources.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "occcalc/readers.hpp"

namespace occcalc::input {

/// One launch, or the launches of one line of a summary.
struct NcuLaunch {
  KernelRecord record{};
  std::optional<int> capability_major = std::nullopt;  // the raw page may give them as two metrics
  std::optional<int> capability_minor = std::nullopt;
};

class NcuValue;

/// A metric by its name on the details page, and on the raw page.
struct NcuMetric {
  std::string_view label;
  std::string_view name;
  bool is_measured;  // it differs between launches alike: of a summary the average is taken
  void (*read)(NcuLaunch& launch, NcuValue& value);
};

/// The metric of this name or label; nullptr: none that is read.
[[nodiscard]] const NcuMetric* find_ncu_metric(std::string_view name);

/// The metric whose name or label begins the line, which moves behind it; nullptr: none that is read.
[[nodiscard]] const NcuMetric* take_ncu_metric(std::string_view& line);

/// "n/a" and its like: the metric was not collected.
[[nodiscard]] bool is_absent(std::string_view text);

/// Puts a value into the launch. What was found and what is accepted, if it cannot be read; empty: it was read.
[[nodiscard]] std::string read_ncu_metric(const NcuMetric& metric, std::string_view text, std::string_view unit,
                                          NcuLaunch& launch);

}  // namespace occcalc::input
