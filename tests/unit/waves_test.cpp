// Waves: worked by hand, and as profilers reported them.

#include <optional>

#include "catch.hpp"
#include "occcalc/arch_catalog.hpp"
#include "occcalc/waves.hpp"

using namespace occcalc;

namespace {

Occupancy occupancy_of(const char* arch, int registers, int threads, std::int64_t bytes = 0) {
  return compute_occupancy(find_architecture(arch)->limits, {.registers_per_thread = registers},
                           {.block = {threads}, .dynamic_shared_memory = bytes});
}

}  // namespace

TEST_CASE("a second wave of 8 blocks wastes three quarters of it") {
  const Occupancy occupancy = occupancy_of("sm_80", 32, 1024);  // 2 blocks per SM
  const std::optional<Waves> waves = compute_waves(occupancy, 40, {16});
  REQUIRE(waves);
  CHECK(waves->blocks_per_wave == 32);
  CHECK(waves->waves == 1.25);
  CHECK(waves->tail->full_waves == 1);
  CHECK(waves->tail->blocks == 8);
  CHECK(waves->tail->idle_sms == 8);
  CHECK(waves->tail->efficiency == 0.625);
  CHECK(waves->average_occupancy_bound == 0.625);
  CHECK(waves->achieved_occupancy_bound == Approx(40.0 * 32 / (16 + 8) / 64));
  CHECK(waves->tail->smaller_grid == 32);
  CHECK(waves->tail->larger_grid == 64);
}

TEST_CASE("a full last wave is no tail, and the grid is its own next one") {
  const std::optional<Waves> waves = compute_waves(occupancy_of("sm_80", 40, 256), 6 * 108 * 3, {108});
  REQUIRE(waves);
  CHECK(waves->waves == 3);
  CHECK(waves->tail->blocks == 0);
  CHECK(waves->tail->idle_sms == 0);
  CHECK(waves->tail->efficiency == 1);
  CHECK(waves->average_occupancy_bound == 0.75);
  CHECK(waves->achieved_occupancy_bound == 0.75);
  CHECK(waves->tail->smaller_grid == 6 * 108 * 2);
  CHECK(waves->tail->larger_grid == 6 * 108 * 3);
}

TEST_CASE("a grid of less than one wave leaves most of a large GPU idle") {
  const Occupancy occupancy = occupancy_of("sm_90", 32, 128);  // 16 blocks per SM
  const std::optional<Waves> waves = compute_waves(occupancy, 224, {132});
  REQUIRE(waves);
  CHECK(waves->waves == Approx(0.106).margin(0.0005));
  CHECK(waves->tail->full_waves == 0);
  CHECK(waves->tail->blocks == 224);
  CHECK(waves->tail->idle_sms == 0);
  CHECK(waves->tail->smaller_grid == 0);
  CHECK(compute_waves(occupancy, 100, {132})->tail->idle_sms == 32);
}

TEST_CASE("where no block fits, or nothing is there, there are no waves") {
  CHECK_FALSE(compute_waves(occupancy_of("sm_80", 255, 1024), 10, {108}));
  CHECK_FALSE(compute_waves(occupancy_of("sm_80", 32, 256), 0, {108}));
  CHECK_FALSE(compute_waves(occupancy_of("sm_80", 32, 256), 10, {0}));
}

TEST_CASE("grids beyond 64 bits stop there") {
  CHECK(block_count(Grid{2147483647, 2147483647, 2147483647}) == 9223372036854775807);
  CHECK(block_count(Grid{2147483647, 2147483647, 2}) == 9223372028264841218);
}

TEST_CASE("the largest grid is counted") {
  const std::int64_t blocks = block_count(most_grid);
  CHECK(blocks == 9223090559730712575);
  const std::optional<Waves> waves = compute_waves(occupancy_of("sm_80", 32, 256), blocks, {108});
  REQUIRE(waves);
  CHECK(waves->tail->larger_grid >= blocks);
  CHECK(waves->tail->full_waves == blocks / (8 * 108));
}

TEST_CASE("block sizes that fill the waves better come fullest first") {
  const SmLimits& sm = find_architecture("sm_80")->limits;
  const KernelResources kernel{.registers_per_thread = 40};
  const LaunchConfig launch{.block = {1024}};
  const std::optional<Waves> current = compute_waves(compute_occupancy(sm, kernel, launch), 110, {108});
  REQUIRE(current);
  const std::vector<BlockWaves> fuller = find_fuller_blocks(sm, kernel, launch, *current, {108}, {}, 3);
  REQUIRE_FALSE(fuller.empty());
  for (std::size_t i = 0; i < fuller.size(); ++i) {
    const Waves& waves = fuller[i].waves;
    CHECK(waves.average_occupancy_bound >= current->average_occupancy_bound + 0.02);
    CHECK(waves.grid_blocks * fuller[i].threads_per_block >= 110 * 1024);
    CHECK((i == 0 || waves.average_occupancy_bound <= fuller[i - 1].waves.average_occupancy_bound));
    const Occupancy other = compute_occupancy(sm, kernel, {.block = {fuller[i].threads_per_block}});
    CHECK(waves.blocks_per_wave == other.active_blocks_per_sm * 108);
  }
}
