#include "occcalc/waves.hpp"

#include <algorithm>
#include <limits>

#include "model/rounding.hpp"

namespace occcalc {

std::optional<Waves> compute_waves(const Occupancy& occupancy, std::int64_t grid_blocks, int sm_count) noexcept {
  if (!occupancy.launchable() || grid_blocks < 1 || sm_count < 1) {
    return std::nullopt;
  }
  Waves waves;
  waves.grid_blocks = grid_blocks;
  waves.sm_count = sm_count;
  waves.blocks_per_wave = std::int64_t{occupancy.active_blocks_per_sm} * sm_count;
  waves.waves = static_cast<double>(grid_blocks) / static_cast<double>(waves.blocks_per_wave);
  waves.full_waves = grid_blocks / waves.blocks_per_wave;
  waves.tail_blocks = grid_blocks % waves.blocks_per_wave;
  const bool has_tail = waves.tail_blocks > 0;
  waves.idle_sms = has_tail ? static_cast<int>(std::max<std::int64_t>(0, sm_count - waves.tail_blocks)) : 0;
  const double started = static_cast<double>(waves.full_waves) + (has_tail ? 1 : 0);
  waves.efficiency = waves.waves / started;
  waves.average_occupancy_bound = waves.efficiency * occupancy.fraction();
  waves.smaller_grid = (waves.full_waves - (has_tail ? 0 : 1)) * waves.blocks_per_wave;
  waves.larger_grid = saturating_add(grid_blocks, has_tail ? waves.blocks_per_wave - waves.tail_blocks : 0);
  return waves;
}

std::vector<BlockWaves> find_fuller_blocks(const SmLimits& sm, const KernelResources& kernel,
                                           const LaunchConfig& launch, const Waves& current, std::size_t most) {
  std::vector<BlockWaves> found;
  const int block = thread_count(launch.block);
  if (block == 0 || current.grid_blocks > std::numeric_limits<std::int64_t>::max() / block) {
    return found;
  }
  const std::int64_t threads = current.grid_blocks * block;
  for (int size = warp_size; size <= sm.max_threads_per_block; size += warp_size) {
    LaunchConfig other = launch;
    other.block = {size};
    const std::int64_t grid = model::ceil_div(threads, std::int64_t{size});
    const auto waves = compute_waves(compute_occupancy(sm, kernel, other), grid, current.sm_count);
    constexpr double least_gain = 0.02;
    if (waves && waves->average_occupancy_bound >= current.average_occupancy_bound + least_gain) {
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
