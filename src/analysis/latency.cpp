#include "occcalc/latency.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/rounding.hpp"
#include "occcalc/kernel.hpp"

namespace occcalc {

std::optional<double> bytes_in_flight_per_sm(const MemorySystem& memory) noexcept {
  if (!memory.sm_count || !memory.clock_mhz || !memory.bandwidth_gbs || !memory.dram_latency_cycles) {
    return std::nullopt;
  }
  constexpr double mhz_per_ghz = 1000;  // GB/s by GHz is bytes a cycle
  const double bytes_per_cycle = *memory.bandwidth_gbs / (*memory.clock_mhz / mhz_per_ghz) / *memory.sm_count;
  constexpr double most_bytes = 1e15;  // far above any memory: what comes of numbers that mean nothing
  return std::min(most_bytes, bytes_per_cycle * *memory.dram_latency_cycles);
}

std::int64_t warps_to_cover_memory(double bytes_per_sm, std::int64_t bytes_per_thread) noexcept {
  const double per_warp = static_cast<double>(bytes_per_thread) * warp_size;
  return static_cast<std::int64_t>(std::ceil(bytes_per_sm / per_warp));
}

std::optional<int> warps_to_cover_fma(const Latencies& latencies, int ilp) noexcept {
  if (!latencies.fma_latency_cycles || !latencies.fma_issue_cycles) {
    return std::nullopt;
  }
  const int issue_slots = model::ceil_div(*latencies.fma_latency_cycles, *latencies.fma_issue_cycles);
  return model::ceil_div(issue_slots, ilp);
}

LatencyEstimate estimate_latency(const SmLimits& sm, const Latencies& latencies, const MemorySystem& memory,
                                 const Occupancy& occupancy, const LatencyQuestion& question) noexcept {
  LatencyEstimate estimate;
  if (const std::optional<double> bytes_per_sm = bytes_in_flight_per_sm(memory)) {
    estimate.bytes_in_flight_per_sm = std::llround(*bytes_per_sm);
    const auto need = [&](std::int64_t bytes_per_thread) {
      const std::int64_t warps = warps_to_cover_memory(*bytes_per_sm, bytes_per_thread);
      return MemoryNeed{bytes_per_thread, warps, occupancy.active_warps_per_sm >= warps};
    };
    constexpr std::array<std::int64_t, 3> usual_bytes = {4, 16, 64};
    for (std::size_t i = 0; i < usual_bytes.size(); ++i) {
      estimate.usual_needs[i] = need(usual_bytes[i]);
    }
    if (question.bytes_in_flight_per_thread) {
      estimate.asked_need = need(*question.bytes_in_flight_per_thread);
    }
  }
  estimate.ilp = question.ilp;
  estimate.fma_warps_per_scheduler = warps_to_cover_fma(latencies, question.ilp);
  if (estimate.fma_warps_per_scheduler) {
    const std::int64_t warps = std::int64_t{*estimate.fma_warps_per_scheduler} * sm.sub_partitions;
    estimate.fma_warps_per_sm = static_cast<int>(std::min<std::int64_t>(warps, std::numeric_limits<int>::max()));
  }
  return estimate;
}

}  // namespace occcalc
