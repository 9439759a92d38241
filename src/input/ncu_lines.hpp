/// The lines of Nsight Compute's output that name launches and metrics.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/ncu_metrics.hpp"

namespace occcalc::input {

/// The columns of a CSV header that name a launch, and those of the values.
struct NcuColumns {
  std::size_t count = 0;
  std::size_t kernel = 0;
  std::vector<std::size_t> identity{};  // cells that are the same in all rows of a launch
  std::optional<std::size_t> block = std::nullopt;
  std::optional<std::size_t> grid = std::nullopt;
  std::optional<std::size_t> capability = std::nullopt;
  // details: a metric a row
  std::optional<std::size_t> metric = std::nullopt;
  std::optional<std::size_t> unit = std::nullopt;
  std::optional<std::size_t> value = std::nullopt;
  std::optional<std::size_t> minimum = std::nullopt;
  std::optional<std::size_t> maximum = std::nullopt;
  std::optional<std::size_t> average = std::nullopt;
  // raw: a launch a row
  std::vector<std::pair<std::size_t, const NcuMetric*>> metrics{};

  [[nodiscard]] bool is_raw() const noexcept { return !metric; }
  [[nodiscard]] bool is_summary() const noexcept { return minimum && maximum && average; }
};

/// The columns of a CSV header; nullopt: the line is no header of ncu.
[[nodiscard]] std::optional<NcuColumns> read_ncu_header(std::string_view line);

/// A line such as `name (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0`, which begins a launch on the
/// text pages.
struct NcuKernelLine {
  std::string_view name{};
  std::string_view grid{};
  std::string_view block{};
  std::string_view capability{};
};

/// nullopt: the line begins no launch.
[[nodiscard]] std::optional<NcuKernelLine> read_ncu_kernel_line(std::string_view line);

/// The values of a metric: one, or the minimum, maximum and average of a summary.
struct NcuMetricTexts {
  std::string unit{};
  std::string value{};
  std::string minimum{};
  std::string maximum{};
  std::string average{};
  bool is_summary = false;
};

/// `[unit] value`, or `[unit] minimum maximum average` of a summary; nullopt: other text that begins as a metric does.
[[nodiscard]] std::optional<NcuMetricTexts> read_ncu_metric_line(std::string_view rest);

}  // namespace occcalc::input
