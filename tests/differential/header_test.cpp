// Our model against cuda_occupancy.h, where a CUDA toolkit is installed.

#include "header.hpp"
#include "catch.hpp"
#include "random_configuration.hpp"

namespace {

using namespace occcalc;
using namespace occcalc::test;

const Architecture& part(std::string_view name) { return *find_architecture(name); }

Occupancy ours(const Configuration& c) { return compute_occupancy(c.architecture->limits, c.kernel, c.launch); }

// The first few differences, and how many there are.
class Differences {
 public:
  void check(const Configuration& c, const Occupancy& answer, const std::optional<HeaderAnswer>& header) {
    ++compared_;
    const std::string found = header ? difference(answer, *header) : "the header refuses this";
    if (!found.empty() && ++count_ <= 5) {
      UNSCOPED_INFO(describe(c) << ": " << found);
    }
  }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] int compared() const { return compared_; }

 private:
  int compared_ = 0;
  int count_ = 0;
};

// The least and the greatest number of registers of each class that is charged alike.
std::vector<int> register_steps(const SmLimits& sm) {
  std::vector<int> steps = {0};
  for (int most = 8; most < sm.max_registers_per_thread + 8; most += 8) {
    steps.push_back(std::min(most, sm.max_registers_per_thread));
  }
  return steps;
}

void compare_grid(const Architecture& architecture, Differences& differences) {
  const SmLimits& sm = architecture.limits;
  const cudaOccDeviceProp device = device_of(architecture);
  const OccupancyTable table(sm);
  Configuration c{&architecture, {}, {}};
  for (const int registers : register_steps(sm)) {
    c.kernel.registers_per_thread = registers;
    for (int warps = 1; warps <= 32; ++warps) {
      c.launch.block = {warps * warp_size};
      const std::int64_t unit = sm.shared_memory_allocation_unit;
      for (std::int64_t bytes = 0; bytes <= sm.max_shared_memory_per_block_optin + unit; bytes += unit) {
        c.launch.dynamic_shared_memory = bytes;
        differences.check(c, table.compute(c.kernel, c.launch), ask_header(device, c));
      }
    }
  }
}

}  // namespace

TEST_CASE("every class of registers, warps and shared memory agrees with the header on every part it knows") {
  Differences differences;
  for (const Architecture& architecture : built_in_architectures()) {
    if (is_known_to_header(architecture)) {
      compare_grid(architecture, differences);
    }
  }
  CHECK(differences.count() == 0);
  CHECK(differences.compared() > 15'000'000);
}

TEST_CASE("random carveouts, splits, barriers, virtual resources, opt-in and caching agree with the header") {
  Differences differences;
  RandomConfigurations random(20261130);
  for (const Architecture& architecture : built_in_architectures()) {
    if (!is_known_to_header(architecture)) {
      continue;
    }
    const cudaOccDeviceProp device = device_of(architecture);
    for (int i = 0; i < 100'000; ++i) {
      const Configuration c = random.next(architecture);
      differences.check(c, ours(c), ask_header(device, c));
    }
  }
  CHECK(differences.count() == 0);
  CHECK(differences.compared() > 2'000'000);
}

TEST_CASE("the block size that the API chooses is ours, for constant and growing shared memory") {
  Differences differences;
  RandomConfigurations random(77);
  int compared = 0;
  for (const Architecture& architecture : built_in_architectures()) {
    for (int i = 0; is_known_to_header(architecture) && i < 2000; ++i) {
      Configuration c = random.next(architecture);
      c.launch.dynamic_shared_memory_per_thread = i % 2 == 0 ? 0 : i % 64;
      cudaOccFuncAttributes function = function_of(c);
      function.maxDynamicSharedSizeBytes = std::size_t{1} << 30;  // the attribute is raised as far as it takes
      const cudaOccDeviceProp device = device_of(architecture);
      const cudaOccDeviceState state = state_of(c.launch.carveout);
      const auto bytes = [&c](int threads) {
        return static_cast<std::size_t>(c.launch.dynamic_shared_memory +
                                        c.launch.dynamic_shared_memory_per_thread * threads);
      };
      int grid = 0;
      int threads = 0;
      REQUIRE(cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(&grid, &threads, &device, &function, &state, bytes) ==
              CUDA_OCC_SUCCESS);
      INFO(describe(c) << " per thread " << c.launch.dynamic_shared_memory_per_thread);
      CHECK(potential_block_size(architecture.limits, c.kernel, c.launch) == threads);
      CHECK(OccupancyTable(architecture.limits).potential_block_size(c.kernel, c.launch) == threads);
      ++compared;
    }
  }
  CHECK(compared == 50'000);
}

// cudaOccAvailableDynamicSMemPerBlock against most dynamic bytes of N blocks. It forgets the driver's reserve (8.0 on):
// of what it answers for several blocks, often fewer fit.
TEST_CASE("the header's available shared memory is at least ours, and too much wherever they differ") {
  int same = 0;
  int wrong = 0;
  for (const Architecture& architecture : built_in_architectures()) {
    if (!is_known_to_header(architecture)) {
      continue;
    }
    Configuration c{&architecture, {.registers_per_thread = 16}, {.block = {64}}};
    for (int blocks = 1; blocks <= 16; ++blocks) {
      cudaOccFuncAttributes function = function_of(c);
      function.maxDynamicSharedSizeBytes =
          static_cast<std::size_t>(architecture.limits.max_shared_memory_per_block_optin);
      const cudaOccDeviceProp device = device_of(architecture);
      const cudaOccDeviceState state = state_of(c.launch.carveout);
      std::size_t available = 0;
      REQUIRE(cudaOccAvailableDynamicSMemPerBlock(&available, &device, &function, &state, blocks, 64) ==
              CUDA_OCC_SUCCESS);
      const std::int64_t most =
          *find_target(architecture.limits, c.kernel, c.launch, blocks).row.max_dynamic_shared_memory;
      INFO(architecture.name << " " << blocks << " blocks");
      Configuration fed_back = c;
      fed_back.launch.dynamic_shared_memory = static_cast<std::int64_t>(available);
      const int fit = ours(fed_back).active_blocks_per_sm;
      if (most == static_cast<std::int64_t>(available)) {
        ++same;
        CHECK(fit >= blocks);
      } else {
        ++wrong;
        CHECK(most < static_cast<std::int64_t>(available));
        CHECK(fit < blocks);
        CHECK(architecture.limits.reserved_shared_memory_per_block > 0);
      }
    }
  }
  CHECK(same > 0);
  CHECK(wrong > 0);
}

// Where the header is wrong or silent, and we differ on purpose.

TEST_CASE(
    "the header accepts 256 registers per thread from 7.0 on, which no compiler assigns and no instruction names") {
  const Configuration c{&part("sm_80"), {.registers_per_thread = 256}, {.block = {32}}};
  CHECK(ask_header(c)->active_blocks == 8);
  CHECK(ours(c).active_blocks_per_sm == 0);
}

TEST_CASE("the header accepts 255 registers per thread on 3.0, whose instructions name 63") {
  const Configuration c{&part("sm_30"), {.registers_per_thread = 64}, {.block = {32}}};
  CHECK(ask_header(c)->active_blocks == 16);
  CHECK(ours(c).active_blocks_per_sm == 0);
}

TEST_CASE("the header leaves old limiters standing when barriers bind") {
  const Configuration c{&part("sm_90"), {.registers_per_thread = 16, .barriers = 16}, {.block = {256}}};
  const HeaderAnswer header = *ask_header(c);
  CHECK(header.active_blocks == 4);
  CHECK(header.limiters == (header_bit(Resource::Warps) | header_bit(Resource::Barriers)));
  CHECK(header.ceilings[0] == 8);
  CHECK(ours(c).limiters == ResourceSet().with(Resource::Barriers));
}

TEST_CASE("the header accepts 17 barriers, one more than a block can name") {
  const Configuration c{&part("sm_90"), {.registers_per_thread = 16, .barriers = 17}, {.block = {256}}};
  CHECK(ask_header(c)->active_blocks == 3);
  CHECK(ours(c).active_blocks_per_sm == 0);
}

TEST_CASE("the header wraps shared memory of 2^31 bytes through int") {
  const Configuration c{
      &part("sm_80"), {.registers_per_thread = 16}, {.block = {256}, .dynamic_shared_memory = std::int64_t{1} << 32}};
  CHECK(ask_header(c)->shared_memory == 1024);
  CHECK(ours(c).active_blocks_per_sm == 0);
  CHECK(ours(c).allocated_shared_memory_per_block == (std::int64_t{1} << 32) + 1024);
}

TEST_CASE("the header knows no block dimensions") {
  const Configuration c{&part("sm_80"), {.registers_per_thread = 16}, {.block = {1, 1, 65}}};
  CHECK(ask_header(c)->active_blocks == 21);
  CHECK(ours(c).active_blocks_per_sm == 0);
}

TEST_CASE("the header does not know 10.7") {
  const Configuration c{&part("sm_107"), {.registers_per_thread = 16}, {.block = {256}}};
  CHECK_FALSE(ask_header(c));
  CHECK(ours(c).active_blocks_per_sm == 4);
}
