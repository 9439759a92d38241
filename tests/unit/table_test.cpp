// OccupancyTable is compute_occupancy(), faster: also where its tables do not reach.

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
