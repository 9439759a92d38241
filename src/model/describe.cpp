#include "model/ceilings.hpp"
#include "occcalc/occupancy.hpp"

namespace occcalc {

namespace {

using namespace model;

struct Asked {
  const SmLimits& sm;
  const KernelResources& kernel;
  const LaunchConfig& launch;
  const Occupancy& answer;
};

Ceiling describe_warps(const Asked& asked) noexcept {
  const int threads = asked.answer.threads_per_block;
  const int warps = asked.answer.warps_per_block;
  return {.requested = threads,
          .allocated_per_block = warps,
          .available_per_sm = asked.sm.max_warps_per_sm,
          .granule = warp_size,
          .wasted_per_block = std::int64_t{warps} * warp_size - threads};
}

Ceiling describe_blocks(const Asked& asked) noexcept {
  return {
      .requested = 1, .allocated_per_block = 1, .available_per_sm = asked.sm.max_blocks_per_sm, .wasted_per_block = 0};
}

Ceiling describe_registers(const Asked& asked) noexcept {
  Ceiling ceiling{.available_per_sm = asked.sm.registers_per_sm, .granule = asked.sm.register_allocation_unit};
  if (asked.kernel.registers_per_thread && asked.answer.allocated_registers_per_block) {
    const std::int64_t registers = *asked.kernel.registers_per_thread;
    const std::int64_t allocated = *asked.answer.allocated_registers_per_block;
    ceiling.requested = registers;
    ceiling.allocated_per_block = allocated;
    ceiling.wasted_per_block = allocated - registers * asked.answer.threads_per_block;
  }
  return ceiling;
}

Ceiling describe_shared_memory(const Asked& asked) noexcept {
  const std::int64_t bytes = shared_memory_bytes(asked.kernel, asked.launch);
  const std::int64_t charged = asked.answer.allocated_shared_memory_per_block;
  return {.requested = bytes,
          .allocated_per_block = charged,
          .available_per_sm = asked.answer.shared_memory_per_sm,
          .granule = asked.sm.shared_memory_allocation_unit,
          .wasted_per_block = charged - saturating_add(bytes, asked.sm.reserved_shared_memory_per_block)};
}

// A pool that is handed out one by one; nullopt where its size is unknown.
Ceiling describe_pool(std::int64_t count, std::optional<int> pool) noexcept {
  return {.requested = count, .allocated_per_block = count, .available_per_sm = pool, .wasted_per_block = 0};
}

Ceiling describe(Resource resource, const Asked& asked) noexcept {
  switch (resource) {
    case Resource::Warps: return describe_warps(asked);
    case Resource::Blocks: return describe_blocks(asked);
    case Resource::Registers: return describe_registers(asked);
    case Resource::SharedMemory: return describe_shared_memory(asked);
    case Resource::Barriers: return describe_pool(asked.kernel.barriers, asked.sm.barriers_per_sm);
    case Resource::VirtualResources:
      return describe_pool(asked.kernel.virtual_resources, asked.sm.virtual_resources_per_sm);
  }
  return {};
}

// blocks x amount; an amount near the end of 64 bits only goes with 0 blocks.
std::optional<std::int64_t> used(int blocks, std::optional<std::int64_t> per_block) noexcept {
  if (!per_block) {
    return std::nullopt;
  }
  return blocks == 0 ? 0 : blocks * *per_block;
}

}  // namespace

std::array<Ceiling, all_resources.size()> describe_ceilings(const SmLimits& sm, const KernelResources& kernel,
                                                            const LaunchConfig& launch,
                                                            const Occupancy& occupancy) noexcept {
  std::array<Ceiling, all_resources.size()> ceilings;
  for (const Resource resource : all_resources) {
    Ceiling& ceiling = ceilings[static_cast<std::size_t>(resource)];
    ceiling = describe(resource, {sm, kernel, launch, occupancy});
    ceiling.resource = resource;
    ceiling.blocks_per_sm = occupancy.ceiling(resource);
    const bool is_counted = ceiling.blocks_per_sm || ceiling.available_per_sm != 0;  // an ignored amount uses nothing
    ceiling.used_per_sm = is_counted ? used(occupancy.active_blocks_per_sm, ceiling.allocated_per_block) : std::nullopt;
    ceiling.binds = occupancy.limiters.contains(resource);
    if (ceiling.blocks_per_sm) {
      ceiling.slack_blocks = *ceiling.blocks_per_sm - occupancy.active_blocks_per_sm;
    }
  }
  return ceilings;
}

}  // namespace occcalc
