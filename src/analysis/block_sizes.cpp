#include "occcalc/block_sizes.hpp"

#include <algorithm>
#include <cstdlib>

#include "model/rounding.hpp"

namespace occcalc {

namespace {

Occupancy at(const SmLimits& sm, const KernelResources& kernel, LaunchConfig launch, int threads) noexcept {
  launch.block = {threads};
  return compute_occupancy(sm, kernel, launch);
}

constexpr int whole_warps(int threads) noexcept { return threads / warp_size * warp_size; }

}  // namespace

std::vector<BlockSize> rank_block_sizes(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch) {
  std::vector<BlockSize> sizes;
  for (int threads = whole_warps(sm.max_threads_per_block); threads > 0; threads -= warp_size) {
    const Occupancy answer = at(sm, kernel, launch, threads);
    if (answer.launchable()) {
      sizes.push_back({threads, answer});
    }
  }
  std::stable_sort(sizes.begin(), sizes.end(), [](const BlockSize& a, const BlockSize& b) {
    return a.occupancy.active_warps_per_sm > b.occupancy.active_warps_per_sm;
  });
  return sizes;
}

int potential_block_size(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch) noexcept {
  int best = 0;
  int most = 0;
  for (int threads = model::ceil_div(sm.max_threads_per_block, warp_size) * warp_size; threads > 0;
       threads -= warp_size) {
    const int size = std::min(threads, sm.max_threads_per_block);
    const int resident = at(sm, kernel, launch, size).active_blocks_per_sm * size;
    if (resident > most) {
      most = resident;
      best = size;
    }
  }
  return best;
}

int usual_block_size(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch) noexcept {
  constexpr int least = 128;
  constexpr int usual = 256;
  constexpr int greatest = 512;
  int best = 0;
  int most = 0;
  for (int threads = least; threads <= std::min(greatest, sm.max_threads_per_block); threads += warp_size) {
    const int warps = at(sm, kernel, launch, threads).active_warps_per_sm;
    if (warps > most || (warps == most && warps > 0 && std::abs(threads - usual) < std::abs(best - usual))) {
      most = warps;
      best = threads;
    }
  }
  return best > 0 ? best : potential_block_size(sm, kernel, launch);
}

}  // namespace occcalc
