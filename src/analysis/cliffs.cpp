#include "occcalc/cliffs.hpp"

#include <algorithm>

#include "analysis/steps.hpp"
#include "model/ceilings.hpp"

namespace occcalc {

namespace {

using analysis::Mover;

bool changes(const Occupancy& a, const Occupancy& b) { return a.active_warps_per_sm != b.active_warps_per_sm; }

// The first value on one side at which resident warps change, or grow.
std::optional<Cliff> nearest(const Mover& mover, Input input, std::int64_t current, const Occupancy& now, bool up,
                             bool only_gains) {
  std::int64_t value = current;
  for (;;) {
    const std::optional<std::int64_t> next =
        up ? mover.next_up(value, now.active_blocks_per_sm) : mover.next_down(value, now.active_blocks_per_sm);
    if (!next) {
      return std::nullopt;
    }
    value = *next;
    const Occupancy there = mover.at(value);
    const bool gain = there.active_warps_per_sm > now.active_warps_per_sm;
    if (gain || (!only_gains && changes(there, now))) {
      return Cliff{input, value, value - current, gain, there};
    }
  }
}

bool continues(const Stair& stair, const Occupancy& there) {
  return stair.occupancy.active_blocks_per_sm == there.active_blocks_per_sm && !changes(stair.occupancy, there);
}

Staircase climb(const Mover& mover, Input input) {
  Staircase staircase{input, {}};
  std::optional<std::int64_t> value = mover.least();
  while (value) {
    const Occupancy there = mover.at(*value);
    if (staircase.stairs.empty() || !continues(staircase.stairs.back(), there)) {
      staircase.stairs.push_back({*value, *value, there});
    }
    const std::optional<std::int64_t> next = mover.next_up(*value, there.active_blocks_per_sm);
    const bool in_leaps = input == Input::ThreadsPerBlock || input == Input::Carveout;
    staircase.stairs.back().to = !next ? mover.greatest() : in_leaps ? *value : *next - 1;
    value = next;
  }
  return staircase;
}

// The blocks that a binding ceiling allows after its own next step down; 0 if it has none.
int after_next_step(const Mover& mover, std::int64_t current, const Occupancy& now, Resource resource) {
  std::optional<std::int64_t> value = current;
  while ((value = mover.next_down(*value, now.active_blocks_per_sm))) {
    const int blocks = mover.at(*value).blocks_per_sm[static_cast<std::size_t>(resource)];
    if (blocks > now.active_blocks_per_sm) {
      return blocks;
    }
  }
  return 0;
}

struct Movable {
  Resource resource;
  Input input;
};

constexpr std::array movable = {Movable{Resource::Registers, Input::RegistersPerThread},
                                Movable{Resource::SharedMemory, Input::SharedMemory},
                                Movable{Resource::Barriers, Input::Barriers}};

// What the binding resources must come down to for this many blocks; nullopt if one cannot.
std::optional<JointCliff> join(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch,
                               const Occupancy& now, int blocks) {
  JointCliff joint{blocks, static_cast<double>(blocks * now.warps_per_block) / sm.max_warps_per_sm};
  bool possible = true;
  if (now.limiters.contains(Resource::Registers)) {
    joint.max_registers_per_thread = analysis::most_registers(sm, launch, now.warps_per_block, blocks);
    possible = joint.max_registers_per_thread.has_value();
  }
  if (now.limiters.contains(Resource::SharedMemory)) {
    joint.max_shared_memory = analysis::most_shared_memory(sm, launch, blocks, shared_memory_bytes(kernel, launch));
    possible = possible && joint.max_shared_memory && *joint.max_shared_memory >= kernel.static_shared_memory;
  }
  if (now.limiters.contains(Resource::Barriers)) {
    joint.max_barriers = analysis::most_barriers(sm, blocks);
  }
  return possible ? std::optional(joint) : std::nullopt;
}

}  // namespace

std::string_view to_string(Input input) noexcept {
  constexpr std::array<std::string_view, all_inputs.size()> names = {"registers_per_thread", "shared_memory",
                                                                     "threads_per_block", "barriers", "carveout"};
  return names[static_cast<std::size_t>(input)];
}

std::optional<std::int64_t> current_value(const KernelResources& kernel, const LaunchConfig& launch,
                                          const Occupancy& occupancy, Input input) noexcept {
  switch (input) {
    case Input::RegistersPerThread:
      return kernel.registers_per_thread ? std::optional<std::int64_t>(*kernel.registers_per_thread) : std::nullopt;
    case Input::SharedMemory: return shared_memory_bytes(kernel, launch);
    case Input::ThreadsPerBlock: return occupancy.threads_per_block;
    case Input::Barriers: return kernel.barriers;
    case Input::Carveout: return occupancy.shared_memory_per_sm;
  }
  return std::nullopt;
}

std::vector<Cliff> find_cliffs(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch) {
  std::vector<Cliff> cliffs;
  const Occupancy now = compute_occupancy(sm, kernel, launch);
  if (now.warps_per_block == 0) {  // it means nothing
    return cliffs;
  }
  for (const Input input : all_inputs) {
    const std::optional<std::int64_t> current = current_value(kernel, launch, now, input);
    const Mover mover(sm, kernel, launch, input);
    for (const bool up : {false, true}) {
      if (std::optional<Cliff> cliff = current ? nearest(mover, input, *current, now, up, false) : std::nullopt) {
        cliffs.push_back(*cliff);
      }
    }
  }
  return cliffs;
}

std::optional<Cliff> find_nearest_gain(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch,
                                       Input input) {
  const Occupancy now = compute_occupancy(sm, kernel, launch);
  const std::optional<std::int64_t> current = current_value(kernel, launch, now, input);
  if (!current || now.warps_per_block == 0 || now.active_warps_per_sm == now.max_warps_per_sm) {
    return std::nullopt;
  }
  const Mover mover(sm, kernel, launch, input);
  const std::optional<Cliff> smaller = nearest(mover, input, *current, now, false, true);
  const std::optional<Cliff> larger = nearest(mover, input, *current, now, true, true);
  return !larger || (smaller && -smaller->change <= larger->change) ? smaller : larger;
}

std::vector<Staircase> find_staircases(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch) {
  std::vector<Staircase> staircases;
  staircases.reserve(all_inputs.size());
  for (const Input input : all_inputs) {
    staircases.push_back(climb(Mover(sm, kernel, launch, input), input));
  }
  return staircases;
}

std::optional<JointCliff> find_joint_cliff(const SmLimits& sm, const KernelResources& kernel,
                                           const LaunchConfig& launch) {
  const Occupancy now = compute_occupancy(sm, kernel, launch);
  int tied = 0;
  int goal = 0;           // the coarsest step decides: it must be taken whole anyway
  int most = no_ceiling;  // that the other ceilings allow
  for (const Resource resource : all_resources) {
    const auto* const match = std::find_if(movable.begin(), movable.end(),
                                           [resource](const Movable& known) { return known.resource == resource; });
    if (!now.limiters.contains(resource)) {
      most = std::min(most, now.blocks_per_sm[static_cast<std::size_t>(resource)]);
    } else if (match == movable.end()) {
      return std::nullopt;  // slots and virtual resources are not for these inputs to move
    } else {
      ++tied;
      const Mover mover(sm, kernel, launch, match->input);
      goal = std::max(goal, after_next_step(mover, *current_value(kernel, launch, now, match->input), now, resource));
    }
  }
  if (tied < 2 || !now.launchable()) {
    return std::nullopt;
  }
  for (goal = std::min(goal, most); goal > now.active_blocks_per_sm; --goal) {
    if (std::optional<JointCliff> joint = join(sm, kernel, launch, now, goal)) {
      return joint;
    }
  }
  return std::nullopt;
}

}  // namespace occcalc
