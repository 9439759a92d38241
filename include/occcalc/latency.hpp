/// @file
/// Whether more warps can hide more latency: an estimate from Little's law.
///
/// What is in flight is throughput times latency. The latencies were measured without load; under load they rise, so
/// that the warps computed from them are lower bounds.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "occcalc/occupancy.hpp"
#include "occcalc/sm_limits.hpp"

namespace occcalc {

/// The memory of a GPU as its SMs see it; what is unknown is empty.
struct MemorySystem {
  std::optional<int> sm_count = std::nullopt;             ///< of the whole GPU, which shares the bandwidth
  std::optional<double> clock_mhz = std::nullopt;         ///< of the SMs
  std::optional<double> bandwidth_gbs = std::nullopt;     ///< GB/s, 10^9 bytes
  std::optional<int> dram_latency_cycles = std::nullopt;  ///< of the SM clock
};

/// Bytes that each SM must have in flight to saturate the memory: its share of the bandwidth for the time of the
/// latency; nullopt where something of it is unknown.
[[nodiscard]] std::optional<double> bytes_in_flight_per_sm(const MemorySystem& memory) noexcept;

/// Warps per SM that keep so many bytes in flight when each of their threads has `bytes_per_thread` (at least 1).
[[nodiscard]] std::int64_t warps_to_cover_memory(double bytes_per_sm, std::int64_t bytes_per_thread) noexcept;

/// Warps per scheduler that keep its FP32 pipe busy with dependent FMAs, `ilp` (at least 1) independent chains in each
/// thread: the latency in issue slots, divided by the chains. nullopt where it was not measured. A sub-partition of the
/// SM has one scheduler. (CUDA C++ Programming Guide, multiprocessor level)
[[nodiscard]] std::optional<int> warps_to_cover_fma(const Latencies& latencies, int ilp) noexcept;

/// Warps that a kernel with so many bytes in flight per thread needs, and whether so many are resident.
struct MemoryNeed {
  std::int64_t bytes_in_flight_per_thread = 0;
  std::int64_t warps_per_sm = 0;
  bool covered = false;
};

/// What is asked of a kernel that nobody measured.
struct LatencyQuestion {
  std::optional<std::int64_t> bytes_in_flight_per_thread = std::nullopt;  ///< nullopt: unknown
  int ilp = 1;                                                            ///< independent FMAs in each thread
};

/// Whether the resident warps cover the latency of memory and of arithmetic. What is unknown is empty.
struct LatencyEstimate {
  std::optional<std::int64_t> bytes_in_flight_per_sm = std::nullopt;  ///< rounded
  std::array<std::optional<MemoryNeed>, 3> usual_needs{};             ///< 4, 16 and 64 bytes in flight per thread
  std::optional<MemoryNeed> asked_need = std::nullopt;                ///< for the bytes that were asked about
  int ilp = 1;
  std::optional<int> fma_warps_per_scheduler = std::nullopt;
  std::optional<int> fma_warps_per_sm = std::nullopt;
};

[[nodiscard]] LatencyEstimate estimate_latency(const SmLimits& sm, const Latencies& latencies,
                                               const MemorySystem& memory, const Occupancy& occupancy,
                                               const LatencyQuestion& question) noexcept;

}  // namespace occcalc
