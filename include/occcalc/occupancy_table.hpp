/// @file
/// compute_occupancy() for many configurations of one SM.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "occcalc/occupancy.hpp"

namespace occcalc {

/// The ceilings of one SM, tabulated once: compute() then gives the same answer as compute_occupancy() several times as
/// fast. 20 KB, no allocation; const members are thread-safe. Worth it from about a thousand configurations on.
class OccupancyTable {
 public:
  explicit OccupancyTable(const SmLimits& sm) noexcept;

  [[nodiscard]] const SmLimits& limits() const noexcept { return sm_; }

  /// As compute_occupancy(limits(), kernel, launch).
  [[nodiscard]] Occupancy compute(const KernelResources& kernel, const LaunchConfig& launch) const noexcept {
    return is_tabulated(kernel, launch) ? look_up(kernel, launch) : compute_occupancy(sm_, kernel, launch);
  }

  /// As potential_block_size(limits(), kernel, launch) of block_sizes.hpp.
  [[nodiscard]] int potential_block_size(const KernelResources& kernel, const LaunchConfig& launch) const noexcept;

 private:
  static constexpr unsigned most_warps = 32;
  static constexpr unsigned most_register_classes = 33;
  static constexpr unsigned most_barriers = 16;
  static constexpr std::int64_t most_bytes = 1 << 24;

  // What the registers of a thread and the warps of a block decide together.
  struct Cell {
    int warp_blocks = 0;
    int register_blocks = 0;
    int least = 0;          // of warps, blocks and registers
    ResourceSet binding{};  // those of the three that equal `least`
  };

  [[nodiscard]] Cell cell(int registers, int warps) const noexcept;
  [[nodiscard]] bool is_tabulated(const KernelResources& kernel, const LaunchConfig& launch) const noexcept;
  [[nodiscard]] bool fits_dimensions(Dim3 block) const noexcept;
  [[nodiscard]] std::int64_t capacity(const Carveout& carveout, std::int64_t charged) const noexcept;
  [[nodiscard]] int virtual_resource_blocks(int count) const noexcept;
  [[nodiscard]] Occupancy look_up(const KernelResources& kernel, const LaunchConfig& launch) const noexcept;

  SmLimits sm_;
  Dim3 most_block_;                      // no dimension is above the threads of a block, so that products fit an int
  bool regular_ = false;                 // the part has the geometry that the tables assume
  unsigned most_registers_ = 0;          // per thread
  unsigned register_class_bits_ = 0;     // registers per thread of one class, as a power of two
  unsigned register_class_end_ = 0;      // the same less one
  std::int64_t shared_memory_base_ = 0;  // what rounding up adds: the reserve and the unit less one
  std::int64_t shared_memory_mask_ = 0;  // clears what is below the unit
  std::array<std::int64_t, 2> most_charged_{};  // bytes per block: without opt-in, with it
  std::array<int, most_barriers + 1> barrier_blocks_{};
  std::array<std::array<Cell, most_warps + 1>, most_register_classes> cells_{};
  // `least` of the cells once more, for blocks of 1 to 32 warps: narrow and side by side, a search takes eight at a
  // time.
  std::array<std::array<std::int16_t, most_warps>, most_register_classes> least_{};
};

// Inline, so that the caller's structs need not exist in memory; it is what makes the table worth having.

inline bool OccupancyTable::is_tabulated(const KernelResources& kernel, const LaunchConfig& launch) const noexcept {
  const auto bytes = static_cast<std::uint64_t>(kernel.static_shared_memory | launch.dynamic_shared_memory |
                                                launch.dynamic_shared_memory_per_thread);
  const auto registers = static_cast<unsigned>(kernel.registers_per_thread.value_or(-1));
  // One branch: they nearly always hold together.
  return (regular_ & (registers <= most_registers_) & (bytes < static_cast<std::uint64_t>(most_bytes)) &
          (static_cast<unsigned>(kernel.barriers) <= most_barriers) & (kernel.virtual_resources >= 0) &
          ((kernel.max_threads_per_block | kernel.required_block.x) == 0) &
          (launch.global_caching == GlobalCaching::Off)) != 0 &&
         fits_dimensions(launch.block);
}

inline bool OccupancyTable::fits_dimensions(Dim3 block) const noexcept {
  const auto within = [](int size, int most) { return static_cast<unsigned>(size) - 1 < static_cast<unsigned>(most); };
  // The product of three sizes within their limits fits an int.
  return within(block.x, most_block_.x) && within(block.y, most_block_.y) && within(block.z, most_block_.z) &&
         block.x * block.y * block.z <= sm_.max_threads_per_block;
}

inline Occupancy OccupancyTable::look_up(const KernelResources& kernel, const LaunchConfig& launch) const noexcept {
  const auto threads = static_cast<unsigned>(launch.block.x * launch.block.y * launch.block.z);
  const unsigned warps = (threads + warp_size - 1) / warp_size;
  const unsigned register_class =
      (static_cast<unsigned>(*kernel.registers_per_thread) + register_class_end_) >> register_class_bits_;
  const Cell& cell = cells_[register_class][warps];

  const std::int64_t charged = (kernel.static_shared_memory + launch.dynamic_shared_memory +
                                launch.dynamic_shared_memory_per_thread * threads + shared_memory_base_) &
                               shared_memory_mask_;
  const std::int64_t in_force = capacity(launch.carveout, charged);
  int shared_memory_blocks = 0;
  if (charged == 0) {
    shared_memory_blocks = no_ceiling;
  } else if (charged <= most_charged_[launch.opt_in ? 1 : 0]) {
    // 32 bits hold both: a division there is far faster than in 64.
    shared_memory_blocks = static_cast<int>(static_cast<std::uint32_t>(in_force) / static_cast<std::uint32_t>(charged));
  }
  const int barrier_blocks = barrier_blocks_[static_cast<unsigned>(kernel.barriers)];
  const int virtual_blocks =
      kernel.virtual_resources == 0 ? no_ceiling : virtual_resource_blocks(kernel.virtual_resources);
  const int least = std::min(std::min(cell.least, shared_memory_blocks), std::min(barrier_blocks, virtual_blocks));

  ResourceSet limiters = cell.binding.only_if(cell.least == least);
  limiters.insert_if(shared_memory_blocks == least, Resource::SharedMemory);
  limiters.insert_if(barrier_blocks == least, Resource::Barriers);
  limiters.insert_if(virtual_blocks == least, Resource::VirtualResources);
  return {.threads_per_block = static_cast<int>(threads),
          .warps_per_block = static_cast<int>(warps),
          .active_blocks_per_sm = least,
          .active_warps_per_sm = least * static_cast<int>(warps),
          .max_warps_per_sm = sm_.max_warps_per_sm,
          .limiters = limiters,
          .blocks_per_sm = {cell.warp_blocks, sm_.max_blocks_per_sm, cell.register_blocks, shared_memory_blocks,
                            barrier_blocks, virtual_blocks},
          .allocated_registers_per_block = std::int64_t{register_class} * warps * sm_.register_allocation_unit,
          .allocated_shared_memory_per_block = charged,
          .shared_memory_per_sm = in_force};
}

inline std::int64_t OccupancyTable::capacity(const Carveout& carveout, std::int64_t charged) const noexcept {
  if (carveout.kind == Carveout::Kind::Default && sm_.default_carveout >= charged) {
    return sm_.default_carveout;
  }
  return shared_memory_capacity(sm_, carveout, charged);
}

}  // namespace occcalc
