// Inverse answers: at the value so many blocks are resident, one unit further fewer are.

#include <algorithm>

#include "catch.hpp"
#include "differential/random_configuration.hpp"
#include "occcalc/occcalc.hpp"

namespace {

using namespace occcalc;

const SmLimits& limits(std::string_view name) { return find_architecture(name)->limits; }

int blocks(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch) {
  return compute_occupancy(sm, kernel, launch).active_blocks_per_sm;
}

int ceiling(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch, Resource resource) {
  return compute_occupancy(sm, kernel, launch).blocks_per_sm[static_cast<std::size_t>(resource)];
}

// Each maximum of a row against the ceiling it belongs to, at the value and one further.
void check_row(const SmLimits& sm, const KernelResources& kernel, const LaunchConfig& launch, const BudgetRow& row) {
  const int n = row.active_blocks_per_sm;
  KernelResources changed = kernel;
  changed.registers_per_thread = row.max_registers_per_thread.value_or(0) + 1;
  CHECK(ceiling(sm, changed, launch, Resource::Registers) < n);
  if (row.max_registers_per_thread) {
    changed.registers_per_thread = *row.max_registers_per_thread;
    CHECK(ceiling(sm, changed, launch, Resource::Registers) >= n);
  }
  LaunchConfig other = launch;
  other.dynamic_shared_memory_per_thread = 0;
  if (row.max_dynamic_shared_memory) {
    other.dynamic_shared_memory = *row.max_dynamic_shared_memory;
    CHECK(ceiling(sm, kernel, other, Resource::SharedMemory) >= n);
    ++other.dynamic_shared_memory;
    CHECK(ceiling(sm, kernel, other, Resource::SharedMemory) < n);
  } else {
    other.dynamic_shared_memory = 0;
    CHECK(ceiling(sm, kernel, other, Resource::SharedMemory) < n);
  }
  if (row.max_barriers) {
    changed.barriers = *row.max_barriers;
    CHECK(ceiling(sm, changed, launch, Resource::Barriers) >= n);
    ++changed.barriers;
    CHECK(ceiling(sm, changed, launch, Resource::Barriers) < n);
  }
  for (const std::int64_t size : sm.carveouts) {
    other = launch;
    other.carveout = Carveout::bytes(size);
    const bool as_set = compute_occupancy(sm, kernel, other).shared_memory_per_sm == size;
    if (as_set && row.min_carveout) {
      CHECK((ceiling(sm, kernel, other, Resource::SharedMemory) >= n) == (size >= *row.min_carveout));
    }
  }
}

}  // namespace

TEST_CASE("every row of every budget is verified by feeding it back, on all parts") {
  test::RandomConfigurations random(11);
  for (const Architecture& part : built_in_architectures()) {
    for (int i = 0; i < 60; ++i) {
      const test::Configuration c = random.next(part);
      INFO(test::describe(c));
      const std::vector<BudgetRow> rows = find_budget(part.limits, c.kernel, c.launch);
      for (const BudgetRow& row : rows) {
        INFO(row.active_blocks_per_sm);
        check_row(part.limits, c.kernel, c.launch, row);
      }
      const int now = blocks(part.limits, c.kernel, c.launch);
      CHECK(std::count_if(rows.begin(), rows.end(), [](const BudgetRow& row) { return row.current; }) ==
            (now > 0 ? 1 : 0));
    }
  }
}

TEST_CASE("a reachable row is reached when all its maxima hold together, an unreachable one is not") {
  test::RandomConfigurations random(12);
  for (const Architecture& part : built_in_architectures()) {
    for (int i = 0; i < 60; ++i) {
      const test::Configuration c = random.next(part);
      for (const BudgetRow& row : find_budget(part.limits, c.kernel, c.launch)) {
        KernelResources kernel = c.kernel;
        LaunchConfig launch = c.launch;
        kernel.registers_per_thread = row.max_registers_per_thread.value_or(1);
        launch.dynamic_shared_memory = row.max_dynamic_shared_memory.value_or(0);
        kernel.barriers = row.max_barriers.value_or(0);
        INFO(test::describe(c) << " row " << row.active_blocks_per_sm);
        CHECK((blocks(part.limits, kernel, launch) >= row.active_blocks_per_sm) == row.reachable);
        CHECK(row.limiters.empty() == row.reachable);
      }
    }
  }
}

TEST_CASE("one block per SM on 9.0 with two wanted: 115,712 B is the most, not the header's 116,736") {
  const Target target = find_target(limits("sm_90"), {.registers_per_thread = 32}, {.block = {256}}, 2);
  CHECK(target.row.max_dynamic_shared_memory == 115712);
  CHECK(blocks(limits("sm_90"), {}, {.block = {256}, .dynamic_shared_memory = 115712}) == 2);
  CHECK(blocks(limits("sm_90"), {}, {.block = {256}, .dynamic_shared_memory = 116736}) == 1);
}

TEST_CASE("padding makes exactly so many blocks resident, one byte less does not") {
  test::RandomConfigurations random(13);
  int found = 0;
  for (const Architecture& part : built_in_architectures()) {
    for (int i = 0; i < 200; ++i) {
      const test::Configuration c = random.next(part);
      const int now = blocks(part.limits, c.kernel, c.launch);
      for (const int wanted : {1, 2, 3, 5, 8}) {
        const Target target = find_target(part.limits, c.kernel, c.launch, wanted);
        INFO(test::describe(c) << " wanted " << wanted);
        if (wanted > now) {
          CHECK_FALSE(target.padding_shared_memory);
        } else if (wanted == now) {
          CHECK(target.padding_shared_memory == 0);
        } else if (target.padding_shared_memory) {
          ++found;
          LaunchConfig padded = c.launch;
          padded.dynamic_shared_memory += *target.padding_shared_memory;
          CHECK(blocks(part.limits, c.kernel, padded) == wanted);
          --padded.dynamic_shared_memory;
          CHECK(blocks(part.limits, c.kernel, padded) != wanted);
        }
      }
    }
  }
  CHECK(found > 1000);
}

TEST_CASE("the changes of a target reach it, together") {
  test::RandomConfigurations random(14);
  int found = 0;
  for (const Architecture& part : built_in_architectures()) {
    for (int i = 0; i < 100; ++i) {
      const test::Configuration c = random.next(part);
      for (const int wanted : {1, 2, 4, 8}) {
        const Target target = find_target(part.limits, c.kernel, c.launch, wanted);
        KernelResources kernel = c.kernel;
        LaunchConfig launch = c.launch;
        for (const Change& change : target.changes) {
          if (change.input == Input::RegistersPerThread) {
            kernel.registers_per_thread = static_cast<int>(change.to);
          } else if (change.input == Input::SharedMemory) {
            kernel.static_shared_memory = std::min(kernel.static_shared_memory, change.to);
            launch.dynamic_shared_memory = change.to - kernel.static_shared_memory;
          } else {
            kernel.barriers = static_cast<int>(change.to);
          }
        }
        INFO(test::describe(c) << " wanted " << wanted);
        if (target.row.reachable) {
          CHECK(blocks(part.limits, kernel, launch) >= wanted);
          CHECK(target.changes.empty() == (blocks(part.limits, c.kernel, c.launch) >= wanted));
          ++found;
        } else {
          CHECK(target.changes.empty());
        }
      }
    }
  }
  CHECK(found > 1000);
}

TEST_CASE("an occupancy asked for is the least number of blocks that gives it") {
  const SmLimits& sm = limits("sm_80");
  CHECK(blocks_for_occupancy(sm, {.block = {256}}, 0.75) == 6);
  CHECK(blocks_for_occupancy(sm, {.block = {256}}, 0.76) == 7);
  CHECK(blocks_for_occupancy(sm, {.block = {256}}, 0.0) == 1);
  CHECK(blocks_for_occupancy(limits("sm_89"), {.block = {512}}, 2.0 / 3) == 2);
  CHECK(blocks_for_occupancy(limits("sm_89"), {.block = {256}}, 0.6667) == 4);  // as reports print it
  CHECK(blocks_for_occupancy(sm, {.block = {96}}, 0.9844) == 21);
}

TEST_CASE("where the dimensions do not fit, no number of blocks is reachable") {
  const Target target = find_target(limits("sm_80"), {.registers_per_thread = 40}, {.block = {1, 1, 128}}, 1);
  CHECK_FALSE(target.row.reachable);
  CHECK(target.changes.empty());
}

TEST_CASE("an impossible launch: what alone would make it possible, the least change first") {
  const Remedies registers = find_remedies(limits("sm_89"), {.registers_per_thread = 162}, {.block = {512}});
  REQUIRE(registers.changes.size() == 2);
  CHECK_FALSE(registers.together);
  CHECK(registers.changes[0].input == Input::RegistersPerThread);
  CHECK(registers.changes[0].to == 128);
  CHECK(registers.changes[1].input == Input::ThreadsPerBlock);
  CHECK(registers.changes[1].to == 384);
  const Remedies memory = find_remedies(limits("sm_120"), {}, {.block = {256}, .dynamic_shared_memory = 106496});
  REQUIRE(memory.changes.size() == 1);
  CHECK(memory.changes[0].input == Input::SharedMemory);
  CHECK(memory.changes[0].to == 101376);
  const Remedies both =
      find_remedies(limits("sm_120"), {.registers_per_thread = 162}, {.block = {512}, .dynamic_shared_memory = 106496});
  CHECK(both.together);
  CHECK(both.changes.size() == 2);
  const Remedies large = find_remedies(limits("sm_80"), {.registers_per_thread = 300}, {.block = {1280}});
  CHECK(large.together);
  REQUIRE(large.changes.size() == 2);
  CHECK(large.changes[0].input == Input::ThreadsPerBlock);
  CHECK(large.changes[0].to == 1024);
  CHECK(large.changes[1].to == 64);
  const Remedies flat = find_remedies(limits("sm_80"), {.registers_per_thread = 40}, {.block = {1, 1, 128}});
  CHECK(flat.changes.empty());  // its threads fit; the dimension is told by the reason
  CHECK(find_remedies(limits("sm_80"), {}, {.block = {256}}).changes.empty());
}

TEST_CASE("each remedy makes the launch possible, and a step less does not") {
  test::RandomConfigurations random(15);
  for (const Architecture& part : built_in_architectures()) {
    for (int i = 0; i < 2000; ++i) {
      const test::Configuration c = random.next(part);
      const Remedies remedies = find_remedies(part.limits, c.kernel, c.launch);
      for (const Change& change : remedies.together ? std::vector<Change>() : remedies.changes) {
        const auto launches = [&](std::int64_t value) {
          KernelResources kernel = c.kernel;
          LaunchConfig launch = c.launch;
          switch (change.input) {
            case Input::RegistersPerThread: kernel.registers_per_thread = static_cast<int>(value); break;
            case Input::ThreadsPerBlock: launch.block = {static_cast<int>(value)}; break;
            case Input::Barriers: kernel.barriers = static_cast<int>(value); break;
            default: kernel.static_shared_memory = 0; launch.dynamic_shared_memory = value;
          }
          return compute_occupancy(part.limits, kernel, launch).launchable();
        };
        INFO(test::describe(c) << " " << to_string(change.input) << " " << change.to);
        CHECK(launches(change.to));
        CHECK_FALSE(launches(change.to + 1));
      }
    }
  }
}
