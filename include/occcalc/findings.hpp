/// @file
/// What there is to say about an answer beside its numbers: why a launch is impossible, and what to know about it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "occcalc/arch_catalog.hpp"
#include "occcalc/occupancy.hpp"

namespace occcalc {

/// Why 0 blocks fit. Codes are stable.
enum class ReasonCode : std::uint8_t {
  ThreadsPerBlock,  ///< threads; more than a block may have
  BlockDimX,        ///< size of a dimension
  BlockDimY,
  BlockDimZ,
  LaunchBounds,           ///< threads; more than the kernel was compiled for
  RequiredBlock,          ///< threads; the kernel was compiled for one block only, and this is another
  WarpsPerSm,             ///< warps; more than the SM (or its half, with global caching) has slots
  RegistersPerThread,     ///< registers of a thread
  RegistersPerBlock,      ///< registers, after rounding, against the per-block check
  RegistersPerSm,         ///< warps of a block against those whose registers the SM (or its half) can hold
  SharedMemoryPerBlock,   ///< bytes charged, the reserve included, against the most that a block may be charged
  SharedMemoryOptIn,      ///< the same against the limit without opt-in, where opting in would do
  BarriersPerBlock,       ///< named barriers of a block
  BarriersPerSm,          ///< named barriers against the SM's pool
  VirtualResourcesPerSm,  ///< units against the SM's pool
  RequiredCluster,        ///< blocks; the kernel was compiled for one cluster only, and this is another
  ClusterSize,            ///< blocks of a cluster, more than the part accepts
  ClusterGridX,           ///< blocks of a dimension of the grid; allowed: the next smaller multiple of the cluster's
  ClusterGridY,
  ClusterGridZ,
  ClusterPerGpc,  ///< blocks of a cluster, against those that one GPC (all SMs, where its size is unknown) can hold
  InvalidAmount,  ///< a negative amount, a dimension below 1, or limits that are not filled in
};

/// "threads_per_block", "block_dim_x", ...: the code in machine output.
[[nodiscard]] std::string_view to_string(ReasonCode code) noexcept;

/// One reason: what was requested and what is allowed, in the unit that the code names. Requested is above allowed, but
/// for RequiredBlock and RequiredCluster.
struct Reason {
  ReasonCode code = ReasonCode::InvalidAmount;
  std::int64_t requested = 0;
  std::int64_t allowed = 0;
};

/// Every reason why `occupancy` has 0 blocks; empty if it has some.
[[nodiscard]] std::vector<Reason> find_reasons(const SmLimits& sm, const KernelResources& kernel,
                                               const LaunchConfig& launch, const Occupancy& occupancy);

/// The same, added to `reasons`: a caller that has many keeps their memory.
void add_reasons(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch,
                 const Occupancy& occupancy, std::vector<Reason>& reasons);

/// What a user should know about an answer. Codes are stable.
enum class NoteCode : std::uint8_t {
  RegistersUnknown,         ///< registers were not given, so the answer is an upper bound
  Full,                     ///< every warp slot is taken: nothing to gain
  StrandedWarpSlots,        ///< value: warp slots that no whole block can use at the warp ceiling
  PartialWarp,              ///< value: idle lanes of the last warp
  StaticAboveDefault,       ///< value: static bytes; compilers refuse more than 48 KB
  OptInNeeded,              ///< value: bytes that cudaFuncAttributeMaxDynamicSharedMemorySize must allow
  CarveoutIgnored,          ///< a percentage, or a word, that the part cannot follow
  CarveoutRaised,           ///< value: the preferred capacity in bytes, below one block
  OversizedSharedMemory,    ///< value: a capacity above the default carveout is in force
  GlobalCachingIgnored,     ///< the part has no partitioned global caching
  GlobalCachingOff,         ///< turned off, because no block fits half an SM
  BarriersNotCounted,       ///< more than one barrier, on a part without a known pool
  VirtualResourcesIgnored,  ///< the part has no such pool
  VirtualResourcesUnknown,  ///< nobody knows whether the part has such a pool
  Confidence,               ///< the part's numbers are not of high confidence
  SubPartitionRounding,     ///< value: blocks that a plain division of the register file would give
  SpillRisk,                ///< value: registers per thread of a target that cuts them deeply
  IndependentWork,          ///< a target asks for more warps: independent work per thread substitutes for them
  SharedL1,                 ///< value: bytes of L1 per resident warp at the target
  OneBlockDesign,           ///< one block per SM can be the design of a tensor-core kernel
  LaunchRegisters,          ///< the registers of the launch decide residency, not setmaxnreg
  ClusterOptIn,             ///< value: blocks of a cluster above the portable size
  ClusterUnknown,           ///< the same, where nobody knows whether the part accepts so many
  NcuCarveout,              ///< value: a smaller carveout of as many blocks, at which ncu prints another limit
};

/// "registers_unknown", "full", ...: the code in machine output.
[[nodiscard]] std::string_view to_string(NoteCode code) noexcept;

struct Note {
  NoteCode code = NoteCode::RegistersUnknown;
  std::int64_t value = 0;  ///< in the unit that the code names
};

/// Every note that applies, the most important first.
[[nodiscard]] std::vector<Note> find_notes(const Architecture& architecture, const KernelResources& kernel,
                                           const LaunchConfig& launch, const Occupancy& occupancy);

struct Target;

/// What to consider before acting on the answer to a question, where it applies: of a target (null: none was asked
/// for), and of the capacity that was assumed.
[[nodiscard]] std::vector<Note> find_judgements(const Architecture& architecture, const KernelResources& kernel,
                                                const LaunchConfig& launch, const Occupancy& occupancy,
                                                const Target* target);

/// The smallest supported carveout in bytes at which as many blocks are resident as now; the capacity in force if none
/// smaller will do.
[[nodiscard]] std::int64_t smallest_sufficient_carveout(const SmLimits& sm, const Occupancy& occupancy) noexcept;

}  // namespace occcalc
