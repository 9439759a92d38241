#include "occcalc/occupancy.hpp"

#include "model/ceilings.hpp"

namespace occcalc {

namespace {

using namespace model;

bool fits_dimensions(const SmLimits& sm, Dim3 block) noexcept {
  return block.x <= sm.max_block_dim.x && block.y <= sm.max_block_dim.y && block.z <= sm.max_block_dim.z;
}

bool means_something(const KernelResources& kernel, const LaunchConfig& launch, int threads) noexcept {
  return threads > 0 && (kernel.registers_per_thread.value_or(0) | kernel.barriers | kernel.virtual_resources) >= 0 &&
         (kernel.static_shared_memory | launch.dynamic_shared_memory) >= 0;
}

}  // namespace

Occupancy compute_occupancy(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch) noexcept {
  Occupancy answer;
  answer.threads_per_block = thread_count(launch.block);
  answer.max_warps_per_sm = sm.max_warps_per_sm;
  if (!means_something(kernel, launch, answer.threads_per_block)) {
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

  const std::int64_t charged =
      charged_shared_memory(sm, saturating_add(kernel.static_shared_memory, launch.dynamic_shared_memory));
  answer.allocated_shared_memory_per_block = charged;
  answer.shared_memory_per_sm = shared_memory_capacity(sm, launch.carveout, charged);
  ceilings.shared_memory = shared_memory_ceiling(sm, charged, answer.shared_memory_per_sm, launch.opt_in);

  ceilings.barriers = barrier_ceiling(sm, kernel.barriers);
  ceilings.virtual_resources = virtual_resource_ceiling(sm, kernel.virtual_resources);
  settle(answer, ceilings, fits_dimensions(sm, launch.block));
  return answer;
}

}  // namespace occcalc
