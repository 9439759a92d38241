#include "report/gpu_cells.hpp"

#include <fmt/format.h>

#include "report/numbers.hpp"

namespace occcalc::report {

namespace {

const Clusters* clusters_of(const Row& row) {
  return row.whole_gpu && row.whole_gpu->clusters ? &*row.whole_gpu->clusters : nullptr;
}

const Waves* waves_of(const Row& row) {
  return row.whole_gpu && row.whole_gpu->waves ? &*row.whole_gpu->waves : nullptr;
}

const LatencyEstimate* latency_of(const Row& row) {
  return row.whole_gpu && row.whole_gpu->latency ? &*row.whole_gpu->latency : nullptr;
}

std::string need_cell(const std::optional<MemoryNeed>& need) { return need ? grouped(need->warps_per_sm) : "-"; }

std::string_view most_sign(bool is_bound) { return is_bound ? "<=" : ""; }

}  // namespace

std::string clusters_cell(const Row& row) {
  const Clusters* const clusters = clusters_of(row);
  return clusters == nullptr
             ? "-"
             : fmt::format("{}{}", most_sign(clusters->is_bound), grouped(clusters->max_active_clusters));
}

std::string of_gpu_cell(const Row& row) {
  const Clusters* const clusters = clusters_of(row);
  return clusters == nullptr ? "-"
                             : fmt::format("{}{}", most_sign(clusters->is_bound), share_cell(clusters->gpu_occupancy));
}

std::string waves_cell(const Row& row) {
  const Waves* const waves = waves_of(row);
  return waves == nullptr ? "-" : fmt::format("{}{:.2f}", waves->tail ? "" : ">=", waves->waves);
}

std::string tail_cell(const Row& row) {
  const Waves* const waves = waves_of(row);
  return waves == nullptr || !waves->tail ? "-" : grouped(waves->tail->blocks);
}

std::string average_cell(const Row& row) {
  const Waves* const waves = waves_of(row);
  return waves == nullptr ? "-"
                          : fmt::format("{}{}", most_sign(!waves->tail), share_cell(waves->average_occupancy_bound));
}

std::string asked_need_cell(const Row& row) {
  const LatencyEstimate* const latency = latency_of(row);
  return latency == nullptr ? "-" : need_cell(latency->asked_need);
}

template <std::size_t index>
std::string usual_need_cell(const Row& row) {
  const LatencyEstimate* const latency = latency_of(row);
  return latency == nullptr ? "-" : need_cell(latency->usual_needs[index]);
}
template std::string usual_need_cell<0>(const Row& row);
template std::string usual_need_cell<1>(const Row& row);
template std::string usual_need_cell<2>(const Row& row);

std::string arithmetic_need_cell(const Row& row) {
  const LatencyEstimate* const latency = latency_of(row);
  return latency == nullptr || !latency->fma_warps_per_sm ? "-" : grouped(*latency->fma_warps_per_sm);
}

std::string latency_legend(const LatencyEstimate& latency) {
  const std::string memory = latency.asked_need
                                 ? fmt::format(
                                       "to cover: those that cover the latency of memory with {} B in flight "
                                       "per thread",
                                       grouped(latency.asked_need->bytes_in_flight_per_thread))
                                 : "for 4 B, 16 B, 64 B in flight per thread: those that cover the latency of memory";
  const std::string chains =
      latency.ilp == 1 ? "each waiting for the last" : fmt::format("{} independent ones per thread", latency.ilp);
  return "warps: resident per SM; " + memory + "; FMAs: that of arithmetic, " + chains + " (estimates, without load).";
}

std::string share_cell(double share) { return percent_cell(share, 2); }

}  // namespace occcalc::report
