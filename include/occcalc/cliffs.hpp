/// @file
/// Cliffs: the values of an input at which resident warps change, exact, not sampled.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "occcalc/occupancy.hpp"

namespace occcalc {

/// What a user can change.
enum class Input : std::uint8_t {
  RegistersPerThread,  ///< 1 to the part's maximum per thread
  SharedMemory,        ///< bytes per block, static + dynamic; 0 to one above the most of a block
  ThreadsPerBlock,     ///< whole warps, up to the largest block
  Barriers,            ///< per block, 0 to the part's maximum
  Carveout,            ///< bytes; the supported sizes
};

inline constexpr std::array all_inputs = {Input::RegistersPerThread, Input::SharedMemory, Input::ThreadsPerBlock,
                                          Input::Barriers, Input::Carveout};

/// "registers_per_thread", "shared_memory", "threads_per_block", "barriers", "carveout".
[[nodiscard]] std::string_view to_string(Input input) noexcept;

/// The value that a configuration has for an input; nullopt: registers unknown.
[[nodiscard]] std::optional<std::int64_t> current_value(const KernelResources& kernel, const LaunchConfig& launch,
                                                        const Occupancy& occupancy, Input input) noexcept;

/// A value at which resident warps differ from the current ones, and the answer there.
struct Cliff {
  Input input = Input::RegistersPerThread;
  std::int64_t value = 0;
  std::int64_t change = 0;  ///< value less the current value: the side
  bool gain = false;        ///< more warps; fewer otherwise
  Occupancy occupancy{};
};

/// The nearest smaller and the nearest larger value of each input at which resident warps change: at most two an input,
/// in the order of all_inputs, the smaller first.
[[nodiscard]] std::vector<Cliff> find_cliffs(const SmLimits& sm, const KernelResources& kernel,
                                             const LaunchConfig& launch);

/// Values of one input that have the same number of resident blocks and warps.
struct Stair {
  std::int64_t from = 0;
  std::int64_t to = 0;
  Occupancy occupancy{};  ///< at `from`
};

struct Staircase {
  Input input = Input::RegistersPerThread;
  std::vector<Stair> stairs;
};

/// The nearest value of an input, on either side, at which more warps are resident; nullopt if there is none. (The
/// nearest change of a block size can be a loss, and a gain lie behind it.)
[[nodiscard]] std::optional<Cliff> find_nearest_gain(const SmLimits& sm, const KernelResources& kernel,
                                                     const LaunchConfig& launch, Input input);

/// The whole staircase of each input, ascending. An input that does nothing on the part (a single carveout, barriers
/// without a pool) has one stair.
[[nodiscard]] std::vector<Staircase> find_staircases(const SmLimits& sm, const KernelResources& kernel,
                                                     const LaunchConfig& launch);

/// Where ceilings tie, moving one gains nothing: what must hold together for `active_blocks_per_sm` blocks.
struct JointCliff {
  int active_blocks_per_sm = 0;
  double occupancy = 0;
  std::optional<std::int64_t> max_registers_per_thread{};  ///< set for the inputs that must move
  std::optional<std::int64_t> max_shared_memory{};         ///< bytes, static + dynamic
  std::optional<std::int64_t> max_barriers{};
};

/// nullopt unless several of registers, shared memory and barriers bind, and moving them together gains something.
[[nodiscard]] std::optional<JointCliff> find_joint_cliff(const SmLimits& sm, const KernelResources& kernel,
                                                         const LaunchConfig& launch);

}  // namespace occcalc
