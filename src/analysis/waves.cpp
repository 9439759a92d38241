#include "occcalc/waves.hpp"

#include <algorithm>
#include <limits>

#include "model/rounding.hpp"
#include "occcalc/clusters.hpp"

namespace occcalc {

namespace {

Tail tail_of(const Waves& waves) {
  Tail tail;
  tail.full_waves = waves.grid_blocks / waves.blocks_per_wave;
  tail.blocks = waves.grid_blocks % waves.blocks_per_wave;
  const bool has_tail = tail.blocks > 0;
  tail.idle_sms = has_tail ? static_cast<int>(std::max<std::int64_t>(0, waves.sm_count - tail.blocks)) : 0;
  const double started = static_cast<double>(tail.full_waves) + (has_tail ? 1 : 0);
  tail.efficiency = std::min(1.0, waves.waves / started);
  tail.smaller_grid = (tail.full_waves - (has_tail ? 0 : 1)) * waves.blocks_per_wave;
  tail.larger_grid = saturating_add(waves.grid_blocks, has_tail ? waves.blocks_per_wave - tail.blocks : 0);
  return tail;
}

}  // namespace

std::optional<Waves> compute_waves(const Occupancy& occupancy, std::int64_t grid_blocks, const Sms& sms, Dim3 cluster) {
  const std::optional<Clusters> clusters = compute_clusters(occupancy, cluster, sms);
  if (grid_blocks < 1 || !clusters || clusters->max_active_clusters == 0) {
    return std::nullopt;
  }
  Waves waves;
  waves.grid_blocks = grid_blocks;
  waves.sm_count = sms.count;
  waves.blocks_per_wave = clusters->max_active_clusters * clusters->cluster_blocks;
  waves.waves = static_cast<double>(grid_blocks) / static_cast<double>(waves.blocks_per_wave);
  const Tail tail = tail_of(waves);
  // Where fewer blocks fit than the bound says, there are no fewer waves, and the average is no higher.
  waves.average_occupancy_bound = tail.efficiency * clusters->gpu_occupancy;
  if (clusters->is_bound) {
    waves.achieved_occupancy_bound = occupancy.fraction();  // blocks may share fewer SMs than here
    return waves;
  }
  waves.tail = tail;
  // Blocks are spread over all SMs first, so that each holds one before any holds two.
  const double busy_sms = static_cast<double>(tail.full_waves) * clusters->usable_sms +
                          static_cast<double>(std::min<std::int64_t>(tail.blocks, clusters->usable_sms));
  waves.achieved_occupancy_bound =
      static_cast<double>(grid_blocks) * occupancy.warps_per_block / busy_sms / occupancy.max_warps_per_sm;
  return waves;
}

std::vector<BlockWaves> find_fuller_blocks(const SmLimits& sm, const KernelResources& kernel,
                                           const LaunchConfig& launch, const Waves& current, const Sms& sms,
                                           Dim3 cluster, std::size_t most) {
  std::vector<BlockWaves> found;
  const int block = thread_count(launch.block);
  if (block == 0 || current.grid_blocks > std::numeric_limits<std::int64_t>::max() / block) {
    return found;
  }
  const std::int64_t threads = current.grid_blocks * block;
  for (int size = warp_size; size <= sm.max_threads_per_block; size += warp_size) {
    LaunchConfig other = launch;
    other.block = {size};
    const std::int64_t grid = model::round_up(model::ceil_div(threads, std::int64_t{size}), thread_count(cluster));
    const auto waves = compute_waves(compute_occupancy(sm, kernel, other), grid, sms, cluster);
    constexpr double least_gain = 0.02;
    constexpr double most_threads = 1.02;  // for one; a larger grid holds more warps without doing more
    const bool is_alike = static_cast<double>(grid) * size <= most_threads * static_cast<double>(threads);
    if (waves && is_alike && waves->average_occupancy_bound >= current.average_occupancy_bound + least_gain) {
      found.push_back({size, *waves});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const BlockWaves& a, const BlockWaves& b) {
    return a.waves.average_occupancy_bound > b.waves.average_occupancy_bound;
  });
  found.resize(std::min(most, found.size()));
  return found;
}

}  // namespace occcalc
