/// @file
/// Block sizes, ranked by resident warps.
#pragma once

#include <cstdint>
#include <vector>

#include "occcalc/occupancy.hpp"

namespace occcalc {

struct BlockSize {
  int threads_per_block = 0;
  Occupancy occupancy{};
};

/// Every block size of whole warps that launches, most resident warps first, larger blocks first among equals. The
/// dynamic shared memory grows with the block as `launch` says.
[[nodiscard]] std::vector<BlockSize> rank_block_sizes(const SmLimits& sm, const KernelResources& kernel,
                                                      const LaunchConfig& launch);

/// What cudaOccupancyMaxPotentialBlockSize chooses: most resident threads, the largest block among equals; 0 if none
/// launches. Allocates nothing.
[[nodiscard]] int potential_block_size(const SmLimits& sm, const KernelResources& kernel,
                                       const LaunchConfig& launch) noexcept;

/// The best of 128 to 512 threads, where most kernels are launched: most resident warps, 256 or the size nearest to it
/// among equals; the best of all sizes if none there launches, 0 if none at all does.
[[nodiscard]] int usual_block_size(const SmLimits& sm, const KernelResources& kernel,
                                   const LaunchConfig& launch) noexcept;

}  // namespace occcalc
