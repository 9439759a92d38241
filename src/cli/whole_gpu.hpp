/// What the options ask of the whole GPU: --grid, --cluster, --achieved, --latency, --bytes-in-flight, --ilp.
#pragma once

#include <memory>
#include <optional>

#include "cli/arguments.hpp"
#include "input/lists.hpp"
#include "report/report.hpp"
#include "report/sweep_axes.hpp"

namespace occcalc::cli {

/// Read once, applied to every row.
class WholeGpuQuestions {
 public:
  /// Throws InputError.
  explicit WholeGpuQuestions(const Arguments& arguments);

  /// Whether a row is told anything of a GPU.
  [[nodiscard]] bool has_any() const noexcept { return has_any_; }
  /// How many rows they make of one configuration: the clusters times the grids, the grids the faster ones.
  [[nodiscard]] std::int64_t launches() const noexcept { return launches_; }

  /// The lists of the options; nullptr: not given.
  [[nodiscard]] const input::ShapeList<Grid>* grids() const noexcept { return grids_ ? &*grids_ : nullptr; }
  [[nodiscard]] const input::ShapeList<Dim3>* clusters() const noexcept { return clusters_ ? &*clusters_ : nullptr; }

  /// What the options ask of every row.
  [[nodiscard]] report::AskedAnswers asked() const noexcept {
    return {clusters_.has_value(), grids_.has_value(), latency_.has_value(),
            latency_ && latency_->bytes_in_flight_per_thread};
  }

  /// A grid, a cluster and a measurement, as an option or an input gives them.
  struct Launch {
    std::optional<Grid> grid = std::nullopt;
    std::optional<Dim3> cluster = std::nullopt;
    std::optional<double> achieved_occupancy = std::nullopt;
    std::optional<Dim3> required_cluster = std::nullopt;  ///< that the kernel was compiled for
    bool has_run = false;  ///< a profiler saw it: its grid is a multiple of its cluster, whatever dimensions it states
  };
  /// Launch number `index` of the options; where they say nothing, that of an input.
  [[nodiscard]] Launch launch(std::int64_t index, const Launch& of_input) const;

  /// Answers for a row whose occupancy and reasons are known. A cluster that cannot launch takes its blocks.
  void answer(const Launch& launch, std::shared_ptr<const report::GpuPart> part, report::Row& row) const;

 private:
  bool has_any_ = false;
  std::int64_t launches_ = 1;
  std::optional<input::ShapeList<Grid>> grids_;
  std::optional<input::ShapeList<Dim3>> clusters_;
  std::optional<double> achieved_occupancy_;
  std::optional<LatencyQuestion> latency_;
};

}  // namespace occcalc::cli
