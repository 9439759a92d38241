#include "occcalc/occupancy.hpp"

#include <algorithm>

#include "model/ceilings.hpp"

namespace occcalc {

namespace {

using namespace model;

// Limits that were never filled in would divide by zero.
bool are_filled_in(const SmLimits& sm) noexcept {
  const int least_count = std::min({sm.max_threads_per_block, sm.max_warps_per_sm, sm.max_blocks_per_sm,
                                    sm.registers_per_sm, sm.max_registers_per_block, sm.max_registers_per_thread,
                                    sm.register_allocation_unit, sm.sub_partitions, sm.register_check_warps});
  const std::int64_t least_size = std::min({sm.shared_memory_per_sm, sm.max_shared_memory_per_block,
                                            sm.max_shared_memory_per_block_optin, sm.shared_memory_allocation_unit});
  return least_count > 0 && least_size > 0 && sm.reserved_shared_memory_per_block >= 0;
}

bool means_something(const KernelResources& kernel, const LaunchConfig& launch, int threads) noexcept {
  return threads > 0 &&
         (kernel.registers_per_thread.value_or(0) | kernel.barriers | kernel.virtual_resources |
          kernel.max_threads_per_block) >= 0 &&
         (kernel.static_shared_memory | launch.dynamic_shared_memory | launch.dynamic_shared_memory_per_thread) >= 0;
}

}  // namespace

Occupancy compute_occupancy(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch) noexcept {
  Occupancy answer;
  answer.threads_per_block = thread_count(launch.block);
  answer.max_warps_per_sm = sm.max_warps_per_sm;
  if (!are_filled_in(sm) || !means_something(kernel, launch, answer.threads_per_block)) {
    return answer;
  }
  const int warps = ceil_div(answer.threads_per_block, warp_size);
  answer.warps_per_block = warps;
  answer.global_caching = sm.partitioned_global_caching ? launch.global_caching : GlobalCaching::Off;

  Ceilings ceilings{.blocks = sm.max_blocks_per_sm, .registers = no_ceiling};
  if (kernel.registers_per_thread) {  // before the warps: it may turn global caching off
    ceilings.registers = register_ceiling(sm, *kernel.registers_per_thread, warps, answer.global_caching);
    answer.allocated_registers_per_block = registers_per_warp(sm, *kernel.registers_per_thread) * warps;
  }
  ceilings.warps = warp_ceiling(sm, answer.threads_per_block, warps, answer.global_caching);

  const std::int64_t charged = charged_shared_memory(sm, shared_memory_bytes(kernel, launch));
  answer.allocated_shared_memory_per_block = charged;
  answer.shared_memory_per_sm = shared_memory_capacity(sm, launch.carveout, charged);
  ceilings.shared_memory = shared_memory_ceiling(sm, charged, answer.shared_memory_per_sm, launch.opt_in);

  ceilings.barriers = barrier_ceiling(sm, kernel.barriers);
  ceilings.virtual_resources = virtual_resource_ceiling(sm, kernel.virtual_resources);
  settle(answer, ceilings,
         fits_dimensions(sm, launch.block) && fits_launch_bounds(kernel, answer.threads_per_block) &&
             is_required_block(kernel, launch.block));
  return answer;
}

}  // namespace occcalc
