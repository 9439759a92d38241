/// @file
/// The working of the minimum: every intermediate number, in the order in which a teacher would write them down.
#pragma once

#include <cstdint>

#include "occcalc/occupancy.hpp"

namespace occcalc {

/// How registers come to blocks. Meaningless where registers are unknown or 0.
struct RegisterWorking {
  std::int64_t asked_per_warp = 0;           ///< registers per thread x 32
  std::int64_t charged_per_warp = 0;         ///< rounded up to the allocation unit
  std::int64_t plain_warps = 0;              ///< the whole file / charged per warp: what a plain division gives
  std::int64_t share = 0;                    ///< registers of one sub-partition
  std::int64_t warps_per_sub_partition = 0;  ///< share / charged per warp
  std::int64_t warps_per_sm = 0;             ///< of all sub-partitions (of half of them, with global caching)
  std::int64_t checked_per_block = 0;        ///< what the launch check counts, its warps rounded up
};

[[nodiscard]] RegisterWorking work_out_registers(const SmLimits& sm, const KernelResources& kernel,
                                                 const Occupancy& occupancy) noexcept;

}  // namespace occcalc
