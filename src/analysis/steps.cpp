#include "analysis/steps.hpp"

#include <algorithm>
#include <array>

#include "model/ceilings.hpp"

namespace occcalc::analysis {

using namespace model;

namespace {

constexpr std::int64_t down_to_multiple(std::int64_t amount, std::int64_t unit) noexcept {
  return amount / unit * unit;
}

// The most that one block may be charged, as a multiple of the unit.
std::int64_t most_charged(const SmLimits& sm, const LaunchConfig& launch) {
  return down_to_multiple(max_charged_shared_memory(sm, launch.opt_in), sm.shared_memory_allocation_unit);
}

// The most bytes that are charged `charged`, and the fewest that are charged more.
std::int64_t most_bytes(const SmLimits& sm, std::int64_t charged) {
  return charged - sm.reserved_shared_memory_per_block;
}

}  // namespace

Occupancy Mover::at(std::int64_t value) const {
  KernelResources kernel = kernel_;
  LaunchConfig launch = launch_;
  switch (input_) {
    case Input::RegistersPerThread: kernel.registers_per_thread = static_cast<int>(value); break;
    case Input::SharedMemory:
      kernel.static_shared_memory = std::min(kernel.static_shared_memory, value);
      launch.dynamic_shared_memory = value - kernel.static_shared_memory;
      launch.dynamic_shared_memory_per_thread = 0;
      break;
    case Input::ThreadsPerBlock: launch.block = {static_cast<int>(value)}; break;
    case Input::Barriers: kernel.barriers = static_cast<int>(value); break;
    case Input::Carveout: launch.carveout = Carveout::bytes(value); break;
  }
  return compute_occupancy(sm_, kernel, launch);
}

std::int64_t Mover::least() const {
  switch (input_) {
    case Input::RegistersPerThread: return 1;
    case Input::ThreadsPerBlock: return warp_size;
    case Input::Carveout: return sm_.carveouts[0];
    default: return 0;
  }
}

std::int64_t Mover::greatest() const {
  switch (input_) {
    case Input::RegistersPerThread: return sm_.max_registers_per_thread;
    case Input::SharedMemory: return most_bytes(sm_, most_charged(sm_, launch_)) + 1;
    case Input::ThreadsPerBlock: return down_to_multiple(sm_.max_threads_per_block, warp_size);
    case Input::Barriers: return sm_.max_barriers_per_block;
    case Input::Carveout: return sm_.shared_memory_per_sm;
  }
  return 0;
}

std::optional<std::int64_t> Mover::next_up(std::int64_t value, int active_blocks) const {
  std::optional<std::int64_t> next;
  switch (input_) {
    case Input::RegistersPerThread: next = registers_up(value); break;
    case Input::SharedMemory: next = memory_up(value, active_blocks); break;
    case Input::ThreadsPerBlock: next = down_to_multiple(value + warp_size, warp_size); break;
    case Input::Barriers: next = value + 1; break;
    case Input::Carveout: next = carveout_next(value, true); break;
  }
  return next && *next <= greatest() ? next : std::nullopt;
}

std::optional<std::int64_t> Mover::next_down(std::int64_t value, int active_blocks) const {
  if (value > greatest()) {  // from beyond the end to the end
    return greatest();
  }
  std::optional<std::int64_t> next;
  switch (input_) {
    case Input::RegistersPerThread: next = registers_down(value); break;
    case Input::SharedMemory: next = memory_down(value, active_blocks); break;
    case Input::ThreadsPerBlock: next = round_up(value, warp_size) - warp_size; break;
    case Input::Barriers: next = value - 1; break;
    case Input::Carveout: next = carveout_next(value, false); break;
  }
  return next && *next >= least() ? next : std::nullopt;
}

// The next class of registers that is charged alike begins one above the most that this one charges.
std::optional<std::int64_t> Mover::registers_up(std::int64_t value) const {
  return registers_per_warp(sm_, static_cast<int>(value)) / warp_size + 1;
}

std::optional<std::int64_t> Mover::registers_down(std::int64_t value) const {
  return (registers_per_warp(sm_, static_cast<int>(value)) - sm_.register_allocation_unit) / warp_size;
}

// The ceiling stays until the charge no longer fits the capacity so often; then the next capacity may be in force.
std::optional<std::int64_t> Mover::memory_up(std::int64_t bytes, int active_blocks) const {
  const std::int64_t unit = sm_.shared_memory_allocation_unit;
  const std::int64_t charged = charged_shared_memory(sm_, bytes);
  const std::int64_t most = most_charged(sm_, launch_);
  if (charged > most) {
    return std::nullopt;
  }
  const std::int64_t capacity = shared_memory_capacity(sm_, launch_.carveout, charged);
  if (charged == 0 && capacity / unit < active_blocks) {
    return 1;  // the first byte is charged a whole unit
  }
  std::int64_t blocks = charged == 0 ? capacity / unit : std::max<std::int64_t>(capacity / charged, 1);
  if (active_blocks > 0) {
    blocks = std::min<std::int64_t>(blocks, active_blocks);
  }
  const std::int64_t last = blocks == 0 ? charged : std::max(down_to_multiple(capacity / blocks, unit), charged);
  return most_bytes(sm_, std::min(last, most)) + 1;
}

std::optional<std::int64_t> Mover::memory_down(std::int64_t bytes, int active_blocks) const {
  const std::int64_t unit = sm_.shared_memory_allocation_unit;
  const std::int64_t charged = charged_shared_memory(sm_, bytes);
  const std::int64_t most = most_charged(sm_, launch_);
  if (charged > most) {
    return most_bytes(sm_, most);
  }
  if (charged == 0) {
    return std::nullopt;
  }
  const std::int64_t capacity = shared_memory_capacity(sm_, launch_.carveout, charged);
  const std::int64_t blocks = std::max<std::int64_t>(capacity / charged, active_blocks) + 1;
  const std::int64_t next = down_to_multiple(capacity / blocks, unit);
  if (shared_memory_capacity(sm_, launch_.carveout, next) == capacity) {
    return most_bytes(sm_, next);
  }
  std::int64_t below = -1;  // the end of the capacity before
  for (const std::int64_t size : capacities_in_force(sm_, launch_.carveout)) {
    below = size < capacity ? std::max(below, size) : below;
  }
  return below < 0 ? std::nullopt : std::optional(most_bytes(sm_, down_to_multiple(below, unit)));
}

std::optional<std::int64_t> Mover::carveout_next(std::int64_t value, bool up) const {
  std::optional<std::int64_t> next;
  for (const std::int64_t size : sm_.carveouts) {
    if (up && size > value) {
      return size;
    }
    if (!up && size < value) {
      next = size;
    }
  }
  return next;
}

CarveoutSizes capacities_in_force(const SmLimits& sm, const Carveout& carveout) {
  const std::int64_t preferred = preferred_shared_memory(sm, carveout);
  std::array<std::int64_t, CarveoutSizes::capacity> sizes{};
  std::size_t count = 0;
  for (const std::int64_t size : sm.carveouts) {
    const bool can_be_raised_to = sm.carveout_kind == CarveoutKind::Preference || size == sm.shared_memory_per_sm;
    if (size == preferred || (size > preferred && can_be_raised_to)) {
      sizes[count++] = size;
    }
  }
  return CarveoutSizes(std::span<const std::int64_t>(sizes.data(), count));
}

std::optional<std::int64_t> most_shared_memory(const SmLimits& sm, const LaunchConfig& launch, int blocks,
                                               std::int64_t at_most) {
  const CarveoutSizes capacities = capacities_in_force(sm, launch.carveout);
  const std::int64_t most = std::min(most_charged(sm, launch), charged_shared_memory(sm, at_most));
  for (std::size_t i = capacities.size(); i-- > 0;) {
    const std::int64_t share = down_to_multiple(capacities[i] / blocks, sm.shared_memory_allocation_unit);
    const std::int64_t charged = std::min(share, most);
    const std::int64_t bytes = std::min(most_bytes(sm, charged), at_most);
    if (bytes >= 0 && shared_memory_capacity(sm, launch.carveout, charged) == capacities[i]) {
      return bytes;
    }
  }
  return std::nullopt;
}

std::optional<int> most_registers(const SmLimits& sm, const LaunchConfig& launch, int warps, int blocks) {
  const auto fits = [&](int registers) {
    GlobalCaching caching = sm.partitioned_global_caching ? launch.global_caching : GlobalCaching::Off;
    return register_ceiling(sm, registers, warps, caching) >= blocks;
  };
  int least_failing = sm.max_registers_per_thread + 1;  // more registers never fit more blocks
  int most_fitting = 0;
  while (most_fitting + 1 < least_failing) {
    const int middle = most_fitting + (least_failing - most_fitting) / 2;
    (fits(middle) ? most_fitting : least_failing) = middle;
  }
  return most_fitting == 0 ? std::nullopt : std::optional(most_fitting);
}

std::optional<int> most_barriers(const SmLimits& sm, int blocks) {
  if (!sm.barriers_per_sm) {
    return std::nullopt;
  }
  return std::min(*sm.barriers_per_sm / blocks, sm.max_barriers_per_block);
}

}  // namespace occcalc::analysis
