/// @file
/// A grid on a whole GPU: waves of blocks, and what the last, partly filled one costs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "occcalc/grid.hpp"
#include "occcalc/occupancy.hpp"

namespace occcalc {

/// Full waves, and what the last one holds where it is not full.
struct Tail {
  std::int64_t full_waves = 0;
  std::int64_t blocks = 0;        ///< in the last wave, where that is not full; otherwise 0
  int idle_sms = 0;               ///< in the last wave: blocks are spread over all SMs first
  double efficiency = 0;          ///< of the room for blocks in all waves, the part that blocks take; 0 to 1
  std::int64_t smaller_grid = 0;  ///< the next smaller one whose last wave is full; 0: there is none
  std::int64_t larger_grid = 0;   ///< the next larger one; the grid itself where its last wave is full
};

/// How a grid of equal blocks fills the SMs, one wave after the other. A GPU starts a block as soon as there is room,
/// so that blocks of unequal length mix the waves: these are the numbers for equal ones.
struct Waves {
  std::int64_t grid_blocks = 0;
  int sm_count = 0;
  /// Active blocks per SM times SMs, or those of the active clusters; also the grid of a persistent kernel.
  std::int64_t blocks_per_wave = 0;
  double waves = 0;            ///< grid_blocks / blocks_per_wave
  std::optional<Tail> tail{};  ///< nullopt: not known, because blocks_per_wave is an upper bound
  /// Resident warps over the whole launch, of those that all SMs can hold: an upper bound, 0 to 1.
  double average_occupancy_bound = 0;
  /// The same of the SMs while they hold blocks, which is what profilers call achieved occupancy
  /// (sm__warps_active.avg.pct_of_peak_sustained_active: idle SMs are not in it). 0 to 1.
  double achieved_occupancy_bound = 0;
};

/// nullopt where no block, or no cluster, fits, or there is no SM. Where the layout of the GPCs is not known, clusters
/// make `blocks_per_wave` an upper bound, as compute_clusters() tells, and `waves` a lower one.
[[nodiscard]] std::optional<Waves> compute_waves(const Occupancy& occupancy, std::int64_t grid_blocks, const Sms& sms,
                                                 Dim3 cluster = {});

/// A block size and the waves that the same number of threads makes of it.
struct BlockWaves {
  int threads_per_block = 0;
  Waves waves{};
};

/// Block sizes of which so many more warps are resident over the launch that it may matter (two in a hundred of all
/// that fit), the most first, at most `most`: the grid is as large as the same threads need, in whole clusters. Sizes
/// that need more threads for it are left out.
[[nodiscard]] std::vector<BlockWaves> find_fuller_blocks(const SmLimits& sm, const KernelResources& kernel,
                                                         const LaunchConfig& launch, const Waves& current,
                                                         const Sms& sms, Dim3 cluster, std::size_t most);

}  // namespace occcalc
