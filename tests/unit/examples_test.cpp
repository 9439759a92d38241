// Worked examples as they are taught, and sums that users got wrong by hand.

#include "catch.hpp"
#include "occcalc/occcalc.hpp"

namespace {

using namespace occcalc;

Occupancy textbook(int registers, int threads, std::int64_t bytes) {
  return compute_occupancy(find_architecture("textbook")->limits, {.registers_per_thread = registers},
                           {.block = {threads}, .dynamic_shared_memory = bytes});
}

}  // namespace

TEST_CASE("textbook: 256 threads with 8 KB") {
  const Occupancy answer = textbook(40, 256, 8192);
  CHECK(answer.ceiling(Resource::SharedMemory) == 16);
  CHECK(answer.ceiling(Resource::Blocks) == 32);
  CHECK(answer.ceiling(Resource::Warps) == 8);
  CHECK(answer.active_blocks_per_sm == 6);
  CHECK(answer.active_warps_per_sm == 48);
  CHECK(answer.fraction() == 0.75);
  CHECK(answer.limiters == ResourceSet().with(Resource::Registers));
  CHECK(textbook(64, 256, 8192).fraction() == 0.5);
  CHECK(textbook(96, 256, 8192).fraction() == 0.25);
}

TEST_CASE("textbook: small blocks run out of block slots") {
  const Occupancy without = textbook(40, 32, 0);
  CHECK(without.active_warps_per_sm == 32);
  CHECK(without.fraction() == 0.5);
  CHECK(without.limiters == ResourceSet().with(Resource::Blocks));
  const Occupancy with = textbook(40, 32, 8192);
  CHECK(with.active_blocks_per_sm == 16);
  CHECK(with.fraction() == 0.25);
  CHECK(with.limiters == ResourceSet().with(Resource::SharedMemory));
}

TEST_CASE("textbook: 768 threads do not divide 64 warps") { CHECK(textbook(16, 768, 0).active_blocks_per_sm == 2); }

TEST_CASE("textbook: 64 registers x 256 threads charge 16,384 registers") {
  CHECK(textbook(64, 256, 0).allocated_registers_per_block == 16384);
}

TEST_CASE("textbook: 4 blocks of 8 warps and 8 of 4 are both half of 64") {
  CHECK(textbook(64, 256, 0).active_blocks_per_sm == 4);
  CHECK(textbook(64, 256, 0).fraction() == 0.5);
  CHECK(textbook(64, 128, 0).active_blocks_per_sm == 8);
  CHECK(textbook(64, 128, 0).fraction() == 0.5);
}

TEST_CASE("textbook: a 32x32 tile of float is 4 KB, of which 32 fit") {
  const Occupancy answer = compute_occupancy(find_architecture("textbook")->limits, {},
                                             {.block = {32, 32}, .dynamic_shared_memory = 32 * 32 * sizeof(float)});
  CHECK(answer.allocated_shared_memory_per_block == 4096);
  CHECK(answer.ceiling(Resource::SharedMemory) == 32);
}

TEST_CASE("the opening example: 6 blocks, 48 of 64 warps, registers bind") {
  const Occupancy answer = compute_occupancy(find_architecture("sm_80")->limits, {.registers_per_thread = 40},
                                             {.block = {256}, .dynamic_shared_memory = 8192});
  CHECK(answer.active_blocks_per_sm == 6);
  CHECK(answer.active_warps_per_sm == 48);
  CHECK(answer.max_warps_per_sm == 64);
  CHECK(answer.limiters == ResourceSet().with(Resource::Registers));
  CHECK(answer.ceiling(Resource::Warps) == 8);
  CHECK(answer.ceiling(Resource::SharedMemory) == 18);
  CHECK(answer.ceiling(Resource::Blocks) == 32);
}
