/// @file
/// Nothing but the resident blocks, for millions of configurations of one SM.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "occcalc/occupancy.hpp"

namespace occcalc {

/// active_blocks_per_sm by registers, block size and shared memory, all else being the same: two look-ups and a
/// minimum, more than ten times as fast as cuda_occupancy.h. About 15 KB; const members are thread-safe. Worth it from
/// a thousand configurations on.
class ActiveBlocksTable {
 public:
  /// Of `kernel` the barriers, virtual resources and launch bounds count, of `launch` the carveout, the opt-in and the
  /// caching. Throws std::bad_alloc.
  explicit ActiveBlocksTable(const SmLimits& sm, const KernelResources& kernel = {}, const LaunchConfig& launch = {});

  /// As compute_occupancy(): `threads` in one dimension, `bytes` of static and dynamic shared memory together.
  [[nodiscard]] int active_blocks(int registers_per_thread, int threads, std::int64_t bytes) const noexcept {
    const auto registers = static_cast<std::size_t>(static_cast<unsigned>(registers_per_thread));
    const auto size = static_cast<std::size_t>(static_cast<unsigned>(threads) + warp_size - 1) / warp_size;
    if (registers >= rows_.size() || static_cast<std::uint64_t>(bytes) >= most_bytes_ ||
        static_cast<unsigned>(threads) - 1U >= most_threads_) {
      return compute_alone(registers_per_thread, threads, bytes);
    }
    const int by_registers_and_warps = cells_[rows_[registers] + size];
    const int by_memory = memory_blocks_[static_cast<std::size_t>(bytes + memory_base_) >> memory_unit_bits_];
    return by_registers_and_warps < by_memory ? by_registers_and_warps : by_memory;
  }

  /// The same for each index. The spans are of one size.
  void active_blocks(std::span<const int> registers_per_thread, std::span<const int> threads,
                     std::span<const std::int64_t> bytes, std::span<int> blocks) const noexcept {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      blocks[i] = active_blocks(registers_per_thread[i], threads[i], bytes[i]);
    }
  }

 private:
  void tabulate_registers();
  void tabulate_memory();
  [[nodiscard]] int compute_alone(int registers_per_thread, int threads, std::int64_t bytes) const noexcept;

  SmLimits sm_;
  KernelResources kernel_;
  LaunchConfig launch_;
  unsigned most_threads_ = 0;          // of a block in the tables; 0: there are none, the model is asked
  std::uint64_t most_bytes_ = 0;       // the first that the tables do not hold
  std::int64_t memory_base_ = 0;       // what rounding up adds: the reserve and the unit less one
  unsigned memory_unit_bits_ = 0;      // the allocation unit as a power of two
  std::vector<std::uint32_t> rows_{};  // by registers per thread: where its row of cells begins
  std::vector<int> cells_{};           // by warps of a block, a row for each number of registers that a warp is charged
  std::vector<int> memory_blocks_{};   // by allocation units charged
};

}  // namespace occcalc
