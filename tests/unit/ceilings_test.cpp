// Both sides of every rounding step, ceiling by ceiling.

#include "catch.hpp"
#include "occcalc/occcalc.hpp"

namespace {

using namespace occcalc;

const SmLimits& limits(std::string_view name) { return find_architecture(name)->limits; }

Occupancy with_registers(std::string_view arch, int registers, int threads) {
  return compute_occupancy(limits(arch), {.registers_per_thread = registers}, {.block = {threads}});
}

Occupancy with_memory(std::string_view arch, std::int64_t bytes, bool opt_in = true) {
  return compute_occupancy(limits(arch), {}, {.block = {64}, .dynamic_shared_memory = bytes, .opt_in = opt_in});
}

Occupancy with_carveout(std::string_view arch, Carveout carveout, std::int64_t bytes) {
  return compute_occupancy(limits(arch), {}, {.block = {64}, .dynamic_shared_memory = bytes, .carveout = carveout});
}

std::int64_t capacity(std::string_view arch, Carveout carveout, std::int64_t bytes = 0) {
  return with_carveout(arch, carveout, bytes).shared_memory_per_sm;
}

ResourceSet set_of(std::initializer_list<Resource> resources) {
  ResourceSet set;
  for (const Resource resource : resources) {
    set = set.with(resource);
  }
  return set;
}

}  // namespace

TEST_CASE("a block holds whole warps") {
  CHECK(with_registers("sm_80", 0, 32).warps_per_block == 1);
  CHECK(with_registers("sm_80", 0, 33).warps_per_block == 2);
  CHECK(with_registers("sm_80", 0, 1).ceiling(Resource::Warps) == 64);
  CHECK(with_registers("sm_80", 0, 33).ceiling(Resource::Warps) == 32);
}

TEST_CASE("warp slots that no whole block fills stay empty") {
  const Occupancy answer = with_registers("sm_80", 16, 768);
  CHECK(answer.ceiling(Resource::Warps) == 2);
  CHECK(answer.active_warps_per_sm == 48);
}

TEST_CASE("the largest block launches, one thread more does not") {
  CHECK(with_registers("sm_80", 0, 1024).ceiling(Resource::Warps) == 2);
  CHECK(with_registers("sm_80", 0, 1025).ceiling(Resource::Warps) == 0);
}

TEST_CASE("each dimension has its own limit") {
  const auto blocks = [](Dim3 block) {
    return compute_occupancy(limits("sm_80"), {}, {.block = block}).active_blocks_per_sm;
  };
  CHECK(blocks({1, 1, 64}) == 32);
  CHECK(blocks({1, 1, 65}) == 0);
  CHECK(blocks({1, 1024, 1}) == 2);
  CHECK(blocks({1, 1025, 1}) == 0);
}

TEST_CASE("where only a dimension is too large, no ceiling binds") {
  const Occupancy answer = compute_occupancy(limits("sm_80"), {}, {.block = {1, 1, 65}});
  CHECK(answer.limiters.empty());
  CHECK(answer.ceiling(Resource::Warps) == 21);
}

TEST_CASE("registers are charged to warps in units of 256") {
  CHECK(with_registers("sm_80", 40, 256).allocated_registers_per_block == 10240);
  CHECK(with_registers("sm_80", 41, 256).allocated_registers_per_block == 12288);
  CHECK(with_registers("sm_80", 48, 256).allocated_registers_per_block == 12288);
  CHECK(with_registers("sm_80", 41, 256).active_blocks_per_sm == with_registers("sm_80", 43, 256).active_blocks_per_sm);
}

TEST_CASE("each sub-partition serves whole warps from its own share of the file") {
  // 1,536 a warp: 16,384 / 1,536 = 10 warps, x 4 = 40, where plain division of the file gives 42.
  CHECK(with_registers("sm_80", 48, 32).ceiling(Resource::Registers) == 40);
  // 92 registers x 224 threads: 20 warps fit, 7 a block.
  CHECK(with_registers("sm_80", 92, 224).ceiling(Resource::Registers) == 2);
  CHECK(with_registers("sm_86", 18, 32).ceiling(Resource::Registers) == 84);
  CHECK(with_registers("textbook", 48, 32).ceiling(Resource::Registers) == 42);
}

TEST_CASE("the per-block check rounds the warps up to the sub-partitions") {
  // 128 registers: 4,096 a warp; 16 warps are the whole file, 17 are checked as 20.
  CHECK(with_registers("sm_80", 128, 512).ceiling(Resource::Registers) == 1);
  CHECK(with_registers("sm_80", 128, 513).ceiling(Resource::Registers) == 0);
  CHECK(with_registers("sm_80", 136, 512).ceiling(Resource::Registers) == 0);
}

TEST_CASE("a block stops at the per-block registers, however large the file is") {
  CHECK(with_registers("sm_37", 64, 1024).ceiling(Resource::Registers) == 2);
  CHECK(with_registers("sm_37", 65, 1024).ceiling(Resource::Registers) == 0);
  CHECK(with_registers("sm_53", 32, 1024).ceiling(Resource::Registers) == 2);
  CHECK(with_registers("sm_53", 33, 1024).ceiling(Resource::Registers) == 0);
}

TEST_CASE("a thread stops at the per-thread registers") {
  CHECK(with_registers("sm_80", 255, 32).ceiling(Resource::Registers) == 8);
  CHECK(with_registers("sm_80", 256, 32).ceiling(Resource::Registers) == 0);
  CHECK(with_registers("sm_30", 63, 32).ceiling(Resource::Registers) == 32);
  CHECK(with_registers("sm_30", 64, 32).ceiling(Resource::Registers) == 0);
  CHECK(with_registers("sm_35", 64, 32).ceiling(Resource::Registers) == 32);
}

TEST_CASE("no registers set no ceiling, unknown registers set none and are charged nothing") {
  CHECK_FALSE(with_registers("sm_80", 0, 256).ceiling(Resource::Registers));
  CHECK(with_registers("sm_80", 0, 256).allocated_registers_per_block == 0);
  const Occupancy unknown = compute_occupancy(limits("sm_80"), {}, {.block = {256}});
  CHECK_FALSE(unknown.ceiling(Resource::Registers));
  CHECK_FALSE(unknown.allocated_registers_per_block);
}

TEST_CASE("GP100 has two sub-partitions but runs only what the four-partition Pascal parts run") {
  CHECK(with_registers("sm_60", 176, 256).ceiling(Resource::Registers) == 1);
  CHECK(with_registers("sm_60", 176, 288).ceiling(Resource::Registers) == 0);
  CHECK(with_registers("sm_60", 176, 288).allocated_registers_per_block == 50688);
  // 1,280 a warp: 32,768 / 1,280 = 25, x 2 = 50; the four-partition parts hold 48.
  CHECK(with_registers("sm_60", 40, 32).ceiling(Resource::Registers) == 50);
  CHECK(with_registers("sm_61", 40, 32).ceiling(Resource::Registers) == 48);
}

TEST_CASE("shared memory is charged in granules, with the driver's reserve from 8.0 on") {
  CHECK(with_memory("sm_75", 0).allocated_shared_memory_per_block == 0);
  CHECK_FALSE(with_memory("sm_75", 0).ceiling(Resource::SharedMemory));
  CHECK(with_memory("sm_75", 1).allocated_shared_memory_per_block == 256);
  CHECK(with_memory("sm_75", 257).allocated_shared_memory_per_block == 512);
  CHECK(with_memory("sm_80", 0).allocated_shared_memory_per_block == 1024);
  CHECK(with_memory("sm_80", 0).ceiling(Resource::SharedMemory) == 164);
  CHECK(with_memory("sm_80", 1).allocated_shared_memory_per_block == 1152);
  CHECK(with_memory("sm_80", 128).allocated_shared_memory_per_block == 1152);
}

TEST_CASE("48 KB need no opt-in, and the reserve is not held against it") {
  CHECK(with_memory("sm_80", 49152, false).ceiling(Resource::SharedMemory) == 3);
  CHECK(with_memory("sm_80", 49153, false).ceiling(Resource::SharedMemory) == 0);
  CHECK(with_memory("sm_80", 49153, true).ceiling(Resource::SharedMemory) == 3);
  CHECK(with_memory("sm_61", 49152).ceiling(Resource::SharedMemory) == 2);
  CHECK(with_memory("sm_61", 49153).ceiling(Resource::SharedMemory) == 0);
}

TEST_CASE("with opt-in a block reaches the opt-in maximum") {
  CHECK(with_memory("sm_120", 101376).ceiling(Resource::SharedMemory) == 1);
  CHECK(with_memory("sm_120", 101377).ceiling(Resource::SharedMemory) == 0);
  CHECK(with_memory("sm_75", 65536).ceiling(Resource::SharedMemory) == 1);
  CHECK(with_memory("sm_75", 65537).ceiling(Resource::SharedMemory) == 0);
}

TEST_CASE("one byte more than fits a number of times costs a block") {
  CHECK(with_carveout("sm_86", Carveout::bytes(102400), 24576).ceiling(Resource::SharedMemory) == 4);
  CHECK(with_carveout("sm_86", Carveout::bytes(102400), 24577).ceiling(Resource::SharedMemory) == 3);
}

TEST_CASE("static and dynamic memory count alike") {
  const auto blocks = [](std::int64_t fixed, std::int64_t dynamic) {
    return compute_occupancy(limits("sm_90"), {.static_shared_memory = fixed},
                             {.block = {64}, .dynamic_shared_memory = dynamic})
        .ceiling(Resource::SharedMemory);
  };
  CHECK(blocks(20000, 0) == blocks(0, 20000));
  CHECK(blocks(20000, 0) == blocks(7000, 13000));
}

TEST_CASE("a percentage is a share of the largest capacity, rounded up to a supported size") {
  CHECK(capacity("sm_80", Carveout::percent(100)) == 167936);
  CHECK(capacity("sm_80", Carveout::percent(50)) == 102400);
  CHECK(capacity("sm_80", Carveout::percent(39)) == 65536);   // 65,495.04
  CHECK(capacity("sm_80", Carveout::percent(40)) == 102400);  // 67,174.4
  CHECK(capacity("sm_80", {Carveout::Kind::MaxL1}) == 8192);  // 0, which cannot hold the reserve
  CHECK(capacity("sm_80", {Carveout::Kind::Equal}) == 102400);
  CHECK(capacity("sm_75", Carveout::percent(0)) == 32768);
  CHECK(capacity("sm_70", Carveout::percent(0)) == 0);
}

TEST_CASE("a preference below one block is raised to the smallest size that holds one") {
  CHECK(capacity("sm_80", Carveout::percent(0), 31744) == 32768);
  CHECK(capacity("sm_80", Carveout::percent(0), 31745) == 65536);
  CHECK(capacity("sm_80", Carveout::bytes(8192), 100000) == 102400);
}

TEST_CASE("on 3.x the words pick a split and percentages nothing, on 5.x there is one size") {
  CHECK(capacity("sm_35", {Carveout::Kind::MaxL1}) == 16384);
  CHECK(capacity("sm_35", {Carveout::Kind::Equal}) == 32768);
  CHECK(capacity("sm_35", {Carveout::Kind::MaxShared}) == 49152);
  CHECK(capacity("sm_35", Carveout::percent(10)) == 49152);
  CHECK(capacity("sm_37", {Carveout::Kind::Equal}) == 98304);
  CHECK(capacity("sm_35", {Carveout::Kind::MaxL1}, 20480) == 49152);
  CHECK(capacity("sm_52", {Carveout::Kind::MaxL1}) == 98304);
}

TEST_CASE("10.7 reaches its oversized capacity only when asked or when one block needs it") {
  CHECK(capacity("sm_107", {}) == 233472);
  CHECK(capacity("sm_107", Carveout::percent(100)) == 233472);
  CHECK(capacity("sm_107", Carveout::bytes(335872)) == 335872);
  CHECK(capacity("sm_107", {}, 232448) == 233472);
  CHECK(capacity("sm_107", {}, 232449) == 335872);
  CHECK(with_memory("sm_107", 334848).active_blocks_per_sm == 1);
  CHECK(with_memory("sm_107", 334849).active_blocks_per_sm == 0);
}

TEST_CASE("barriers are a pool from 9.0 on, where it is known") {
  const auto blocks = [](std::string_view arch, int barriers) {
    return compute_occupancy(limits(arch), {.barriers = barriers}, {.block = {32}}).ceiling(Resource::Barriers);
  };
  CHECK(blocks("sm_90", 1) == 64);
  CHECK(blocks("sm_90", 3) == 21);
  CHECK(blocks("sm_90", 16) == 4);
  CHECK(blocks("sm_120", 16) == 1);
  CHECK_FALSE(blocks("sm_90", 0));
  CHECK_FALSE(blocks("sm_80", 16));
  CHECK_FALSE(blocks("sm_107", 16));
  CHECK(blocks("sm_80", 17) == 0);
}

TEST_CASE("virtual resources are a pool of 128 where the part has one") {
  const auto blocks = [](std::string_view arch, int count) {
    return compute_occupancy(limits(arch), {.virtual_resources = count}, {.block = {32}})
        .ceiling(Resource::VirtualResources);
  };
  CHECK(blocks("sm_100", 128) == 1);
  CHECK(blocks("sm_100", 129) == 0);
  CHECK(blocks("sm_100", 64) == 2);
  CHECK_FALSE(blocks("sm_100", 0));
  CHECK_FALSE(blocks("sm_90", 128));
  CHECK_FALSE(blocks("sm_107", 128));
}

TEST_CASE("partitioned global caching counts each half of the SM alone") {
  const auto blocks = [](int registers, int threads, GlobalCaching caching) {
    return compute_occupancy(limits("sm_52"), {.registers_per_thread = registers},
                             {.block = {threads}, .global_caching = caching})
        .active_blocks_per_sm;
  };
  CHECK(blocks(64, 1024, GlobalCaching::Off) == 1);
  CHECK(blocks(64, 1024, GlobalCaching::On) == 1);
  CHECK(blocks(64, 1024, GlobalCaching::Strict) == 0);
  CHECK(blocks(85, 128, GlobalCaching::Off) == 5);
  CHECK(blocks(85, 128, GlobalCaching::On) == 4);
  CHECK(blocks(85, 128, GlobalCaching::Strict) == 4);
}

TEST_CASE("global caching turns off for both ceilings, and stays on where no registers decide") {
  const auto answer = [](int registers, int threads) {
    return compute_occupancy(limits("sm_52"), {.registers_per_thread = registers},
                             {.block = {threads}, .global_caching = GlobalCaching::On});
  };
  CHECK(answer(64, 1024).global_caching == GlobalCaching::Off);
  CHECK(answer(0, 672).global_caching == GlobalCaching::On);
  CHECK(answer(0, 672).ceiling(Resource::Warps) == 2);    // 32 / 21, twice
  CHECK(answer(256, 672).ceiling(Resource::Warps) == 2);  // a failed check leaves it on
}

TEST_CASE("parts without partitioned global caching ignore the mode") {
  const Occupancy answer = compute_occupancy(limits("sm_60"), {.registers_per_thread = 64},
                                             {.block = {1024}, .global_caching = GlobalCaching::Strict});
  CHECK(answer.active_blocks_per_sm == 1);
  CHECK(answer.global_caching == GlobalCaching::Off);
}

TEST_CASE("every resource that reaches the minimum binds") {
  CHECK(with_registers("sm_80", 32, 256).limiters == set_of({Resource::Warps, Resource::Registers}));
  const Occupancy one = compute_occupancy(limits("sm_80"), {.registers_per_thread = 16},
                                          {.block = {1}, .carveout = Carveout::bytes(32768)});
  CHECK(one.active_blocks_per_sm == 32);
  CHECK(one.limiters == set_of({Resource::Blocks, Resource::SharedMemory}));
  const Occupancy none = with_registers("sm_80", 70, 1025);
  CHECK(none.limiters == set_of({Resource::Warps, Resource::Registers}));
}

TEST_CASE("amounts that no SM holds are an answer, and what is charged stops at 64 bits") {
  constexpr std::int64_t most = INT64_MAX;
  const Occupancy answer =
      compute_occupancy(limits("sm_80"), {.registers_per_thread = INT_MAX, .static_shared_memory = most},
                        {.block = {INT_MAX}, .dynamic_shared_memory = most});
  CHECK(answer.active_blocks_per_sm == 0);
  CHECK(answer.allocated_shared_memory_per_block == most);
  CHECK(answer.limiters == set_of({Resource::Warps, Resource::Registers, Resource::SharedMemory}));
  CHECK(thread_count({INT_MAX, INT_MAX, INT_MAX}) == INT_MAX);
}

TEST_CASE("a negative amount or an empty block means nothing and fits nowhere") {
  const SmLimits& sm = limits("sm_80");
  CHECK(compute_occupancy(sm, {}, {.block = {0}}).active_blocks_per_sm == 0);
  CHECK(compute_occupancy(sm, {}, {.block = {-32}}).active_blocks_per_sm == 0);
  CHECK(compute_occupancy(sm, {.registers_per_thread = -1}, {.block = {32}}).active_blocks_per_sm == 0);
  CHECK(compute_occupancy(sm, {.barriers = -1}, {.block = {32}}).active_blocks_per_sm == 0);
  CHECK(compute_occupancy(sm, {}, {.block = {32}, .dynamic_shared_memory = -1}).active_blocks_per_sm == 0);
}

TEST_CASE("limits that are not filled in fit nothing, and do not divide by zero") {
  CHECK(compute_occupancy({}, {.registers_per_thread = 32}, {.block = {32}}).active_blocks_per_sm == 0);
  CHECK(OccupancyTable({}).compute({.registers_per_thread = 32}, {.block = {32}}).active_blocks_per_sm == 0);
  SmLimits negative = limits("sm_80");
  negative.max_blocks_per_sm = -1;
  CHECK(compute_occupancy(negative, {}, {.block = {32}}).active_blocks_per_sm == 0);
}

TEST_CASE("the capacity that a driver reports replaces the largest carveout") {
  SmLimits sm = limits("sm_90");
  set_shared_memory_per_sm(sm, 102400);
  const Occupancy answer = compute_occupancy(sm, {}, {.block = {64}, .dynamic_shared_memory = 40 * 1024});
  CHECK(answer.shared_memory_per_sm == 102400);
  CHECK(answer.ceiling(Resource::SharedMemory) == 2);
  set_shared_memory_per_sm(sm, 233472);
  CHECK(sm.carveouts[sm.carveouts.size() - 1] == 233472);
  CHECK(sm.default_carveout == 233472);
}

TEST_CASE("a ceiling is told in full: requested, charged, wasted, used, slack") {
  const SmLimits& sm = limits("sm_80");
  const KernelResources kernel{.registers_per_thread = 41, .static_shared_memory = 100};
  const LaunchConfig launch{.block = {250}, .dynamic_shared_memory = 1000};
  const Occupancy answer = compute_occupancy(sm, kernel, launch);
  const auto ceilings = describe_ceilings(sm, kernel, launch, answer);
  const Ceiling& warps = ceilings[0];
  CHECK(warps.requested == 250);
  CHECK(warps.allocated_per_block == 8);
  CHECK(warps.wasted_per_block == 6);
  const Ceiling& registers = ceilings[2];
  CHECK(registers.requested == 41);
  CHECK(registers.allocated_per_block == 12288);
  CHECK(registers.wasted_per_block == 12288 - 41 * 250);
  CHECK(registers.used_per_sm == 5 * 12288);
  CHECK(registers.slack_blocks == 0);
  CHECK(registers.binds);
  const Ceiling& memory = ceilings[3];
  CHECK(memory.requested == 1100);
  CHECK(memory.allocated_per_block == 2176);
  CHECK(memory.wasted_per_block == 52);  // the reserve of 1,024 is no waste
  CHECK(memory.slack_blocks == 77 - 5);
}
