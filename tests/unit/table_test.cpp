// OccupancyTable is compute_occupancy(), faster: also where its tables do not reach.

#include <climits>

#include "catch.hpp"
#include "differential/random_configuration.hpp"
#include "occcalc/occcalc.hpp"

namespace {

using namespace occcalc;

bool same(const Occupancy& a, const Occupancy& b) {
  return a.threads_per_block == b.threads_per_block && a.warps_per_block == b.warps_per_block &&
         a.active_blocks_per_sm == b.active_blocks_per_sm && a.active_warps_per_sm == b.active_warps_per_sm &&
         a.max_warps_per_sm == b.max_warps_per_sm && a.limiters == b.limiters && a.global_caching == b.global_caching &&
         a.blocks_per_sm == b.blocks_per_sm && a.allocated_registers_per_block == b.allocated_registers_per_block &&
         a.allocated_shared_memory_per_block == b.allocated_shared_memory_per_block &&
         a.shared_memory_per_sm == b.shared_memory_per_sm;
}

}  // namespace

TEST_CASE("the table gives the answers of the model on every part") {
  test::RandomConfigurations random(7);
  for (const Architecture& part : built_in_architectures()) {
    const OccupancyTable table(part.limits);
    for (int i = 0; i < 5000; ++i) {
      const test::Configuration c = random.next(part);
      REQUIRE(same(table.compute(c.kernel, c.launch), compute_occupancy(part.limits, c.kernel, c.launch)));
    }
  }
}

TEST_CASE("the table gives the answers of the model at every edge of its tables") {
  for (const Architecture& part : built_in_architectures()) {
    const OccupancyTable table(part.limits);
    for (const int registers : {-1, 0, 1, 63, 64, 255, 256, 257, 100'000}) {
      for (const Dim3 block : {Dim3{0}, Dim3{-5}, Dim3{1024}, Dim3{1025}, Dim3{32, 32}, Dim3{1, 1, 64}, Dim3{1, 1, 65},
                               Dim3{65536, 65536}, Dim3{1024, 1024, 64}}) {
        for (const std::int64_t bytes : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1} << 24, INT64_MAX}) {
          for (const int barriers : {-1, 0, 16, 17}) {
            const KernelResources kernel{
                .registers_per_thread = registers, .static_shared_memory = bytes, .barriers = barriers};
            const LaunchConfig launch{.block = block,
                                      .dynamic_shared_memory = 128,
                                      .dynamic_shared_memory_per_thread = barriers % 2 == 0 ? 4 : bytes};
            REQUIRE(same(table.compute(kernel, launch), compute_occupancy(part.limits, kernel, launch)));
          }
        }
      }
    }
  }
}

TEST_CASE("the table of active blocks gives those of the model on every part") {
  test::RandomConfigurations random(11);
  for (const Architecture& part : built_in_architectures()) {
    for (int table = 0; table < 20; ++table) {
      const test::Configuration same = random.next(part);
      const ActiveBlocksTable active(part.limits, same.kernel, same.launch);
      for (int i = 0; i < 500; ++i) {
        test::Configuration c = random.next(part);
        c.kernel.barriers = same.kernel.barriers;
        c.kernel.virtual_resources = same.kernel.virtual_resources;
        c.launch.carveout = same.launch.carveout;
        c.launch.opt_in = same.launch.opt_in;
        c.launch.global_caching = same.launch.global_caching;
        REQUIRE(active.active_blocks(*c.kernel.registers_per_thread, c.launch.block.x,
                                     shared_memory_bytes(c.kernel, c.launch)) ==
                compute_occupancy(part.limits, c.kernel, c.launch).active_blocks_per_sm);
      }
    }
  }
}

TEST_CASE("the table of active blocks gives those of the model at and beyond its edges") {
  SmLimits odd = find_architecture("sm_80")->limits;
  odd.max_threads_per_block = 1000;
  odd.max_block_dim = {700, 1000, 64};
  odd.register_allocation_unit = 96;
  SmLimits no_table = odd;
  no_table.shared_memory_allocation_unit = 100;
  for (const SmLimits& sm :
       {find_architecture("sm_120")->limits, find_architecture("sm_37")->limits, odd, no_table, SmLimits{}}) {
    const ActiveBlocksTable active(sm);
    for (const int registers : {INT_MIN, -1, 0, 1, 31, 32, 33, 254, 255, 256, 1024, INT_MAX}) {
      for (const int threads : {INT_MIN, -1, 0, 1, 31, 32, 33, 700, 701, 1000, 1023, 1024, 1025, INT_MAX}) {
        const std::int64_t most = sm.max_shared_memory_per_block_optin;
        for (const std::int64_t bytes : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, most - 129,
                                         most - 1, most, most + 1, most + 129, most + 2000, INT64_MAX}) {
          const LaunchConfig launch{.block = {threads}, .dynamic_shared_memory = bytes};
          const int expected = compute_occupancy(sm, {.registers_per_thread = registers}, launch).active_blocks_per_sm;
          REQUIRE(active.active_blocks(registers, threads, bytes) == expected);
        }
      }
    }
  }
}

TEST_CASE("launch bounds hold in every table") {
  const SmLimits& sm = find_architecture("sm_90")->limits;
  const KernelResources kernel{.registers_per_thread = 32, .max_threads_per_block = 100};
  const OccupancyTable table(sm);
  const ActiveBlocksTable active(sm, kernel);
  for (const int threads : {32, 100, 101, 128}) {
    const LaunchConfig launch{.block = {threads}};
    const Occupancy expected = compute_occupancy(sm, kernel, launch);
    CHECK(expected.launchable() == (threads <= 100));
    CHECK(same(table.compute(kernel, launch), expected));
    CHECK(active.active_blocks(32, threads, 0) == expected.active_blocks_per_sm);
  }
}

TEST_CASE("a required block holds in every table") {
  const SmLimits& sm = find_architecture("sm_90")->limits;
  const KernelResources kernel{.registers_per_thread = 32, .required_block = {64, 1, 1}};
  const OccupancyTable table(sm);
  const ActiveBlocksTable active(sm, kernel);
  for (const int threads : {32, 64, 128}) {
    const LaunchConfig launch{.block = {threads}};
    const Occupancy expected = compute_occupancy(sm, kernel, launch);
    CHECK(expected.launchable() == (threads == 64));
    CHECK(same(table.compute(kernel, launch), expected));
    CHECK(active.active_blocks(32, threads, 0) == expected.active_blocks_per_sm);
  }
}

TEST_CASE("dimensions whose product leaves an int are no index") {
  SmLimits wide = find_architecture("sm_80")->limits;
  wide.max_block_dim = {65536, 65536, 64};
  const KernelResources kernel{.registers_per_thread = 40};
  for (const Dim3 block : {Dim3{65536, 32768}, Dim3{65536, 65536}, Dim3{65536, 65536, 64}}) {
    CHECK(OccupancyTable(wide).compute(kernel, {.block = block}).active_blocks_per_sm == 0);
  }
}

TEST_CASE("a part of unusual geometry is answered by the model itself") {
  SmLimits odd = find_architecture("sm_80")->limits;
  odd.register_allocation_unit = 96;
  odd.shared_memory_allocation_unit = 100;
  const OccupancyTable table(odd);
  for (int registers = 0; registers < 256; registers += 5) {
    const KernelResources kernel{.registers_per_thread = registers};
    const LaunchConfig launch{.block = {192}, .dynamic_shared_memory = 1000};
    CHECK(same(table.compute(kernel, launch), compute_occupancy(odd, kernel, launch)));
  }
}
