#include "occcalc/findings.hpp"

#include <array>

#include "model/ceilings.hpp"
#include "occcalc/budget.hpp"

namespace occcalc {

namespace {

using namespace model;

struct Launch {
  const SmLimits& sm;
  const KernelResources& kernel;
  const LaunchConfig& config;
  const Occupancy& answer;

  [[nodiscard]] bool forbids(Resource resource) const { return answer.ceiling(resource) == 0; }
};

class Reasons {
 public:
  explicit Reasons(std::vector<Reason>& found) : found_(found) {}
  void add_if(bool condition, ReasonCode code, std::int64_t requested, std::int64_t allowed) {
    if (condition) {
      found_.push_back({code, requested, allowed});
    }
  }
  void add_if_above(ReasonCode code, std::int64_t requested, std::int64_t allowed) {
    add_if(requested > allowed, code, requested, allowed);
  }
  [[nodiscard]] std::size_t size() const { return found_.size(); }

 private:
  std::vector<Reason>& found_;
};

void check_block(const Launch& launch, Reasons& reasons) {
  const SmLimits& sm = launch.sm;
  reasons.add_if_above(ReasonCode::ThreadsPerBlock, launch.answer.threads_per_block, sm.max_threads_per_block);
  reasons.add_if_above(ReasonCode::BlockDimX, launch.config.block.x, sm.max_block_dim.x);
  reasons.add_if_above(ReasonCode::BlockDimY, launch.config.block.y, sm.max_block_dim.y);
  reasons.add_if_above(ReasonCode::BlockDimZ, launch.config.block.z, sm.max_block_dim.z);
  reasons.add_if(!fits_launch_bounds(launch.kernel, launch.answer.threads_per_block), ReasonCode::LaunchBounds,
                 launch.answer.threads_per_block, launch.kernel.max_threads_per_block);
  reasons.add_if(!is_required_block(launch.kernel, launch.config.block), ReasonCode::RequiredBlock,
                 launch.answer.threads_per_block, thread_count(launch.kernel.required_block));
  if (launch.answer.threads_per_block <= sm.max_threads_per_block) {
    const bool halved = launch.answer.global_caching != GlobalCaching::Off;
    reasons.add_if(launch.forbids(Resource::Warps), ReasonCode::WarpsPerSm, launch.answer.warps_per_block,
                   halved ? sm.max_warps_per_sm / 2 : sm.max_warps_per_sm);
  }
}

void check_registers(const Launch& launch, Reasons& reasons) {
  if (!launch.forbids(Resource::Registers)) {
    return;
  }
  const SmLimits& sm = launch.sm;
  const int registers = *launch.kernel.registers_per_thread;
  const int warps = launch.answer.warps_per_block;
  const std::int64_t per_warp = registers_per_warp(sm, registers);
  const std::size_t before = reasons.size();
  reasons.add_if_above(ReasonCode::RegistersPerThread, registers, sm.max_registers_per_thread);
  reasons.add_if_above(ReasonCode::RegistersPerBlock, checked_registers_per_block(sm, per_warp, warps),
                       sm.max_registers_per_block);
  if (reasons.size() == before) {
    const bool halved = launch.answer.global_caching != GlobalCaching::Off;
    const int partitions = halved ? sm.sub_partitions / 2 : sm.sub_partitions;
    reasons.add_if(true, ReasonCode::RegistersPerSm, warps, warps_per_sub_partition(sm, per_warp) * partitions);
  }
}

void check_shared_memory(const Launch& launch, Reasons& reasons) {
  if (!launch.forbids(Resource::SharedMemory)) {
    return;
  }
  const std::int64_t charged = launch.answer.allocated_shared_memory_per_block;
  const std::int64_t most = max_charged_shared_memory(launch.sm, true);
  if (charged > most) {
    reasons.add_if(true, ReasonCode::SharedMemoryPerBlock, charged, most);
  } else {
    reasons.add_if(true, ReasonCode::SharedMemoryOptIn, charged, max_charged_shared_memory(launch.sm, false));
  }
}

void check_pools(const Launch& launch, Reasons& reasons) {
  const SmLimits& sm = launch.sm;
  reasons.add_if_above(ReasonCode::BarriersPerBlock, launch.kernel.barriers, sm.max_barriers_per_block);
  if (launch.kernel.barriers <= sm.max_barriers_per_block) {
    reasons.add_if(launch.forbids(Resource::Barriers), ReasonCode::BarriersPerSm, launch.kernel.barriers,
                   sm.barriers_per_sm.value_or(0));
  }
  reasons.add_if(launch.forbids(Resource::VirtualResources), ReasonCode::VirtualResourcesPerSm,
                 launch.kernel.virtual_resources, sm.virtual_resources_per_sm.value_or(0));
}

bool is_ignored(Carveout carveout, CarveoutKind kind) {
  switch (kind) {
    case CarveoutKind::Preference: return false;
    case CarveoutKind::Split: return carveout.kind == Carveout::Kind::Percent;
    case CarveoutKind::Fixed: return carveout.kind != Carveout::Kind::Default && carveout.kind != Carveout::Kind::Bytes;
  }
  return false;
}

class Notes {
 public:
  void add_if(bool condition, NoteCode code, std::int64_t value = 0) {
    if (condition) {
      found_.push_back({code, value});
    }
  }
  std::vector<Note> take() { return std::move(found_); }

 private:
  std::vector<Note> found_;
};

void note_occupancy(const Launch& launch, Notes& notes) {
  const Occupancy& answer = launch.answer;
  const bool known = launch.kernel.registers_per_thread.has_value();
  notes.add_if(!known && answer.launchable(), NoteCode::RegistersUnknown);
  notes.add_if(known && answer.launchable() && answer.active_warps_per_sm == answer.max_warps_per_sm, NoteCode::Full);
  const std::int64_t stranded = answer.max_warps_per_sm - answer.active_warps_per_sm;
  notes.add_if(answer.launchable() && answer.limiters.contains(Resource::Warps) && stranded > 0,
               NoteCode::StrandedWarpSlots, stranded);
  const std::int64_t idle = std::int64_t{answer.warps_per_block} * warp_size - answer.threads_per_block;
  notes.add_if(idle > 0, NoteCode::PartialWarp, idle);
}

// Registers are handed out by sub-partitions; where that costs a block, plain division misleads.
void note_registers(const Launch& launch, Notes& notes) {
  const std::int64_t charged = launch.answer.allocated_registers_per_block.value_or(0);
  if (charged == 0 || !launch.answer.launchable() || !launch.answer.limiters.contains(Resource::Registers)) {
    return;
  }
  const std::int64_t plain = launch.sm.registers_per_sm / charged;
  notes.add_if(plain > launch.answer.active_blocks_per_sm && launch.answer.global_caching == GlobalCaching::Off,
               NoteCode::SubPartitionRounding, plain);
}

void note_shared_memory(const Launch& launch, Notes& notes) {
  const SmLimits& sm = launch.sm;
  const Occupancy& answer = launch.answer;
  const std::int64_t default_limit = sm.max_shared_memory_per_block;
  const std::int64_t bytes = shared_memory_bytes(launch.kernel, launch.config);
  const bool is_static = launch.kernel.static_shared_memory > default_limit;
  notes.add_if(is_static, NoteCode::StaticAboveDefault, launch.kernel.static_shared_memory);
  notes.add_if(!is_static && bytes > default_limit && launch.config.opt_in && !launch.forbids(Resource::SharedMemory),
               NoteCode::OptInNeeded, dynamic_bytes(launch.config));
  notes.add_if(is_ignored(launch.config.carveout, sm.carveout_kind), NoteCode::CarveoutIgnored);
  const std::int64_t preferred = preferred_shared_memory(sm, launch.config.carveout);
  const bool oversized = answer.shared_memory_per_sm > sm.default_carveout;
  notes.add_if(preferred < answer.shared_memory_per_sm && !oversized, NoteCode::CarveoutRaised, preferred);
  notes.add_if(oversized, NoteCode::OversizedSharedMemory, answer.shared_memory_per_sm);
}

void note_advanced(const Launch& launch, Notes& notes) {
  const SmLimits& sm = launch.sm;
  const bool caching = launch.config.global_caching != GlobalCaching::Off;
  notes.add_if(caching && !sm.partitioned_global_caching, NoteCode::GlobalCachingIgnored);
  notes.add_if(caching && sm.partitioned_global_caching && launch.answer.global_caching == GlobalCaching::Off,
               NoteCode::GlobalCachingOff);
  notes.add_if(launch.kernel.barriers > 1 && !sm.barriers_per_sm, NoteCode::BarriersNotCounted);
  const bool virtual_resources = launch.kernel.virtual_resources > 0;
  notes.add_if(virtual_resources && sm.virtual_resources_per_sm == 0, NoteCode::VirtualResourcesIgnored);
  notes.add_if(virtual_resources && !sm.virtual_resources_per_sm, NoteCode::VirtualResourcesUnknown);
}

}  // namespace

std::string_view to_string(ReasonCode code) noexcept {
  constexpr std::array<std::string_view, 22> names = {"threads_per_block",
                                                      "block_dim_x",
                                                      "block_dim_y",
                                                      "block_dim_z",
                                                      "launch_bounds",
                                                      "required_block",
                                                      "warps_per_sm",
                                                      "registers_per_thread",
                                                      "registers_per_block",
                                                      "registers_per_sm",
                                                      "shared_memory_per_block",
                                                      "shared_memory_opt_in",
                                                      "barriers_per_block",
                                                      "barriers_per_sm",
                                                      "virtual_resources_per_sm",
                                                      "required_cluster",
                                                      "cluster_size",
                                                      "cluster_grid_x",
                                                      "cluster_grid_y",
                                                      "cluster_grid_z",
                                                      "cluster_per_gpc",
                                                      "invalid_amount"};
  return names[static_cast<std::size_t>(code)];
}

std::string_view to_string(NoteCode code) noexcept {
  constexpr std::array<std::string_view, 24> names = {"registers_unknown",
                                                      "full",
                                                      "stranded_warp_slots",
                                                      "partial_warp",
                                                      "static_above_default",
                                                      "opt_in_needed",
                                                      "carveout_ignored",
                                                      "carveout_raised",
                                                      "oversized_shared_memory",
                                                      "global_caching_ignored",
                                                      "global_caching_off",
                                                      "barriers_not_counted",
                                                      "virtual_resources_ignored",
                                                      "virtual_resources_unknown",
                                                      "confidence",
                                                      "sub_partition_rounding",
                                                      "spill_risk",
                                                      "independent_work",
                                                      "shared_l1",
                                                      "one_block_design",
                                                      "launch_registers",
                                                      "cluster_opt_in",
                                                      "cluster_unknown",
                                                      "ncu_carveout"};
  return names[static_cast<std::size_t>(code)];
}

void add_reasons(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch,
                 const Occupancy& occupancy, std::vector<Reason>& reasons) {
  if (occupancy.launchable()) {
    return;
  }
  Reasons found(reasons);
  if (occupancy.warps_per_block == 0) {  // nothing was computed
    found.add_if(true, ReasonCode::InvalidAmount, 0, 0);
    return;
  }
  const Launch all{sm, kernel, launch, occupancy};
  check_block(all, found);
  check_registers(all, found);
  check_shared_memory(all, found);
  check_pools(all, found);
}

std::vector<Reason> find_reasons(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch,
                                 const Occupancy& occupancy) {
  std::vector<Reason> reasons;
  add_reasons(sm, kernel, launch, occupancy, reasons);
  return reasons;
}

std::vector<Note> find_notes(const Architecture& architecture, const KernelResources& kernel,
                             const LaunchConfig& launch, const Occupancy& occupancy) {
  Notes notes;
  const Launch all{architecture.limits, kernel, launch, occupancy};
  note_occupancy(all, notes);
  note_registers(all, notes);
  note_shared_memory(all, notes);
  note_advanced(all, notes);
  notes.add_if(architecture.confidence != Confidence::High, NoteCode::Confidence);
  return notes.take();
}

std::vector<Note> find_judgements(const Architecture& architecture, const KernelResources& kernel,
                                  const LaunchConfig& launch, const Occupancy& occupancy, const Target* target) {
  Notes notes;
  const SmLimits& sm = architecture.limits;
  if (target != nullptr && target->row.active_blocks_per_sm > occupancy.active_blocks_per_sm && target->row.reachable) {
    constexpr double deep = 0.75;
    const int registers = target->row.max_registers_per_thread.value_or(0);
    notes.add_if(registers < deep * kernel.registers_per_thread.value_or(0), NoteCode::SpillRisk, registers);
    notes.add_if(true, NoteCode::IndependentWork);
    const std::int64_t warps = std::int64_t{target->row.active_blocks_per_sm} * occupancy.warps_per_block;
    notes.add_if(sm.l1_kind == L1Kind::Unified && target->row.l1_left > 0, NoteCode::SharedL1,
                 target->row.l1_left / warps);
  }
  const bool warp_specialised = architecture.compute_capability >= ComputeCapability{9, 0};  // from 9.0 on
  constexpr int many_registers = 128;
  const bool large = kernel.registers_per_thread.value_or(0) >= many_registers && occupancy.active_blocks_per_sm == 1;
  notes.add_if(warp_specialised && large, NoteCode::OneBlockDesign);
  notes.add_if(warp_specialised && large, NoteCode::LaunchRegisters);
  const std::int64_t enough = smallest_sufficient_carveout(sm, occupancy);
  notes.add_if(occupancy.launchable() && occupancy.allocated_shared_memory_per_block > 0 &&
                   launch.carveout.kind == Carveout::Kind::Default && sm.carveout_kind == CarveoutKind::Preference &&
                   enough < occupancy.shared_memory_per_sm,
               NoteCode::NcuCarveout, enough);
  return notes.take();
}

std::int64_t smallest_sufficient_carveout(const SmLimits& sm, const Occupancy& occupancy) noexcept {
  const std::int64_t needed = occupancy.active_blocks_per_sm * occupancy.allocated_shared_memory_per_block;
  const std::int64_t size = sm.carveouts.at_least(needed);
  return size < occupancy.shared_memory_per_sm ? size : occupancy.shared_memory_per_sm;
}

}  // namespace occcalc
