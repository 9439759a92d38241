#include "occcalc/active_blocks_table.hpp"

#include <algorithm>
#include <bit>

#include "model/ceilings.hpp"

namespace occcalc {

using namespace model;

namespace {

// Custom limits beyond these are left to the model.
constexpr int most_registers = 1023;
constexpr int most_threads = 4096;
constexpr std::int64_t most_units = 1 << 14;

}  // namespace

ActiveBlocksTable::ActiveBlocksTable(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch)
    : sm_(sm), kernel_(kernel), launch_(launch) {
  const bool means_something = compute_occupancy(sm, kernel, {.block = {1}}).warps_per_block > 0;
  if (!means_something || kernel.required_block.x != 0 || sm.max_registers_per_thread > most_registers ||
      sm.max_threads_per_block > most_threads ||
      !std::has_single_bit(static_cast<std::uint64_t>(sm.shared_memory_allocation_unit)) ||
      max_charged_shared_memory(sm, true) / sm.shared_memory_allocation_unit > most_units) {
    return;
  }
  tabulate_registers();
  tabulate_memory();
  const int bounds = kernel.max_threads_per_block > 0 ? kernel.max_threads_per_block : sm.max_threads_per_block;
  most_threads_ = static_cast<unsigned>(std::clamp(sm.max_block_dim.x, 0, std::min(bounds, sm.max_threads_per_block)));
}

void ActiveBlocksTable::tabulate_registers() {
  const int most_warps = ceil_div(sm_.max_threads_per_block, warp_size);
  const int others = std::min({sm_.max_blocks_per_sm, barrier_ceiling(sm_, kernel_.barriers),
                               virtual_resource_ceiling(sm_, kernel_.virtual_resources)});
  std::int64_t charged = -1;
  for (int registers = 0; registers <= sm_.max_registers_per_thread; ++registers) {
    if (const std::int64_t per_warp = registers_per_warp(sm_, registers); per_warp != charged) {
      charged = per_warp;
      cells_.push_back(0);  // of no warps
      for (int warps = 1; warps <= most_warps; ++warps) {
        GlobalCaching caching = sm_.partitioned_global_caching ? launch_.global_caching : GlobalCaching::Off;
        const int by_registers = register_ceiling(sm_, registers, warps, caching);
        cells_.push_back(std::min({others, by_registers, warp_ceiling(sm_, warps, warps, caching)}));
      }
    }
    rows_.push_back(static_cast<std::uint32_t>(cells_.size()) - static_cast<std::uint32_t>(most_warps) - 1);
  }
}

void ActiveBlocksTable::tabulate_memory() {
  const std::int64_t unit = sm_.shared_memory_allocation_unit;
  memory_unit_bits_ = static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(unit)));
  memory_base_ = sm_.reserved_shared_memory_per_block + unit - 1;
  const std::int64_t units = max_charged_shared_memory(sm_, true) / unit + 1;
  for (std::int64_t charged = 0; charged <= units * unit; charged += unit) {
    const std::int64_t capacity = shared_memory_capacity(sm_, launch_.carveout, charged);
    memory_blocks_.push_back(shared_memory_ceiling(sm_, charged, capacity, launch_.opt_in));
  }
  most_bytes_ = static_cast<std::uint64_t>(units * unit - sm_.reserved_shared_memory_per_block);
}

int ActiveBlocksTable::compute_alone(int registers_per_thread, int threads, std::int64_t bytes) const noexcept {
  KernelResources kernel = kernel_;
  kernel.registers_per_thread = registers_per_thread;
  kernel.static_shared_memory = 0;
  LaunchConfig launch = launch_;
  launch.block = {threads};
  launch.dynamic_shared_memory = bytes;
  launch.dynamic_shared_memory_per_thread = 0;
  return compute_occupancy(sm_, kernel, launch).active_blocks_per_sm;
}

}  // namespace occcalc
