/// One short function per ceiling: how many blocks one resource alone allows, and what a block is charged. The
/// reference for every rule is cuda_occupancy.h of CUDA 13.0; its function is named with each. Arguments are valid:
/// positive warps, no negative amount.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/rounding.hpp"
#include "occcalc/occupancy.hpp"

namespace occcalc::model {

/// A quotient as a number of blocks; huge ones (a custom part's) stay below no_ceiling.
[[nodiscard]] constexpr int block_count(std::int64_t blocks) noexcept {
  return static_cast<int>(std::min<std::int64_t>(blocks, no_ceiling - 1));
}

/// Every dimension of the block is within its own limit.
[[nodiscard]] constexpr bool fits_dimensions(const SmLimits& sm, Dim3 block) noexcept {
  return block.x <= sm.max_block_dim.x && block.y <= sm.max_block_dim.y && block.z <= sm.max_block_dim.z;
}

/// The block is within the launch bounds that the kernel was compiled for. (cudaOccMaxActiveBlocksPerMultiprocessor,
/// which compares with cudaOccFuncAttributes::maxThreadsPerBlock)
[[nodiscard]] constexpr bool fits_launch_bounds(const KernelResources& kernel, int threads) noexcept {
  return kernel.max_threads_per_block == 0 || threads <= kernel.max_threads_per_block;
}

/// The block is the one that the kernel was compiled for, where it was compiled for one only: a launch with another
/// fails. (PTX ISA, .reqntid)
[[nodiscard]] constexpr bool is_required_block(const KernelResources& kernel, Dim3 block) noexcept {
  return kernel.required_block.x == 0 || kernel.required_block == block;
}

/// Warp slots: a block holds whole warps. With partitioned global caching a block lives in one half of the SM, so that
/// each half counts alone. (cudaOccMaxBlocksPerSMWarpsLimit)
[[nodiscard]] constexpr int warp_ceiling(const SmLimits& sm, int threads, int warps, GlobalCaching caching) noexcept {
  if (threads > sm.max_threads_per_block) {
    return 0;
  }
  if (caching != GlobalCaching::Off) {
    return 2 * (sm.max_warps_per_sm / 2 / warps);
  }
  return sm.max_warps_per_sm / warps;
}

/// Registers that one warp is charged: its threads' registers, rounded up to the allocation unit.
/// (cudaOccRegAllocationGranularity)
[[nodiscard]] constexpr std::int64_t registers_per_warp(const SmLimits& sm, int registers_per_thread) noexcept {
  return round_up(std::int64_t{registers_per_thread} * warp_size, sm.register_allocation_unit);
}

/// Registers that the launch check of the hardware counts for a block. It assumes that all sub-partitions are charged
/// alike, and so rounds the warps up; on 6.0 to the four sub-partitions of the other Pascal parts, so that a kernel
/// runs on all of them or on none. (cudaOccMaxBlocksPerSMRegsLimit, cudaOccMaxActiveBlocksPerMultiprocessor)
[[nodiscard]] constexpr std::int64_t checked_registers_per_block(const SmLimits& sm, std::int64_t per_warp,
                                                                 int warps) noexcept {
  return per_warp * round_up(warps, sm.register_check_warps);
}

/// Warps whose registers fit one sub-partition: each owns its share of the file and serves whole warps.
[[nodiscard]] constexpr std::int64_t warps_per_sub_partition(const SmLimits& sm, std::int64_t per_warp) noexcept {
  return sm.registers_per_sm / sm.sub_partitions / per_warp;
}

/// Registers: the sub-partitions' warps, divided among blocks; nothing if the block fails the launch check. With
/// partitioned global caching each half of the SM counts alone; where no block fits a half, `caching` On becomes Off,
/// for the warp slots too, and Strict keeps 0. (cudaOccMaxBlocksPerSMRegsLimit)
[[nodiscard]] constexpr int register_ceiling(const SmLimits& sm, int registers_per_thread, int warps,
                                             GlobalCaching& caching) noexcept {
  const std::int64_t per_warp = registers_per_warp(sm, registers_per_thread);
  if (registers_per_thread > sm.max_registers_per_thread ||
      checked_registers_per_block(sm, per_warp, warps) > sm.max_registers_per_block) {
    return 0;
  }
  if (per_warp == 0) {
    return no_ceiling;
  }
  const std::int64_t partition_warps = warps_per_sub_partition(sm, per_warp);
  if (caching != GlobalCaching::Off) {
    const std::int64_t per_half = partition_warps * (sm.sub_partitions / 2) / warps;
    if (per_half > 0 || caching == GlobalCaching::Strict) {
      return block_count(2 * per_half);
    }
    caching = GlobalCaching::Off;
  }
  return block_count(partition_warps * sm.sub_partitions / warps);
}

/// Bytes that one block is charged: its own, static and dynamic, and the driver's reserve, rounded up.
/// (cudaOccSMemAllocationGranularity)
[[nodiscard]] constexpr std::int64_t charged_shared_memory(const SmLimits& sm, std::int64_t bytes) noexcept {
  return round_up(saturating_add(bytes, sm.reserved_shared_memory_per_block), sm.shared_memory_allocation_unit);
}

/// The most that one block may be charged. The reserve is added to the limit too, so that the block's own bytes reach
/// 48 KB, or the opt-in maximum. (cudaOccSMemPerBlock)
[[nodiscard]] constexpr std::int64_t max_charged_shared_memory(const SmLimits& sm, bool opt_in) noexcept {
  return sm.reserved_shared_memory_per_block +
         (opt_in ? sm.max_shared_memory_per_block_optin : sm.max_shared_memory_per_block);
}

/// Shared memory: the capacity divided among blocks; nothing if one block is above its limit.
/// (cudaOccMaxBlocksPerSMSmemLimit)
[[nodiscard]] constexpr int shared_memory_ceiling(const SmLimits& sm, std::int64_t charged, std::int64_t capacity,
                                                  bool opt_in) noexcept {
  if (charged > max_charged_shared_memory(sm, opt_in)) {
    return 0;
  }
  return charged == 0 ? no_ceiling : block_count(capacity / charged);
}

/// Barriers: the pool divided among blocks, where the pool is known and counts (9.0 on).
/// (cudaOccMaxBlocksPerSMBlockBarrierLimit)
[[nodiscard]] constexpr int barrier_ceiling(const SmLimits& sm, int barriers) noexcept {
  if (barriers > sm.max_barriers_per_block) {
    return 0;
  }
  return barriers == 0 || !sm.barriers_per_sm ? no_ceiling : *sm.barriers_per_sm / barriers;
}

/// Virtual resources: the pool divided among blocks, where there is one. (cudaOccMaxBlocksPerSMVirtualResource)
[[nodiscard]] constexpr int virtual_resource_ceiling(const SmLimits& sm, int count) noexcept {
  const int pool = sm.virtual_resources_per_sm.value_or(0);
  return count == 0 || pool == 0 ? no_ceiling : pool / count;
}

/// The six ceilings, in blocks per SM; no_ceiling where a resource does not limit.
struct Ceilings {
  int warps = 0;
  int blocks = 0;
  int registers = 0;
  int shared_memory = 0;
  int barriers = 0;
  int virtual_resources = 0;
};

/// Completes `answer`: the least ceiling is the answer (0 where the dimensions do not fit), and every resource whose
/// ceiling equals it binds; ties are real. (cudaOccMaxActiveBlocksPerMultiprocessor)
/// Written in place, never copied: a copy of what was just stored would wait for the stores.
constexpr void settle(Occupancy& answer, const Ceilings& ceilings, bool dimensions_fit) noexcept {
  const int least = std::min(
      std::min(std::min(ceilings.warps, ceilings.blocks), std::min(ceilings.registers, ceilings.shared_memory)),
      std::min(ceilings.barriers, ceilings.virtual_resources));
  const int active = dimensions_fit ? least : 0;
  answer.limiters.insert_if(ceilings.warps == active, Resource::Warps);
  answer.limiters.insert_if(ceilings.blocks == active, Resource::Blocks);
  answer.limiters.insert_if(ceilings.registers == active, Resource::Registers);
  answer.limiters.insert_if(ceilings.shared_memory == active, Resource::SharedMemory);
  answer.limiters.insert_if(ceilings.barriers == active, Resource::Barriers);
  answer.limiters.insert_if(ceilings.virtual_resources == active, Resource::VirtualResources);
  answer.active_blocks_per_sm = active;
  answer.active_warps_per_sm = active * answer.warps_per_block;
  answer.blocks_per_sm = {ceilings.warps,         ceilings.blocks,   ceilings.registers,
                          ceilings.shared_memory, ceilings.barriers, ceilings.virtual_resources};
}

}  // namespace occcalc::model
