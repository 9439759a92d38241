// Cliffs and inverse answers, each verified by feeding it back: at the value it holds, one unit further it does not.

#include <algorithm>

#include "catch.hpp"
#include "differential/random_configuration.hpp"
#include "occcalc/occcalc.hpp"

namespace {

using namespace occcalc;

struct Launch {
  const SmLimits& sm;
  KernelResources kernel;
  LaunchConfig launch;

  [[nodiscard]] Occupancy answer() const { return compute_occupancy(sm, kernel, launch); }
};

const SmLimits& limits(std::string_view name) { return find_architecture(name)->limits; }

// The answer with another value of one input, written out here, apart from the code under test.
Occupancy with_value(Launch c, Input input, std::int64_t value) {
  switch (input) {
    case Input::RegistersPerThread: c.kernel.registers_per_thread = static_cast<int>(value); break;
    case Input::SharedMemory:
      c.kernel.static_shared_memory = 0;
      c.launch.dynamic_shared_memory = value;
      c.launch.dynamic_shared_memory_per_thread = 0;
      break;
    case Input::ThreadsPerBlock: c.launch.block = {static_cast<int>(value)}; break;
    case Input::Barriers: c.kernel.barriers = static_cast<int>(value); break;
    case Input::Carveout: c.launch.carveout = Carveout::bytes(value); break;
  }
  return c.answer();
}

// Every value of an input that is searched, one by one.
std::vector<std::int64_t> all_values(const SmLimits& sm, const LaunchConfig& launch, Input input, std::int64_t around) {
  std::vector<std::int64_t> values;
  const auto range = [&values](std::int64_t first, std::int64_t last, std::int64_t step) {
    for (std::int64_t value = first; value <= last; value += step) {
      values.push_back(value);
    }
  };
  switch (input) {
    case Input::RegistersPerThread: range(1, sm.max_registers_per_thread, 1); break;
    case Input::SharedMemory: {  // bytes are many: each side of every multiple of the unit, and of where we are
      const std::int64_t most = launch.opt_in ? sm.max_shared_memory_per_block_optin : sm.max_shared_memory_per_block;
      for (std::int64_t value = 0; value <= most; value += 128) {
        values.push_back(value);
        values.push_back(value + 1);
      }
      values.push_back(std::clamp<std::int64_t>(around - 1, 0, most + 1));
      values.push_back(std::clamp<std::int64_t>(around + 1, 0, most + 1));
      std::sort(values.begin(), values.end());
      break;
    }
    case Input::ThreadsPerBlock: range(32, sm.max_threads_per_block, 32); break;
    case Input::Barriers: range(0, sm.max_barriers_per_block, 1); break;
    case Input::Carveout: values.assign(sm.carveouts.begin(), sm.carveouts.end()); break;
  }
  return values;
}

// The nearest change on one side, by looking at every value.
std::optional<std::int64_t> nearest_change(const Launch& c, Input input, std::int64_t current, bool up) {
  const Occupancy now = c.answer();
  std::optional<std::int64_t> found;
  for (const std::int64_t value : all_values(c.sm, c.launch, input, current)) {
    const bool on_side = up ? value > current : value < current;
    if (!on_side || with_value(c, input, value).active_warps_per_sm == now.active_warps_per_sm) {
      continue;
    }
    if (!found || (up ? value < *found : value > *found)) {
      found = value;
    }
  }
  return found;
}

std::optional<std::int64_t> reported(const std::vector<Cliff>& cliffs, Input input, bool up) {
  for (const Cliff& cliff : cliffs) {
    if (cliff.input == input && (cliff.change > 0) == up) {
      return cliff.value;
    }
  }
  return std::nullopt;
}

Launch of(const test::Configuration& c) { return {c.architecture->limits, c.kernel, c.launch}; }

const Cliff& find(const std::vector<Cliff>& cliffs, Input input, bool up) {
  const auto match = std::find_if(cliffs.begin(), cliffs.end(),
                                  [&](const Cliff& cliff) { return cliff.input == input && (cliff.change > 0) == up; });
  REQUIRE(match != cliffs.end());
  return *match;
}

}  // namespace

TEST_CASE("the opening example: up to 40 registers cost the same, 41 loses a block, 32 gain two") {
  const Launch c{limits("sm_80"), {.registers_per_thread = 40}, {.block = {256}, .dynamic_shared_memory = 8192}};
  const std::vector<Cliff> cliffs = find_cliffs(c.sm, c.kernel, c.launch);
  const Cliff& more = find(cliffs, Input::RegistersPerThread, true);
  CHECK(more.value == 41);
  CHECK(more.change == 1);
  CHECK_FALSE(more.gain);
  CHECK(more.occupancy.active_blocks_per_sm == 5);
  const Cliff& fewer = find(cliffs, Input::RegistersPerThread, false);
  CHECK(fewer.value == 32);
  CHECK(fewer.change == -8);
  CHECK(fewer.gain);
  CHECK(fewer.occupancy.active_blocks_per_sm == 8);
  CHECK(find(cliffs, Input::SharedMemory, true).value == 26881);
  CHECK_FALSE(reported(cliffs, Input::SharedMemory, false));
}

TEST_CASE("from beyond the maximum the nearest cliff is the maximum itself, though it is charged alike") {
  const Launch c{limits("sm_80"), {.registers_per_thread = 256}, {.block = {32}}};
  CHECK(find(find_cliffs(c.sm, c.kernel, c.launch), Input::RegistersPerThread, false).value == 255);
  const Launch kepler{limits("sm_30"), {.registers_per_thread = 64}, {.block = {160}}};
  CHECK(find(find_cliffs(kepler.sm, kepler.kernel, kepler.launch), Input::RegistersPerThread, false).value == 63);
}

TEST_CASE("a joint cliff leaves the static part of shared memory alone") {
  const Launch c{limits("sm_87"),
                 {.registers_per_thread = 72, .static_shared_memory = 24091},
                 {.block = {768}, .dynamic_shared_memory = 17704, .carveout = {Carveout::Kind::MaxL1}}};
  const std::optional<JointCliff> joint = find_joint_cliff(c.sm, c.kernel, c.launch);
  CHECK((!joint || !joint->max_shared_memory || *joint->max_shared_memory >= 24091));
}

TEST_CASE("block size is not monotone: both neighbours of 256 threads lose") {
  const Launch c{limits("sm_80"), {.registers_per_thread = 40}, {.block = {256}}};
  const std::vector<Cliff> cliffs = find_cliffs(c.sm, c.kernel, c.launch);
  CHECK(find(cliffs, Input::ThreadsPerBlock, false).value == 224);
  CHECK_FALSE(find(cliffs, Input::ThreadsPerBlock, false).gain);
  CHECK(find(cliffs, Input::ThreadsPerBlock, true).value == 288);
  CHECK_FALSE(find(cliffs, Input::ThreadsPerBlock, true).gain);
}

TEST_CASE("cliffs are those that a look at every value finds, on every part") {
  test::RandomConfigurations random(3);
  for (const Architecture& part : built_in_architectures()) {
    for (int i = 0; i < 25; ++i) {
      const test::Configuration configuration = random.next(part);
      const Launch c = of(configuration);
      const std::vector<Cliff> cliffs = find_cliffs(c.sm, c.kernel, c.launch);
      for (const Input input : all_inputs) {
        const std::int64_t current = *current_value(c.kernel, c.launch, c.answer(), input);
        for (const bool up : {false, true}) {
          INFO(test::describe(configuration) << " " << to_string(input) << (up ? " up" : " down"));
          CHECK(reported(cliffs, input, up) == nearest_change(c, input, current, up));
        }
      }
    }
  }
}

TEST_CASE("the nearest gain is the nearest of all values with more warps") {
  test::RandomConfigurations random(4);
  for (const Architecture& part : built_in_architectures()) {
    for (int i = 0; i < 15; ++i) {
      const test::Configuration configuration = random.next(part);
      const Launch c = of(configuration);
      const Occupancy now = c.answer();
      for (const Input input : all_inputs) {
        const std::int64_t current = *current_value(c.kernel, c.launch, now, input);
        std::optional<std::int64_t> least;
        for (const std::int64_t value : all_values(c.sm, c.launch, input, current)) {
          if (with_value(c, input, value).active_warps_per_sm > now.active_warps_per_sm) {
            const std::int64_t distance = std::abs(value - current);
            least = std::min(least.value_or(distance), distance);
          }
        }
        const std::optional<Cliff> gain = find_nearest_gain(c.sm, c.kernel, c.launch, input);
        INFO(test::describe(configuration) << " " << to_string(input));
        CHECK((gain ? std::optional(std::abs(gain->change)) : std::nullopt) == least);
      }
    }
  }
}

TEST_CASE("a staircase is gapless, and its steps are where blocks or warps change") {
  test::RandomConfigurations random(5);
  for (const Architecture& part : built_in_architectures()) {
    for (int i = 0; i < 5; ++i) {
      const test::Configuration configuration = random.next(part);
      const Launch c = of(configuration);
      for (const Staircase& staircase : find_staircases(c.sm, c.kernel, c.launch)) {
        INFO(test::describe(configuration) << " " << to_string(staircase.input));
        REQUIRE_FALSE(staircase.stairs.empty());
        for (const std::int64_t value : all_values(c.sm, c.launch, staircase.input, 0)) {
          const auto stair =
              std::find_if(staircase.stairs.begin(), staircase.stairs.end(),
                           [value](const Stair& known) { return known.from <= value && value <= known.to; });
          REQUIRE(stair != staircase.stairs.end());
          const Occupancy there = with_value(c, staircase.input, value);
          CHECK(there.active_blocks_per_sm == stair->occupancy.active_blocks_per_sm);
          CHECK(there.active_warps_per_sm == stair->occupancy.active_warps_per_sm);
        }
      }
    }
  }
}

TEST_CASE("where registers and shared memory tie, both must move, and to what") {
  const Launch c{limits("sm_80"), {.registers_per_thread = 40}, {.block = {256}, .dynamic_shared_memory = 26880}};
  const std::optional<JointCliff> joint = find_joint_cliff(c.sm, c.kernel, c.launch);
  REQUIRE(joint);
  CHECK(joint->active_blocks_per_sm == 8);
  CHECK(joint->occupancy == 1.0);
  CHECK(joint->max_registers_per_thread == 32);
  CHECK(joint->max_shared_memory == 19968);
  CHECK_FALSE(joint->max_barriers);
}

TEST_CASE("a joint cliff holds at its values, and moving less gains less") {
  test::RandomConfigurations random(6);
  int found = 0;
  for (const Architecture& part : built_in_architectures()) {
    for (int i = 0; i < 3000; ++i) {
      const Launch c = of(random.next(part));
      const std::optional<JointCliff> joint = find_joint_cliff(c.sm, c.kernel, c.launch);
      if (!joint) {
        continue;
      }
      ++found;
      Launch moved = c;
      const auto move = [&moved, &joint](std::int64_t further) {
        if (joint->max_registers_per_thread) {
          moved.kernel.registers_per_thread = static_cast<int>(*joint->max_registers_per_thread + further);
        }
        if (joint->max_shared_memory) {
          moved.kernel.static_shared_memory = 0;
          moved.launch.dynamic_shared_memory = *joint->max_shared_memory + further;
        }
        if (joint->max_barriers) {
          moved.kernel.barriers = static_cast<int>(*joint->max_barriers + further);
        }
        return moved.answer().active_blocks_per_sm;
      };
      CHECK(move(0) >= joint->active_blocks_per_sm);
      CHECK(move(1) < joint->active_blocks_per_sm);
    }
  }
  CHECK(found > 100);
}

TEST_CASE("at a ceiling that cannot move, or where one binds alone, there is no joint cliff") {
  CHECK_FALSE(find_joint_cliff(limits("sm_80"), {.registers_per_thread = 40}, {.block = {256}}));
  CHECK_FALSE(find_joint_cliff(limits("sm_80"), {.registers_per_thread = 32}, {.block = {256}}));
}
