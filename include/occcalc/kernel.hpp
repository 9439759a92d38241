/// @file
/// What a launch asks of an SM: the kernel's own resources and the launch configuration.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace occcalc {

/// A block's dimensions, as in `dim3`; each at least 1.
struct Dim3 {
  int x = 1;
  int y = 1;
  int z = 1;

  friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};

/// x * y * z, at most INT_MAX (larger products stay there); 0 if a dimension is below 1.
[[nodiscard]] constexpr int thread_count(Dim3 block) noexcept {
  constexpr std::int64_t most = 2147483647;
  if (block.x < 1 || block.y < 1 || block.z < 1) {
    return 0;
  }
  const std::int64_t area = std::int64_t{block.x} * block.y;
  if (area > most || area * block.z > most) {
    return static_cast<int>(most);
  }
  return static_cast<int>(area * block.z);
}

/// What the compiled kernel holds, as `ptxas -v` or cudaFuncAttributes report it. No count may be negative.
struct KernelResources {
  std::optional<int> registers_per_thread =
      std::nullopt;                       ///< nullopt: unknown, not counted. 0 is valid and charges nothing.
  std::int64_t static_shared_memory = 0;  ///< bytes per block
  int barriers = 1;                       ///< named barriers per block, 0 to 16
  int virtual_resources = 0;              ///< units of the pool that 10.x to 12.x have, held by tensor-memory kernels
  int max_threads_per_block = 0;          ///< of the launch bounds it was compiled for; 0: none, or unknown
  Dim3 required_block{0, 0, 0};           ///< the only block it was compiled for (.reqntid); 0: any, or unknown
};

/// The preference for how much of the SM's memory is shared memory (cudaFuncAttributePreferredSharedMemoryCarveout,
/// cudaFuncCachePrefer...). What it comes to on a part: shared_memory_capacity() in occupancy.hpp.
struct Carveout {
  enum class Kind : std::uint8_t { Default, MaxL1, MaxShared, Equal, Percent, Bytes };

  Kind kind = Kind::Default;
  std::int64_t value = 0;  ///< Percent: 0 to 100 of the largest; Bytes: a size that the part supports

  static constexpr Carveout percent(int value) noexcept { return {Kind::Percent, value}; }
  static constexpr Carveout bytes(std::int64_t value) noexcept { return {Kind::Bytes, value}; }

  friend constexpr bool operator==(const Carveout&, const Carveout&) = default;
};

/// Partitioned global caching on 5.2, 5.3, 6.1 and 6.2 (ptxas -dlcm=ca): a block then lives in one half of the SM.
/// On: turned off by the hardware where no block would fit; Strict: never turned off.
enum class GlobalCaching : std::uint8_t { Off, On, Strict };

/// How the kernel is launched, on a device in a given state.
struct LaunchConfig {
  Dim3 block{};                                       ///< threads per block
  std::int64_t dynamic_shared_memory = 0;             ///< bytes per block, the third launch parameter
  std::int64_t dynamic_shared_memory_per_thread = 0;  ///< bytes more for each thread: buffers that grow with the block
  Carveout carveout{};
  bool opt_in = true;  ///< cudaFuncAttributeMaxDynamicSharedMemorySize is raised as far as the launch needs
  GlobalCaching global_caching = GlobalCaching::Off;
};

/// a + b, at most 2^63 - 1.
[[nodiscard]] constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) noexcept {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return a > most - b ? most : a + b;
}

/// The dynamic bytes of a block in all, what grows with its threads included; at most 2^63 - 1.
[[nodiscard]] constexpr std::int64_t dynamic_bytes(const LaunchConfig& launch) noexcept {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t per_thread = launch.dynamic_shared_memory_per_thread;
  const int threads = thread_count(launch.block);
  if (per_thread == 0 || threads == 0) {
    return launch.dynamic_shared_memory;
  }
  return saturating_add(launch.dynamic_shared_memory, per_thread > most / threads ? most : per_thread * threads);
}

/// Static and dynamic bytes of a block; at most 2^63 - 1.
[[nodiscard]] constexpr std::int64_t shared_memory_bytes(const KernelResources& kernel,
                                                         const LaunchConfig& launch) noexcept {
  return saturating_add(kernel.static_shared_memory, dynamic_bytes(launch));
}

}  // namespace occcalc
