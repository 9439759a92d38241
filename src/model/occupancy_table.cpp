#include "occcalc/occupancy_table.hpp"

#include <algorithm>
#include <bit>

#include "model/ceilings.hpp"

namespace occcalc {

namespace {

using namespace model;

bool is_power_of_two(std::int64_t number) noexcept { return std::has_single_bit(static_cast<std::uint64_t>(number)); }

}  // namespace

OccupancyTable::OccupancyTable(const SmLimits& sm) noexcept : sm_(sm) {
  if (compute_occupancy(sm, {}, {.block = {1}}).warps_per_block == 0) {
    return;  // limits that mean nothing: the model says so
  }
  const int class_registers = sm.register_allocation_unit / warp_size;
  const std::int64_t unit = sm.shared_memory_allocation_unit;
  regular_ = sm.max_threads_per_block <= static_cast<int>(most_warps) * warp_size &&
             sm.register_allocation_unit % warp_size == 0 && class_registers > 0 && is_power_of_two(class_registers) &&
             sm.max_registers_per_thread <= static_cast<int>(most_register_classes - 1) * class_registers && unit > 0 &&
             is_power_of_two(unit) && sm.shared_memory_per_sm < most_bytes;
  if (!regular_) {
    return;
  }
  most_registers_ = static_cast<unsigned>(sm.max_registers_per_thread);
  register_class_bits_ = static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(class_registers)));
  register_class_end_ = static_cast<unsigned>(class_registers) - 1;
  shared_memory_base_ = sm.reserved_shared_memory_per_block + unit - 1;
  shared_memory_mask_ = ~(unit - 1);
  most_charged_ = {max_charged_shared_memory(sm, false), max_charged_shared_memory(sm, true)};
  for (unsigned barriers = 0; barriers <= most_barriers; ++barriers) {
    barrier_blocks_[barriers] = barrier_ceiling(sm, static_cast<int>(barriers));
  }
  for (unsigned row = 0; row < most_register_classes; ++row) {
    for (unsigned warps = 1; warps <= most_warps; ++warps) {
      cells_[row][warps] = cell(static_cast<int>(row) * class_registers, static_cast<int>(warps));
    }
  }
}

OccupancyTable::Cell OccupancyTable::cell(int registers, int warps) const noexcept {
  GlobalCaching off = GlobalCaching::Off;
  const int threads = std::min(warps * warp_size, sm_.max_threads_per_block);
  const Ceilings ceilings{
      .warps = warp_ceiling(sm_, threads, warps, off),
      .blocks = sm_.max_blocks_per_sm,
      .registers = register_ceiling(sm_, std::min(registers, sm_.max_registers_per_thread), warps, off),
      .shared_memory = no_ceiling,
      .barriers = no_ceiling,
      .virtual_resources = no_ceiling};
  Occupancy alone;
  settle(alone, ceilings, true);
  return {ceilings.warps, ceilings.registers, alone.active_blocks_per_sm, alone.limiters};
}

int OccupancyTable::virtual_resource_blocks(int count) const noexcept { return virtual_resource_ceiling(sm_, count); }

}  // namespace occcalc
