/// @file
/// The inverse questions: what N resident blocks allow, what it takes to get there, what makes a launch possible.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "occcalc/cliffs.hpp"
#include "occcalc/occupancy.hpp"

namespace occcalc {

/// What this many resident blocks allow, at the block size and the carveout preference of the question. They are
/// resident exactly when all the maxima hold: each is the most that its own ceiling allows. (On 3.x with a small
/// carveout preference fewer bytes can fit less often: only a larger block raises the capacity.)
struct BudgetRow {
  int active_blocks_per_sm = 0;
  double occupancy = 0;
  bool reachable = false;                                   ///< by changing registers, shared memory, barriers
  std::optional<int> max_registers_per_thread{};            ///< nullopt: not even 1
  std::optional<std::int64_t> max_dynamic_shared_memory{};  ///< bytes beside the static part; nullopt: not even 0
  std::optional<int> max_barriers{};                        ///< nullopt: they set no ceiling
  std::optional<std::int64_t> min_carveout{};  ///< bytes, at the shared memory of the question; nullopt: none will do
  std::int64_t l1_left = 0;  ///< bytes of L1 at that carveout (at the capacity in force where none will do)
  ResourceSet limiters{};    ///< why not reachable
  bool current = false;      ///< so many are resident now
};

/// One row for each number of blocks from 1 to what warp slots and block slots can hold, ascending.
[[nodiscard]] std::vector<BudgetRow> find_budget(const SmLimits& sm, const KernelResources& kernel,
                                                 const LaunchConfig& launch);

/// One input that must change, and the value nearest to the current one that will do.
struct Change {
  Input input = Input::RegistersPerThread;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

/// What it takes to have at least `row.active_blocks_per_sm` blocks resident.
struct Target {
  BudgetRow row{};
  /// The least dynamic bytes to add so that exactly this many are resident, 0 if already so; nullopt where registers or
  /// shared memory already forbid it, or no amount gives exactly this many.
  std::optional<std::int64_t> padding_shared_memory{};
  std::vector<Change> changes{};  ///< all of them together; empty if nothing is missing, or the row is not reachable
};

/// For `blocks` at least 1.
[[nodiscard]] Target find_target(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch,
                                 int blocks);

/// The least number of blocks that gives at least this share of the warp slots, 0 to 1; at least 1.
[[nodiscard]] int blocks_for_occupancy(const SmLimits& sm, const LaunchConfig& launch, double occupancy) noexcept;

/// For a launch that is impossible: changes of which each alone makes it possible, the least (relative to its value)
/// first. Where no single one does, those that must be made together, and `together` is set.
struct Remedies {
  std::vector<Change> changes{};
  bool together = false;
};

[[nodiscard]] Remedies find_remedies(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch);

}  // namespace occcalc
