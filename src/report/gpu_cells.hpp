/// What a row tells of the whole GPU, as cells of tables: sweeps and kernels say the same.
#pragma once

#include <cstddef>
#include <string>

#include "report/rows.hpp"
#include "report/sweep_axes.hpp"

namespace occcalc::report {

// Each is "-" where nothing is known; a bound bears "<=" or ">=".
[[nodiscard]] std::string clusters_cell(const Row& row);    ///< active clusters
[[nodiscard]] std::string of_gpu_cell(const Row& row);      ///< their occupancy of the whole GPU
[[nodiscard]] std::string waves_cell(const Row& row);       ///< waves of the grid
[[nodiscard]] std::string tail_cell(const Row& row);        ///< blocks in the last wave
[[nodiscard]] std::string average_cell(const Row& row);     ///< average occupancy over the launch
[[nodiscard]] std::string asked_need_cell(const Row& row);  ///< warps that cover the memory, for the bytes asked about
[[nodiscard]] std::string arithmetic_need_cell(const Row& row);  ///< warps that cover dependent FMAs
template <std::size_t index>
[[nodiscard]] std::string usual_need_cell(const Row& row);  ///< the same for 4, 16 and 64 bytes in flight, by number

/// What the columns of a latency mean, in one sentence.
[[nodiscard]] std::string latency_legend(const LatencyEstimate& latency);

/// What the signs of bounds mean.
inline constexpr std::string_view bounds_legend =
    "<= and >= are bounds: the SMs of each GPC are not known (--gpcs gives them).";

/// A share with two decimals, so that numbers below each other align: "65.63 %".
[[nodiscard]] std::string share_cell(double share);

}  // namespace occcalc::report
