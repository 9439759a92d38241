/// @file
/// The limits of one SM, as plain numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "occcalc/kernel.hpp"

namespace occcalc {

/// Threads of a warp, the same on every part.
inline constexpr int warp_size = 32;

/// What a carveout preference can do on a part.
enum class CarveoutKind : std::uint8_t {
  Fixed,       ///< 5.x, 6.x: dedicated shared memory, one size
  Split,       ///< 3.x: cudaFuncSetCacheConfig picks one of three splits; percentages have no effect
  Preference,  ///< 7.0 on: a percentage of the largest, rounded up to a supported size
};

/// Where the L1 cache is.
enum class L1Kind : std::uint8_t {
  Unified,   ///< one store holds L1 and shared memory; what the carveout leaves is L1
  Separate,  ///< 5.x, 6.x: L1/texture cache of its own
};

/// The sizes in bytes that shared memory can be set to, in ascending order.
class CarveoutSizes {
 public:
  static constexpr std::size_t capacity = 16;

  constexpr CarveoutSizes() = default;
  constexpr CarveoutSizes(std::initializer_list<std::int64_t> sizes)
      : CarveoutSizes(std::span(sizes.begin(), sizes.size())) {}
  /// Takes the first 16 of `sizes`.
  constexpr explicit CarveoutSizes(std::span<const std::int64_t> sizes) : count_(std::min(sizes.size(), capacity)) {
    std::copy_n(sizes.begin(), count_, sizes_.begin());
  }

  [[nodiscard]] constexpr const std::int64_t* begin() const noexcept { return sizes_.data(); }
  [[nodiscard]] constexpr const std::int64_t* end() const noexcept { return sizes_.data() + count_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return count_; }
  [[nodiscard]] constexpr std::int64_t operator[](std::size_t index) const noexcept { return sizes_[index]; }
  /// The smallest size that is at least `bytes`; the largest size if none is.
  [[nodiscard]] constexpr std::int64_t at_least(std::int64_t bytes) const noexcept {
    for (const std::int64_t size : *this) {
      if (size >= bytes) {
        return size;
      }
    }
    return count_ == 0 ? 0 : sizes_[count_ - 1];
  }

 private:
  std::array<std::int64_t, capacity> sizes_{};
  std::size_t count_ = 0;
};

/// The resources of one SM and how they are charged. Bytes where the name says memory or size; counts otherwise.
/// The numbers of every known part, with their sources, are in data/architectures/.
struct SmLimits {
  int max_threads_per_block = 0;
  Dim3 max_block_dim;
  int max_threads_per_sm = 0;
  int max_warps_per_sm = 0;
  int max_blocks_per_sm = 0;

  int registers_per_sm = 0;
  int max_registers_per_block = 0;
  int max_registers_per_thread = 0;
  int register_allocation_unit = 0;  ///< registers; a warp is charged a multiple of this
  int sub_partitions = 0;            ///< each owns an equal share of the register file and serves whole warps
  int register_check_warps = 0;      ///< the per-block register check rounds a block's warps up to a multiple of this

  std::int64_t shared_memory_per_sm = 0;               ///< the largest capacity that can be set
  std::int64_t max_shared_memory_per_block = 0;        ///< without opt-in
  std::int64_t max_shared_memory_per_block_optin = 0;  ///< with opt-in; equal to the former where there is none
  std::int64_t reserved_shared_memory_per_block = 0;   ///< taken by the driver from every block, on top of its own
  std::int64_t shared_memory_allocation_unit = 0;      ///< a block is charged a multiple of this
  CarveoutKind carveout_kind = CarveoutKind::Fixed;
  CarveoutSizes carveouts;
  std::int64_t default_carveout = 0;  ///< what `default` and 100 % stand for; below the largest only on 10.7
  L1Kind l1_kind = L1Kind::Unified;
  std::int64_t l1_size = 0;  ///< Unified: the whole store, shared memory included; Separate: the cache

  int max_barriers_per_block = 0;
  std::optional<int> barriers_per_sm;           ///< nullopt: unknown, or no ceiling (before 9.0)
  std::optional<int> virtual_resources_per_sm;  ///< 0: the part has no such pool; nullopt: unknown
  bool partitioned_global_caching = false;
  int tensor_memory_columns = 0;               ///< 0: the part has no tensor memory
  std::optional<int> max_portable_cluster;     ///< blocks of a cluster; 1: no clusters; nullopt: unknown
  std::optional<int> max_nonportable_cluster;  ///< with cudaFuncAttributeNonPortableClusterSizeAllowed
};

/// Sets the largest shared-memory capacity, as a driver reports it: larger carveouts go, and the default follows.
constexpr void set_shared_memory_per_sm(SmLimits& limits, std::int64_t bytes) {
  std::array<std::int64_t, CarveoutSizes::capacity> sizes{};
  std::size_t count = 0;
  for (const std::int64_t size : limits.carveouts) {
    if (size < bytes && count + 1 < sizes.size()) {
      sizes[count++] = size;
    }
  }
  sizes[count++] = bytes;
  limits.carveouts = CarveoutSizes(std::span<const std::int64_t>(sizes.data(), count));
  limits.default_carveout =
      limits.default_carveout == limits.shared_memory_per_sm ? bytes : std::min(limits.default_carveout, bytes);
  limits.shared_memory_per_sm = bytes;
}

/// Calls `visit(name, field)` for every limit, in the order of the struct; the name is also the key in JSON and the
/// column in CSV. `Limits` is SmLimits or const SmLimits.
template <class Limits, class Visitor>
constexpr void for_each_limit(Limits& limits, Visitor&& visit) {
  using namespace std::string_view_literals;
  visit("max_threads_per_block"sv, limits.max_threads_per_block);
  visit("max_block_dim"sv, limits.max_block_dim);
  visit("max_threads_per_sm"sv, limits.max_threads_per_sm);
  visit("max_warps_per_sm"sv, limits.max_warps_per_sm);
  visit("max_blocks_per_sm"sv, limits.max_blocks_per_sm);
  visit("registers_per_sm"sv, limits.registers_per_sm);
  visit("max_registers_per_block"sv, limits.max_registers_per_block);
  visit("max_registers_per_thread"sv, limits.max_registers_per_thread);
  visit("register_allocation_unit"sv, limits.register_allocation_unit);
  visit("sub_partitions"sv, limits.sub_partitions);
  visit("register_check_warps"sv, limits.register_check_warps);
  visit("shared_memory_per_sm"sv, limits.shared_memory_per_sm);
  visit("max_shared_memory_per_block"sv, limits.max_shared_memory_per_block);
  visit("max_shared_memory_per_block_optin"sv, limits.max_shared_memory_per_block_optin);
  visit("reserved_shared_memory_per_block"sv, limits.reserved_shared_memory_per_block);
  visit("shared_memory_allocation_unit"sv, limits.shared_memory_allocation_unit);
  visit("carveout_kind"sv, limits.carveout_kind);
  visit("carveouts"sv, limits.carveouts);
  visit("default_carveout"sv, limits.default_carveout);
  visit("l1_kind"sv, limits.l1_kind);
  visit("l1_size"sv, limits.l1_size);
  visit("max_barriers_per_block"sv, limits.max_barriers_per_block);
  visit("barriers_per_sm"sv, limits.barriers_per_sm);
  visit("virtual_resources_per_sm"sv, limits.virtual_resources_per_sm);
  visit("partitioned_global_caching"sv, limits.partitioned_global_caching);
  visit("tensor_memory_columns"sv, limits.tensor_memory_columns);
  visit("max_portable_cluster"sv, limits.max_portable_cluster);
  visit("max_nonportable_cluster"sv, limits.max_nonportable_cluster);
}

/// What an estimate of the warps that hide latency starts from, in cycles of the SM clock. Measured by one warp, or one
/// thread, that waits for each result: without load, so that estimates from them are lower bounds.
struct Latencies {
  std::optional<int> dram_latency_cycles;  ///< of a load that misses every cache; nullopt: not measured
  std::optional<int> fma_latency_cycles;   ///< of an FP32 FMA, until a dependent one can start
  std::optional<int> fma_issue_cycles;     ///< for which the FMA of one warp holds the pipe of its scheduler
};

/// As for_each_limit().
template <class AnyLatencies, class Visitor>
constexpr void for_each_latency(AnyLatencies& latencies, Visitor&& visit) {
  using namespace std::string_view_literals;
  visit("dram_latency_cycles"sv, latencies.dram_latency_cycles);
  visit("fma_latency_cycles"sv, latencies.fma_latency_cycles);
  visit("fma_issue_cycles"sv, latencies.fma_issue_cycles);
}

/// "preference", "split", "fixed": the words of the data files.
[[nodiscard]] constexpr std::string_view to_string(CarveoutKind kind) noexcept {
  switch (kind) {
    case CarveoutKind::Fixed: return "fixed";
    case CarveoutKind::Split: return "split";
    case CarveoutKind::Preference: return "preference";
  }
  return "";
}

/// "unified", "separate": the words of the data files.
[[nodiscard]] constexpr std::string_view to_string(L1Kind kind) noexcept {
  return kind == L1Kind::Unified ? "unified" : "separate";
}

}  // namespace occcalc
