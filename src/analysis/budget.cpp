#include "occcalc/budget.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/steps.hpp"
#include "model/ceilings.hpp"

namespace occcalc {

namespace {

using analysis::Mover;

bool fits(const SmLimits& sm, Dim3 block) {
  return model::fits_dimensions(sm, block) && thread_count(block) <= sm.max_threads_per_block;
}

struct Question {
  const SmLimits& sm;
  const KernelResources& kernel;
  const LaunchConfig& launch;
  const Occupancy& now;
};

// The smallest supported capacity of which so many blocks of the current charge fit.
std::optional<std::int64_t> least_carveout(const Question& question, int blocks) {
  const std::int64_t charged = question.now.allocated_shared_memory_per_block;
  if (charged > model::max_charged_shared_memory(question.sm, question.launch.opt_in)) {
    return std::nullopt;
  }
  for (const std::int64_t size : question.sm.carveouts) {
    if (charged == 0 || size / charged >= blocks) {
      return size;
    }
  }
  return std::nullopt;
}

std::int64_t l1_beside(const SmLimits& sm, std::int64_t carveout) {
  return sm.l1_kind == L1Kind::Unified ? sm.l1_size - carveout : sm.l1_size;
}

BudgetRow find_row(const Question& question, int blocks) {
  const auto& [sm, kernel, launch, now] = question;
  BudgetRow row{blocks, static_cast<double>(std::int64_t{blocks} * now.warps_per_block) / sm.max_warps_per_sm};
  row.max_registers_per_thread = analysis::most_registers(sm, launch, now.warps_per_block, blocks);
  if (const std::optional<std::int64_t> most = analysis::most_shared_memory(sm, launch, blocks);
      most && *most >= kernel.static_shared_memory) {
    row.max_dynamic_shared_memory = *most - kernel.static_shared_memory;
  }
  row.max_barriers = analysis::most_barriers(sm, blocks);
  row.min_carveout = least_carveout(question, blocks);
  row.l1_left = l1_beside(sm, row.min_carveout.value_or(now.shared_memory_per_sm));
  row.current = blocks == now.active_blocks_per_sm;

  const auto forbid = [&](bool forbidden, Resource resource) { row.limiters.insert_if(forbidden, resource); };
  // At the registers that it takes: they may decide whether global caching is on, and so the warp slots.
  KernelResources at_most = kernel;
  at_most.registers_per_thread =
      row.max_registers_per_thread ? row.max_registers_per_thread : kernel.registers_per_thread;
  const Occupancy there = compute_occupancy(sm, at_most, launch);
  const auto below = [&](Resource resource) {
    return there.blocks_per_sm[static_cast<std::size_t>(resource)] < blocks;
  };
  forbid(below(Resource::Warps), Resource::Warps);
  forbid(below(Resource::Blocks), Resource::Blocks);
  forbid(below(Resource::VirtualResources), Resource::VirtualResources);
  forbid(!row.max_registers_per_thread, Resource::Registers);
  forbid(!row.max_dynamic_shared_memory, Resource::SharedMemory);
  row.reachable = row.limiters.empty() && fits(sm, launch.block);
  return row;
}

// The least bytes to add so that exactly so many are resident. Padding moves only the shared-memory ceiling.
std::optional<std::int64_t> find_padding(const Question& question, int blocks) {
  const auto& [sm, kernel, launch, now] = question;
  const Mover mover(sm, kernel, launch, Input::SharedMemory);
  const std::int64_t current = shared_memory_bytes(kernel, launch);
  std::optional<std::int64_t> value = current;
  Occupancy there = now;
  while (there.active_blocks_per_sm > blocks) {
    value = mover.next_up(*value, there.active_blocks_per_sm);
    if (!value) {
      return std::nullopt;
    }
    there = mover.at(*value);
  }
  return there.active_blocks_per_sm == blocks ? std::optional(*value - current) : std::nullopt;
}

void add_if_above(std::vector<Change>& changes, Input input, std::optional<std::int64_t> from,
                  std::optional<std::int64_t> to) {
  if (from && to && *from > *to) {
    changes.push_back({input, *from, *to});
  }
}

double relative(const Change& change) {
  return std::abs(static_cast<double>(change.to - change.from)) /
         static_cast<double>(std::max<std::int64_t>(change.from, 1));
}

// The largest block that launches with these resources.
std::optional<std::int64_t> largest_block(const Question& question) {
  const Mover mover(question.sm, question.kernel, question.launch, Input::ThreadsPerBlock);
  for (std::optional<std::int64_t> value = mover.greatest(); value; value = mover.next_down(*value, 0)) {
    if (mover.at(*value).launchable()) {
      return value;
    }
  }
  return std::nullopt;
}

// What registers, shared memory and barriers must come down to for one block of this size.
std::vector<Change> needed_for_one_block(const Question& question) {
  const auto& [sm, kernel, launch, now] = question;
  std::vector<Change> changes;
  const BudgetRow row = find_row(question, 1);
  add_if_above(changes, Input::RegistersPerThread, kernel.registers_per_thread, row.max_registers_per_thread);
  add_if_above(changes, Input::SharedMemory, shared_memory_bytes(kernel, launch),
               analysis::most_shared_memory(sm, launch, 1));
  add_if_above(changes, Input::Barriers, kernel.barriers, row.max_barriers.value_or(sm.max_barriers_per_block));
  return changes;
}

bool launches_with(const Question& question, const std::vector<Change>& changes) {
  KernelResources kernel = question.kernel;
  LaunchConfig launch = question.launch;
  for (const Change& change : changes) {
    if (change.input == Input::RegistersPerThread) {
      kernel.registers_per_thread = static_cast<int>(change.to);
    } else if (change.input == Input::SharedMemory) {
      kernel.static_shared_memory = 0;
      launch.dynamic_shared_memory = change.to;
      launch.dynamic_shared_memory_per_thread = 0;
    } else {
      kernel.barriers = static_cast<int>(change.to);
    }
  }
  return compute_occupancy(question.sm, kernel, launch).launchable();
}

// Everything that is needed at once: a block that fits, and what it allows.
Remedies together(const Question& question) {
  LaunchConfig launch = question.launch;
  std::vector<Change> changes;
  const int threads = question.now.threads_per_block;
  if (threads > question.sm.max_threads_per_block) {
    changes.push_back({Input::ThreadsPerBlock, threads, question.sm.max_threads_per_block});
  }
  if (!fits(question.sm, launch.block)) {
    launch.block = {std::min(threads, question.sm.max_threads_per_block)};
  }
  const Occupancy at_block = compute_occupancy(question.sm, question.kernel, launch);
  const Question smaller{question.sm, question.kernel, launch, at_block};
  const std::vector<Change> resources = needed_for_one_block(smaller);
  if (!launches_with(smaller, resources)) {
    return {};
  }
  changes.insert(changes.end(), resources.begin(), resources.end());
  return {changes, true};
}

}  // namespace

std::vector<BudgetRow> find_budget(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch) {
  const Occupancy now = compute_occupancy(sm, kernel, launch);
  const int most = std::min(now.blocks_per_sm[static_cast<std::size_t>(Resource::Warps)], sm.max_blocks_per_sm);
  std::vector<BudgetRow> rows;
  for (int blocks = 1; now.warps_per_block > 0 && blocks <= most; ++blocks) {
    rows.push_back(find_row({sm, kernel, launch, now}, blocks));
  }
  return rows;
}

Target find_target(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch, int blocks) {
  const Occupancy now = compute_occupancy(sm, kernel, launch);
  const Question question{sm, kernel, launch, now};
  Target target{find_row(question, blocks)};
  target.padding_shared_memory = find_padding(question, blocks);
  if (target.row.reachable) {
    const std::int64_t bytes = shared_memory_bytes(kernel, launch);
    add_if_above(target.changes, Input::RegistersPerThread, kernel.registers_per_thread,
                 target.row.max_registers_per_thread);
    if (now.blocks_per_sm[static_cast<std::size_t>(Resource::SharedMemory)] < blocks) {
      add_if_above(target.changes, Input::SharedMemory, bytes, analysis::most_shared_memory(sm, launch, blocks, bytes));
    }
    add_if_above(target.changes, Input::Barriers, kernel.barriers,
                 target.row.max_barriers.value_or(sm.max_barriers_per_block));
  }
  return target;
}

// At the hundredths of a per cent that reports print, so that their own figures mean the same here.
int blocks_for_occupancy(const SmLimits& sm, const LaunchConfig& launch, double occupancy) noexcept {
  const int warps = model::ceil_div(std::max(thread_count(launch.block), 1), warp_size);
  const auto hundredths = [](double share) { return std::round(share * 10000); };
  const auto share_of = [&](int blocks) {
    return static_cast<double>(std::int64_t{blocks} * warps) / sm.max_warps_per_sm;
  };
  int blocks = std::max(1, static_cast<int>(occupancy * sm.max_warps_per_sm / warps));
  while (hundredths(share_of(blocks)) < hundredths(occupancy)) {
    ++blocks;
  }
  return blocks;
}

Remedies find_remedies(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch) {
  Remedies remedies;
  const Occupancy now = compute_occupancy(sm, kernel, launch);
  if (now.launchable() || now.warps_per_block == 0) {
    return remedies;
  }
  const Question question{sm, kernel, launch, now};
  const bool block_fits = fits(sm, launch.block);
  const std::vector<Change> resources = needed_for_one_block(question);
  if (block_fits && resources.size() == 1 &&
      Mover(sm, kernel, launch, resources[0].input).at(resources[0].to).launchable()) {
    remedies.changes.push_back(resources[0]);
  }
  if (const std::optional<std::int64_t> block = largest_block(question); block && *block < now.threads_per_block) {
    remedies.changes.push_back({Input::ThreadsPerBlock, now.threads_per_block, *block});
  }
  if (remedies.changes.empty()) {
    remedies = together(question);
  }
  std::stable_sort(remedies.changes.begin(), remedies.changes.end(),
                   [](const Change& a, const Change& b) { return relative(a) < relative(b); });
  return remedies;
}

}  // namespace occcalc
