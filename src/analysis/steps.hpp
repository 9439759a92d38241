/// How an input moves: the next value, up or down, at which anything can change. Between two of them nothing does, so
/// that a search visits a handful of values and is exact.
#pragma once

#include <limits>
#include <optional>

#include "occcalc/cliffs.hpp"

namespace occcalc::analysis {

/// A configuration of a part, and one input of it that moves.
class Mover {
 public:
  Mover(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch, Input input)
      : sm_(sm), kernel_(kernel), launch_(launch), input_(input) {}

  /// The answer with this value of the input, the others unchanged.
  [[nodiscard]] Occupancy at(std::int64_t value) const;

  /// The least value of the input.
  [[nodiscard]] std::int64_t least() const;
  /// The greatest value of the input.
  [[nodiscard]] std::int64_t greatest() const;

  /// The least greater value at which something can change; nullopt at the end. `active_blocks` are those at `value`:
  /// steps of other ceilings above them are left out.
  [[nodiscard]] std::optional<std::int64_t> next_up(std::int64_t value, int active_blocks) const;
  /// The greatest smaller value at which something can change.
  [[nodiscard]] std::optional<std::int64_t> next_down(std::int64_t value, int active_blocks) const;

 private:
  [[nodiscard]] std::optional<std::int64_t> registers_up(std::int64_t value) const;
  [[nodiscard]] std::optional<std::int64_t> registers_down(std::int64_t value) const;
  [[nodiscard]] std::optional<std::int64_t> memory_up(std::int64_t bytes, int active_blocks) const;
  [[nodiscard]] std::optional<std::int64_t> memory_down(std::int64_t bytes, int active_blocks) const;
  [[nodiscard]] std::optional<std::int64_t> carveout_next(std::int64_t value, bool up) const;

  const SmLimits& sm_;
  const KernelResources& kernel_;
  const LaunchConfig& launch_;
  Input input_;
};

/// The capacities that can be in force with a carveout preference, ascending: the preferred one, and those to which a
/// larger block raises it.
[[nodiscard]] CarveoutSizes capacities_in_force(const SmLimits& sm, const Carveout& carveout);

/// The most bytes of a block, static + dynamic, up to `at_most`, of which `blocks` fit; nullopt if even 0 bytes do not
/// fit so often. Fewer may not fit: on 3.x a larger block can raise the capacity.
[[nodiscard]] std::optional<std::int64_t> most_shared_memory(
    const SmLimits& sm, const LaunchConfig& launch, int blocks,
    std::int64_t at_most = std::numeric_limits<std::int64_t>::max());

/// The most registers per thread of which `blocks` blocks of `warps` warps fit; nullopt if not even 1.
[[nodiscard]] std::optional<int> most_registers(const SmLimits& sm, const LaunchConfig& launch, int warps, int blocks);

/// The most barriers per block of which `blocks` blocks fit; nullopt where barriers set no ceiling.
[[nodiscard]] std::optional<int> most_barriers(const SmLimits& sm, int blocks);

}  // namespace occcalc::analysis
