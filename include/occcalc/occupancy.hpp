/// @file
/// The resource model: how many blocks of a kernel fit on one SM, and what binds.
///
/// The rules are those of cuda_occupancy.h of CUDA 13.0; each is stated where it is computed (src/model/). Every
/// function here is thread-safe, throws nothing and allocates nothing.
#pragma once

#include <array>
#include <climits>
#include <cstdint>
#include <optional>
#include <string_view>

#include "occcalc/kernel.hpp"
#include "occcalc/sm_limits.hpp"

namespace occcalc {

/// The per-SM resources, in the order in which `limiters` are listed.
enum class Resource : std::uint8_t { Warps, Blocks, Registers, SharedMemory, Barriers, VirtualResources };

inline constexpr std::array all_resources = {Resource::Warps,        Resource::Blocks,   Resource::Registers,
                                             Resource::SharedMemory, Resource::Barriers, Resource::VirtualResources};

/// "warps", "blocks", "registers", "shared_memory", "barriers", "virtual_resources".
[[nodiscard]] constexpr std::string_view to_string(Resource resource) noexcept {
  constexpr std::array<std::string_view, all_resources.size()> names = {
      "warps", "blocks", "registers", "shared_memory", "barriers", "virtual_resources"};
  return names[static_cast<std::size_t>(resource)];
}

/// A set of resources, in one byte.
class ResourceSet {
 public:
  constexpr void insert_if(bool condition, Resource resource) noexcept {
    bits_ = static_cast<std::uint8_t>(bits_ | static_cast<unsigned>(condition) << static_cast<unsigned>(resource));
  }
  [[nodiscard]] constexpr ResourceSet with(Resource resource) const noexcept {
    ResourceSet set = *this;
    set.insert_if(true, resource);
    return set;
  }
  /// This set, or none; without a branch.
  [[nodiscard]] constexpr ResourceSet only_if(bool condition) const noexcept {
    ResourceSet set;
    set.bits_ = static_cast<std::uint8_t>(bits_ * static_cast<unsigned>(condition));
    return set;
  }
  [[nodiscard]] constexpr bool contains(Resource resource) const noexcept {
    return (bits_ >> static_cast<unsigned>(resource) & 1U) != 0;
  }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  /// The set as a number below 2^6: one bit a resource.
  [[nodiscard]] constexpr unsigned bits() const noexcept { return bits_; }
  friend constexpr bool operator==(const ResourceSet&, const ResourceSet&) = default;

 private:
  std::uint8_t bits_ = 0;
};

/// Stands in Occupancy::blocks_per_sm for a resource that does not limit.
inline constexpr int no_ceiling = INT_MAX;

/// The answer for one configuration on one SM.
struct Occupancy {
  int threads_per_block = 0;
  int warps_per_block = 0;
  int active_blocks_per_sm = 0;  ///< 0: cannot launch
  int active_warps_per_sm = 0;
  int max_warps_per_sm = 0;
  ResourceSet limiters{};                                 ///< every resource whose ceiling equals active_blocks_per_sm
  GlobalCaching global_caching = GlobalCaching::Off;      ///< the mode in force
  std::array<int, all_resources.size()> blocks_per_sm{};  ///< the ceilings by Resource; no_ceiling where none
  std::optional<std::int64_t> allocated_registers_per_block =
      std::nullopt;                                    ///< charged registers; nullopt: registers unknown
  std::int64_t allocated_shared_memory_per_block = 0;  ///< charged bytes, the reserve included
  std::int64_t shared_memory_per_sm = 0;               ///< the capacity in force after the carveout rules

  /// The blocks per SM that this resource alone allows; nullopt where it does not limit.
  [[nodiscard]] constexpr std::optional<int> ceiling(Resource resource) const noexcept {
    const int blocks = blocks_per_sm[static_cast<std::size_t>(resource)];
    return blocks == no_ceiling ? std::nullopt : std::optional(blocks);
  }
  [[nodiscard]] constexpr bool launchable() const noexcept { return active_blocks_per_sm > 0; }
  /// active_warps_per_sm / max_warps_per_sm, 0 to 1.
  [[nodiscard]] constexpr double fraction() const noexcept {
    return max_warps_per_sm == 0 ? 0.0 : static_cast<double>(active_warps_per_sm) / max_warps_per_sm;
  }
};

/// One ceiling, told in full. Requested amounts are as asked (threads, blocks, registers per thread, bytes ...).
struct Ceiling {
  Resource resource = Resource::Warps;
  std::optional<int> blocks_per_sm = std::nullopt;                 ///< nullopt: this resource does not limit
  std::optional<std::int64_t> requested = std::nullopt;            ///< nullopt: unknown
  std::optional<std::int64_t> allocated_per_block = std::nullopt;  ///< warps, blocks, registers, bytes, barriers, units
  std::optional<std::int64_t> available_per_sm =
      std::nullopt;          ///< in the unit of allocated_per_block; nullopt: unknown
  std::int64_t granule = 1;  ///< warps: threads; registers: per warp; shared memory: bytes
  std::optional<std::int64_t> wasted_per_block =
      std::nullopt;  ///< by rounding: lanes, registers, bytes; the reserve is no waste
  std::optional<std::int64_t> used_per_sm = std::nullopt;  ///< by the active blocks
  std::optional<int> slack_blocks = std::nullopt;          ///< blocks_per_sm - active blocks
  bool binds = false;
};

/// Blocks and warps per SM, what binds, and the charged amounts. Amounts that are charged stop at 2^63 - 1. A negative
/// amount, a dimension below 1 or limits that are not filled in mean nothing and give 0 blocks.
[[nodiscard]] Occupancy compute_occupancy(const SmLimits& sm, const KernelResources& kernel,
                                          const LaunchConfig& launch) noexcept;

/// All ceilings of an answer, in the order of all_resources.
[[nodiscard]] std::array<Ceiling, all_resources.size()> describe_ceilings(const SmLimits& sm,
                                                                          const KernelResources& kernel,
                                                                          const LaunchConfig& launch,
                                                                          const Occupancy& occupancy) noexcept;

/// The shared-memory capacity of the SM in bytes that a carveout preference stands for, before a larger block raises
/// it.
[[nodiscard]] std::int64_t preferred_shared_memory(const SmLimits& sm, const Carveout& carveout) noexcept;

/// The capacity in force for blocks that are charged `charged` bytes each: the preferred one, raised where it does not
/// hold one block.
[[nodiscard]] std::int64_t shared_memory_capacity(const SmLimits& sm, const Carveout& carveout,
                                                  std::int64_t charged) noexcept;

}  // namespace occcalc
