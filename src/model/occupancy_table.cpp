#include "occcalc/occupancy_table.hpp"

#include <algorithm>
#include <bit>

#include "model/ceilings.hpp"
#include "occcalc/block_sizes.hpp"

namespace occcalc {

namespace {

using namespace model;

constexpr int most_sm_warps = 128;  // resident warps x 64 must fit 16 bits
constexpr int size_factor = 64;     // above any block's warps

bool is_power_of_two(std::int64_t number) noexcept { return std::has_single_bit(static_cast<std::uint64_t>(number)); }

}  // namespace

OccupancyTable::OccupancyTable(const SmLimits& sm) noexcept : sm_(sm) {
  if (compute_occupancy(sm, {}, {.block = {1}}).warps_per_block == 0) {
    return;  // limits that mean nothing: the model says so
  }
  const int class_registers = sm.register_allocation_unit / warp_size;
  const std::int64_t unit = sm.shared_memory_allocation_unit;
  regular_ = sm.max_warps_per_sm <= most_sm_warps && sm.max_threads_per_block % warp_size == 0 &&
             sm.max_threads_per_block <= static_cast<int>(most_warps) * warp_size &&
             sm.register_allocation_unit % warp_size == 0 && class_registers > 0 && is_power_of_two(class_registers) &&
             sm.max_registers_per_thread <= static_cast<int>(most_register_classes - 1) * class_registers && unit > 0 &&
             is_power_of_two(unit) && sm.shared_memory_per_sm < most_bytes;
  if (!regular_) {
    return;
  }
  most_block_ = {std::min(sm.max_block_dim.x, sm.max_threads_per_block),
                 std::min(sm.max_block_dim.y, sm.max_threads_per_block),
                 std::min(sm.max_block_dim.z, sm.max_threads_per_block)};
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
      const bool is_size = static_cast<int>(warps) * warp_size <= sm.max_threads_per_block;
      least_[row][warps - 1] = static_cast<std::int16_t>(is_size ? cells_[row][warps].least : 0);
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

int OccupancyTable::potential_block_size(const KernelResources& kernel, const LaunchConfig& launch) const noexcept {
  LaunchConfig smallest = launch;
  smallest.block = {1};
  if (launch.dynamic_shared_memory_per_thread != 0 || !is_tabulated(kernel, smallest)) {
    return occcalc::potential_block_size(sm_, kernel, launch);
  }
  // Only warps and registers depend on the block; the others allow the same number of blocks of any size.
  const Occupancy one_warp = look_up(kernel, smallest);
  const auto others = [&one_warp](Resource resource) {
    return one_warp.blocks_per_sm[static_cast<std::size_t>(resource)];
  };
  const auto most = static_cast<std::int16_t>(std::min(
      {others(Resource::SharedMemory), others(Resource::Barriers), others(Resource::VirtualResources), most_sm_warps}));
  const unsigned row =
      (static_cast<unsigned>(*kernel.registers_per_thread) + register_class_end_) >> register_class_bits_;
  // Resident warps in the upper bits, the block's warps in the lower: the greatest is the answer, the larger block of a
  // tie included, without a branch.
  std::int16_t best = 0;
  for (std::size_t i = 0; i < most_warps; ++i) {
    const auto warps = static_cast<std::int16_t>(i + 1);
    const auto resident = static_cast<std::int16_t>(std::min(least_[row][i], most) * warps);
    best = std::max(best, static_cast<std::int16_t>(resident * size_factor + warps));
  }
  return best < size_factor ? 0 : best % size_factor * warp_size;
}

}  // namespace occcalc
