// Why a launch is impossible, and what to know about an answer.

#include <algorithm>

#include "catch.hpp"
#include "occcalc/occcalc.hpp"

namespace {

using namespace occcalc;

struct Case {
  std::string_view arch;
  KernelResources kernel;
  LaunchConfig launch;
};

std::vector<Reason> reasons(const Case& c) {
  const SmLimits& sm = find_architecture(c.arch)->limits;
  return find_reasons(sm, c.kernel, c.launch, compute_occupancy(sm, c.kernel, c.launch));
}

std::vector<Note> notes(const Case& c) {
  const Architecture& part = *find_architecture(c.arch);
  return find_notes(part, c.kernel, c.launch, compute_occupancy(part.limits, c.kernel, c.launch));
}

bool is_noted(const Case& c, NoteCode code) {
  const std::vector<Note> found = notes(c);
  return std::any_of(found.begin(), found.end(), [code](const Note& note) { return note.code == code; });
}

void check_only_reason(const Case& c, ReasonCode code, std::int64_t requested, std::int64_t allowed) {
  const std::vector<Reason> found = reasons(c);
  REQUIRE(found.size() == 1);
  CHECK(to_string(found[0].code) == to_string(code));
  CHECK(found[0].requested == requested);
  CHECK(found[0].allowed == allowed);
}

}  // namespace

TEST_CASE("each impossible launch has its reason, with the numbers") {
  check_only_reason({"sm_89", {.registers_per_thread = 162}, {.block = {512}}}, ReasonCode::RegistersPerBlock, 86016,
                    65536);
  check_only_reason({"sm_120", {}, {.block = {256}, .dynamic_shared_memory = 106496}}, ReasonCode::SharedMemoryPerBlock,
                    107520, 102400);
  check_only_reason({"sm_80", {}, {.block = {32, 33}}}, ReasonCode::ThreadsPerBlock, 1056, 1024);
  check_only_reason({"sm_80", {}, {.block = {1, 1, 65}}}, ReasonCode::BlockDimZ, 65, 64);
  check_only_reason({"sm_80", {}, {.block = {32}, .dynamic_shared_memory = 49153, .opt_in = false}},
                    ReasonCode::SharedMemoryOptIn, 50304, 50176);
  check_only_reason({"sm_80", {.registers_per_thread = 256}, {.block = {32}}}, ReasonCode::RegistersPerThread, 256,
                    255);
  check_only_reason({"sm_60", {.registers_per_thread = 176}, {.block = {288}}}, ReasonCode::RegistersPerBlock, 67584,
                    65536);
  check_only_reason({"sm_52", {.registers_per_thread = 64}, {.block = {1024}, .global_caching = GlobalCaching::Strict}},
                    ReasonCode::RegistersPerSm, 32, 16);
  check_only_reason({"sm_80", {.barriers = 17}, {.block = {32}}}, ReasonCode::BarriersPerBlock, 17, 16);
  check_only_reason({"sm_100", {.virtual_resources = 129}, {.block = {32}}}, ReasonCode::VirtualResourcesPerSm, 129,
                    128);
  check_only_reason({"sm_80", {.registers_per_thread = -1}, {.block = {32}}}, ReasonCode::InvalidAmount, 0, 0);
  check_only_reason({"sm_80", {.max_threads_per_block = 128}, {.block = {160}}}, ReasonCode::LaunchBounds, 160, 128);
  CHECK(reasons({"sm_80", {.max_threads_per_block = 128}, {.block = {128}}}).empty());
  check_only_reason({"sm_80", {.required_block = {64, 2, 1}}, {.block = {128}}}, ReasonCode::RequiredBlock, 128, 128);
  check_only_reason({"sm_80", {.required_block = {128, 1, 1}}, {.block = {64}}}, ReasonCode::RequiredBlock, 64, 128);
  CHECK(reasons({"sm_80", {.required_block = {64, 2, 1}}, {.block = {64, 2}}}).empty());
}

TEST_CASE("all reasons are given, not the first") {
  const std::vector<Reason> found =
      reasons({"sm_80", {.registers_per_thread = 300}, {.block = {1025}, .dynamic_shared_memory = 1 << 20}});
  std::vector<std::string_view> codes;
  for (const Reason& reason : found) {
    codes.push_back(to_string(reason.code));
  }
  CHECK(codes == std::vector<std::string_view>{"threads_per_block", "block_dim_x", "registers_per_thread",
                                               "registers_per_block", "shared_memory_per_block"});
}

TEST_CASE("whatever fits nowhere has a reason, whatever launches has none") {
  for (const Architecture& part : built_in_architectures()) {
    for (const int registers : {0, 32, 168, 255, 256}) {
      for (const int threads : {1, 96, 288, 1024, 1025}) {
        for (const std::int64_t bytes : {0, 49152, 49153, 400'000}) {
          const KernelResources kernel{.registers_per_thread = registers};
          const LaunchConfig launch{.block = {threads}, .dynamic_shared_memory = bytes};
          const Occupancy answer = compute_occupancy(part.limits, kernel, launch);
          CHECK(find_reasons(part.limits, kernel, launch, answer).empty() == answer.launchable());
        }
      }
    }
  }
}

TEST_CASE("notes say what to know, where it applies") {
  const Case plain{"sm_80", {.registers_per_thread = 40}, {.block = {256}, .dynamic_shared_memory = 8192}};
  CHECK(notes(plain).empty());
  CHECK(is_noted({"sm_80", {}, {.block = {256}}}, NoteCode::RegistersUnknown));
  CHECK_FALSE(is_noted({"sm_80", {}, {.block = {256}}}, NoteCode::Full));
  CHECK_FALSE(is_noted({"sm_80", {}, {.block = {1, 1, 65}}}, NoteCode::RegistersUnknown));
  CHECK(is_noted({"sm_80", {.registers_per_thread = 32}, {.block = {256}}}, NoteCode::Full));
  CHECK(is_noted({"sm_80", {.registers_per_thread = 16}, {.block = {768}}}, NoteCode::StrandedWarpSlots));
  CHECK(is_noted({"sm_80", {.registers_per_thread = 16}, {.block = {250}}}, NoteCode::PartialWarp));
  CHECK(is_noted({"sm_80", {.static_shared_memory = 49153}, {.block = {32}}}, NoteCode::StaticAboveDefault));
  CHECK(is_noted({"sm_80", {}, {.block = {32}, .dynamic_shared_memory = 49153}}, NoteCode::OptInNeeded));
  CHECK_FALSE(is_noted({"sm_80", {}, {.block = {32}, .dynamic_shared_memory = 49152}}, NoteCode::OptInNeeded));
  CHECK(is_noted({"sm_35", {}, {.block = {32}, .carveout = Carveout::percent(10)}}, NoteCode::CarveoutIgnored));
  CHECK(is_noted({"sm_52", {}, {.block = {32}, .carveout = {Carveout::Kind::MaxL1}}}, NoteCode::CarveoutIgnored));
  CHECK(is_noted({"sm_80", {}, {.block = {32}, .carveout = Carveout::percent(0)}}, NoteCode::CarveoutRaised));
  CHECK(
      is_noted({"sm_107", {}, {.block = {32}, .carveout = Carveout::bytes(335872)}}, NoteCode::OversizedSharedMemory));
  CHECK_FALSE(is_noted({"sm_107", {}, {.block = {32}}}, NoteCode::OversizedSharedMemory));
  CHECK(is_noted({"sm_60", {}, {.block = {32}, .global_caching = GlobalCaching::On}}, NoteCode::GlobalCachingIgnored));
  CHECK(is_noted({"sm_52", {.registers_per_thread = 64}, {.block = {1024}, .global_caching = GlobalCaching::On}},
                 NoteCode::GlobalCachingOff));
  CHECK(is_noted({"sm_80", {.barriers = 2}, {.block = {32}}}, NoteCode::BarriersNotCounted));
  CHECK(is_noted({"sm_90", {.virtual_resources = 1}, {.block = {32}}}, NoteCode::VirtualResourcesIgnored));
  CHECK(is_noted({"sm_107", {.virtual_resources = 1}, {.block = {32}}}, NoteCode::VirtualResourcesUnknown));
  CHECK(is_noted({"sm_88", {}, {.block = {32}}}, NoteCode::Confidence));
}

TEST_CASE("the smallest sufficient carveout keeps every block, the next smaller one does not") {
  const Architecture& part = *find_architecture("sm_80");
  for (const std::int64_t bytes : {0, 1000, 8192, 20000, 60000}) {
    for (const int registers : {16, 40, 128}) {
      const KernelResources kernel{.registers_per_thread = registers};
      LaunchConfig launch{.block = {256}, .dynamic_shared_memory = bytes};
      const Occupancy answer = compute_occupancy(part.limits, kernel, launch);
      for (const std::int64_t size : part.limits.carveouts) {
        launch.carveout = Carveout::bytes(size);
        const Occupancy at_size = compute_occupancy(part.limits, kernel, launch);
        const bool enough = at_size.active_blocks_per_sm == answer.active_blocks_per_sm;
        // A size below one block is raised: what counts is the capacity in force.
        CHECK(enough == (at_size.shared_memory_per_sm >= smallest_sufficient_carveout(part.limits, answer)));
      }
    }
  }
}
