// Clusters: worked by hand, GPC by GPC.

#include <optional>
#include <string>

#include "catch.hpp"
#include "occcalc/arch_catalog.hpp"
#include "occcalc/clusters.hpp"
#include "occcalc/waves.hpp"

using namespace occcalc;

namespace {

// Layouts of 132 SMs, made up.
const Sms nearly_even{132, {16, 16, 16, 16, 16, 16, 18, 18}};
const Sms uneven{132, {18, 18, 18, 18, 18, 18, 16, 8}};
const Sms unknown_layout{132};

Occupancy occupancy_with(int blocks_per_sm) {
  // 64 warps: so many blocks of equal size, without registers.
  return compute_occupancy(find_architecture("sm_90")->limits, {}, {.block = {2048 / blocks_per_sm}});
}

Occupancy one_block() {
  return compute_occupancy(find_architecture("sm_90")->limits, {.registers_per_thread = 255}, {.block = {256}});
}

std::vector<std::string> codes(const std::vector<Reason>& reasons) {
  std::vector<std::string> codes;
  for (const Reason& reason : reasons) {
    codes.emplace_back(to_string(reason.code));
  }
  return codes;
}

using Codes = std::vector<std::string>;

}  // namespace

TEST_CASE("a GPC holds whole clusters only") {
  REQUIRE(one_block().active_blocks_per_sm == 1);
  const std::optional<Clusters> clusters = compute_clusters(one_block(), {8}, nearly_even);
  REQUIRE(clusters);
  CHECK(clusters->max_active_clusters == 16);  // two in each GPC, also in those of 18 SMs
  CHECK(clusters->usable_sms == 128);
  CHECK_FALSE(clusters->is_bound);
  CHECK(clusters->cluster_occupancy == Approx(128.0 / 132));
  CHECK(clusters->gpu_occupancy == Approx(128.0 / 132 * 8 / 64));
  CHECK(compute_clusters(one_block(), {16}, nearly_even)->max_active_clusters == 8);
  CHECK(compute_clusters(one_block(), {5}, nearly_even)->max_active_clusters == 8 * 3);
}

TEST_CASE("the dimensions of a cluster multiply") {
  CHECK(compute_clusters(one_block(), {2, 2, 2}, nearly_even)->cluster_blocks == 8);
  CHECK(compute_clusters(one_block(), {2, 2, 2}, nearly_even)->max_active_clusters == 16);
}

TEST_CASE("several blocks of a cluster may share an SM") {
  REQUIRE(occupancy_with(2).active_blocks_per_sm == 2);
  const std::optional<Clusters> clusters = compute_clusters(occupancy_with(2), {8}, {33, {17, 16}});
  REQUIRE(clusters);
  CHECK(clusters->max_active_clusters == 4 + 4);  // floor(34 / 8), floor(32 / 8)
  CHECK(clusters->usable_sms == 33);
  CHECK(clusters->cluster_occupancy == Approx(64.0 / 66));
}

TEST_CASE("without a layout the number of SMs gives an upper bound") {
  const std::optional<Clusters> bound = compute_clusters(one_block(), {8}, unknown_layout);
  REQUIRE(bound);
  CHECK(bound->is_bound);
  CHECK(bound->max_active_clusters == 16);
  for (const std::vector<int>& layout : {std::vector<int>{66, 66}, {18, 18, 18, 18, 18, 18, 18, 6}, {10, 122}}) {
    for (int blocks = 2; blocks <= 16; ++blocks) {
      CHECK(compute_clusters(one_block(), {blocks}, {132, layout})->max_active_clusters <=
            compute_clusters(one_block(), {blocks}, unknown_layout)->max_active_clusters);
    }
  }
  // As on H100 boards, of whose 132 SMs clusters of 8 were seen to use 120.
  CHECK(compute_clusters(one_block(), {8}, uneven)->usable_sms == 120);
}

TEST_CASE("a cluster of one block is none, and bounds nothing") {
  const std::optional<Clusters> clusters = compute_clusters(one_block(), {1}, unknown_layout);
  REQUIRE(clusters);
  CHECK_FALSE(clusters->is_bound);
  CHECK(clusters->max_active_clusters == 132);
  CHECK(clusters->cluster_occupancy == 1);
}

TEST_CASE("where no block fits, or nothing is there, there are no clusters") {
  CHECK_FALSE(compute_clusters(Occupancy(), {8}, unknown_layout));
  CHECK_FALSE(compute_clusters(one_block(), {0}, unknown_layout));
  CHECK_FALSE(compute_clusters(one_block(), {8}, {}));
}

TEST_CASE("where the layout is unknown, waves of clusters are the fewest, and nothing is said of the last") {
  const std::optional<Waves> waves = compute_waves(one_block(), 200, unknown_layout, {8});
  REQUIRE(waves);
  CHECK_FALSE(waves->tail);
  CHECK(waves->waves == 200.0 / 128);
  CHECK(waves->achieved_occupancy_bound == one_block().fraction());
  CHECK(compute_waves(one_block(), 200, uneven, {8})->average_occupancy_bound <= waves->average_occupancy_bound);
}

TEST_CASE("waves of clusters are waves of those that are active") {
  const std::optional<Waves> waves = compute_waves(one_block(), 200, uneven, {8});
  REQUIRE(waves);
  CHECK(waves->blocks_per_wave == 120);
  CHECK(waves->tail->full_waves == 1);
  CHECK(waves->tail->blocks == 80);
  CHECK(waves->average_occupancy_bound == Approx(200.0 / 2 / 132 * 8 / 64));
  CHECK(waves->tail->larger_grid == 240);
  CHECK_FALSE(compute_waves(one_block(), 200, uneven, {23}));
}

TEST_CASE("clusters that cannot launch have their reasons") {
  const SmLimits& hopper = find_architecture("sm_90")->limits;
  const auto reasons = [&](Dim3 cluster, std::optional<Grid> grid = std::nullopt) {
    return find_cluster_reasons(hopper, one_block(), {.cluster = cluster, .grid = grid}, nearly_even);
  };
  CHECK(codes(reasons({16})).empty());
  CHECK(codes(reasons({17})) == Codes{"cluster_size"});
  CHECK(codes(reasons({32})) == Codes{"cluster_size", "cluster_per_gpc"});
  CHECK(codes(reasons({4}, Grid{8})).empty());
  CHECK(codes(reasons({4}, Grid{10})) == Codes{"cluster_grid_x"});
  CHECK(reasons({4}, Grid{10}).front().allowed == 8);
  CHECK(codes(reasons({1, 2, 2}, Grid{8, 3, 5})) == Codes{"cluster_grid_y", "cluster_grid_z"});
  CHECK(codes(reasons({1}, Grid{7})).empty());
  CHECK(codes(find_cluster_reasons(find_architecture("sm_80")->limits, one_block(), {.cluster = {2}}, {108})) ==
        Codes{"cluster_size"});
  CHECK(codes(find_cluster_reasons(hopper, one_block(), {.cluster = {8}}, {6})) == Codes{"cluster_per_gpc"});
}

TEST_CASE("what is no cluster has no reasons") {
  const SmLimits& hopper = find_architecture("sm_90")->limits;
  for (const Dim3 none : {Dim3{0}, Dim3{0, 1, 1}, Dim3{2, 0, 2}, Dim3{2, 2, 0}, Dim3{0, 0, 0}}) {
    CHECK(codes(find_cluster_reasons(hopper, one_block(), {.cluster = none, .grid = Grid{7, 7, 7}}, nearly_even))
              .empty());
  }
}

TEST_CASE("a kernel that was compiled for one cluster launches in no other") {
  const SmLimits& hopper = find_architecture("sm_90")->limits;
  const auto of = [&](Dim3 cluster) {
    return codes(find_cluster_reasons(hopper, one_block(), {.cluster = cluster, .required = Dim3{2, 2}}, nearly_even));
  };
  CHECK(of({2, 2}).empty());
  CHECK(of({4}) == Codes{"required_cluster"});  // as many blocks, in another shape
  CHECK(of({1}) == Codes{"required_cluster"});
  CHECK(of({17}) == Codes{"cluster_size", "required_cluster"});
}

TEST_CASE("a launch that its clusters forbid has no blocks, and nothing of the SM binds") {
  const Occupancy none = without_blocks(one_block());
  CHECK_FALSE(none.launchable());
  CHECK(none.active_warps_per_sm == 0);
  CHECK(none.limiters == ResourceSet());
  Occupancy no_launch = one_block();
  no_launch.active_blocks_per_sm = 0;
  CHECK(without_blocks(no_launch).limiters == no_launch.limiters);
}

TEST_CASE("sizes above the portable one are told as what they are") {
  const auto code = [](const char* arch, int blocks) -> std::string {
    const std::vector<Note> notes = find_cluster_notes(find_architecture(arch)->limits, {blocks});
    return notes.empty() ? "" : std::string(to_string(notes.front().code));
  };
  CHECK(code("sm_90", 8).empty());
  CHECK(code("sm_90", 16) == "cluster_opt_in");
  CHECK(code("sm_90", 17).empty());  // a reason, not a note
  CHECK(code("sm_110", 8).empty());
  CHECK(code("sm_110", 16) == "cluster_unknown");
  CHECK(code("sm_80", 1).empty());
}
