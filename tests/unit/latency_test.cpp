// Little's law: the worked numbers of published measurements, and what is unknown.

#include <cmath>

#include "catch.hpp"
#include "occcalc/arch_catalog.hpp"
#include "occcalc/gpu.hpp"
#include "occcalc/latency.hpp"

using namespace occcalc;

namespace {

MemorySystem memory_of(double gbs, double ghz, int sms, int cycles) { return {sms, ghz * 1000, gbs, cycles}; }

Occupancy resident(const char* arch, int warps) {
  Occupancy occupancy;
  occupancy.active_blocks_per_sm = 1;
  occupancy.active_warps_per_sm = warps;
  occupancy.max_warps_per_sm = find_architecture(arch)->limits.max_warps_per_sm;
  return occupancy;
}

LatencyEstimate estimate(const char* arch, const MemorySystem& memory, int warps, const LatencyQuestion& question) {
  const Architecture& part = *find_architecture(arch);
  return estimate_latency(part.limits, part.latencies, memory, resident(arch, warps), question);
}

}  // namespace

TEST_CASE("bytes in flight are a share of the bandwidth for the time of the latency") {
  // GB/s, GHz, SMs, cycles -> bytes, requests of 128 B: worked by hand from published figures.
  CHECK(std::lround(*bytes_in_flight_per_sm(memory_of(898, 1.53, 80, 430))) == 3155);      // V100 SXM2
  CHECK(std::lround(*bytes_in_flight_per_sm(memory_of(1555, 1.41, 108, 550))) == 5616);    // A100 40GB
  CHECK(std::lround(*bytes_in_flight_per_sm(memory_of(3352, 1.98, 132, 700))) == 8978);    // H100 SXM5
  CHECK(std::lround(*bytes_in_flight_per_sm(memory_of(1792, 2.407, 170, 936))) == 4099);   // RTX 5090
  CHECK(std::lround(*bytes_in_flight_per_sm(memory_of(7672, 1.965, 148, 860))) == 22687);  // B200
  CHECK(warps_to_cover_memory(5616, 4) == 44);
  CHECK(warps_to_cover_memory(5616, 16) == 11);
  CHECK(warps_to_cover_memory(22687, 4) == 178);
  CHECK(warps_to_cover_memory(128, 4) == 1);
}

TEST_CASE("products that were measured have the bytes that follow from the measurement") {
  const GpuCatalog catalog;
  const auto bytes = [&](const char* name) {
    const Gpu& gpu = *catalog.find(name).front();
    return std::lround(
        *bytes_in_flight_per_sm({gpu.sm_count, gpu.boost_mhz, gpu.memory_bandwidth, gpu.dram_latency_cycles}));
  };
  CHECK(bytes("H100 SXM5 80GB") == 8979);  // 3352.32 GB/s
  CHECK(bytes("GH200 96GB") == 10590);
  CHECK(bytes("A40") == 2642);
  CHECK(bytes("L40") == 1525);
  CHECK(bytes("RTX 4090") == 1988);
  CHECK(bytes("RTX 5090") == 4099);
  CHECK(bytes("B200") == 22688);
}

TEST_CASE("resident warps are compared with those that cover the latency") {
  const MemorySystem a100 = memory_of(1555, 1.41, 108, 550);
  const LatencyEstimate answer = estimate("sm_80", a100, 48, {.bytes_in_flight_per_thread = 64});
  REQUIRE(answer.asked_need);
  CHECK(answer.asked_need->warps_per_sm == 3);
  CHECK(answer.asked_need->covered);
  CHECK(answer.usual_needs[0]->warps_per_sm == 44);
  CHECK(answer.usual_needs[0]->covered);
  CHECK_FALSE(estimate("sm_80", a100, 43, {}).usual_needs[0]->covered);
  CHECK_FALSE(estimate("sm_80", a100, 43, {}).asked_need);
}

TEST_CASE("dependent FMAs need as many warps as the latency has issue slots") {
  CHECK(warps_to_cover_fma(find_architecture("sm_80")->latencies, 1) == 2);  // 16 lanes: every second cycle
  CHECK(warps_to_cover_fma(find_architecture("sm_90")->latencies, 1) == 4);
  CHECK(warps_to_cover_fma(find_architecture("sm_90")->latencies, 4) == 1);
  CHECK(warps_to_cover_fma(find_architecture("sm_90")->latencies, 3) == 2);
  CHECK(estimate("sm_90", {}, 8, {.ilp = 2}).fma_warps_per_sm == 8);
  CHECK(estimate("sm_80", {}, 8, {}).fma_warps_per_sm == 8);
}

TEST_CASE("numbers that mean nothing give no nonsense") {
  const MemorySystem tiny_clock{1, 1e-300, 1e9, 100000};
  CHECK(estimate("sm_90", tiny_clock, 48, {.bytes_in_flight_per_thread = 4}).asked_need->warps_per_sm > 0);
  CHECK_FALSE(estimate("sm_90", tiny_clock, 48, {.bytes_in_flight_per_thread = 4}).asked_need->covered);
  SmLimits sm = find_architecture("sm_90")->limits;
  sm.sub_partitions = 256;
  const Latencies slow{std::nullopt, 16777216, 1};
  CHECK(estimate_latency(sm, slow, {}, resident("sm_90", 48), {}).fma_warps_per_sm == 2147483647);
}

TEST_CASE("what was not measured is unknown, and no neighbour's number") {
  for (const char* const arch : {"sm_35", "sm_52", "sm_61", "sm_88", "sm_107", "sm_110", "sm_121"}) {
    INFO(arch);
    CHECK_FALSE(find_architecture(arch)->latencies.dram_latency_cycles);
    CHECK_FALSE(warps_to_cover_fma(find_architecture(arch)->latencies, 1));
  }
  CHECK_FALSE(bytes_in_flight_per_sm({108, 1410, 1555, std::nullopt}));
  CHECK_FALSE(bytes_in_flight_per_sm({std::nullopt, 1410, 1555, 550}));
  const LatencyEstimate none = estimate("sm_110", {}, 48, {.bytes_in_flight_per_thread = 4});
  CHECK_FALSE(none.bytes_in_flight_per_sm);
  CHECK_FALSE(none.usual_needs[0]);
  CHECK_FALSE(none.asked_need);
}
