/// What cuda_occupancy.h answers, and how our answer is held against it.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "occcalc/occcalc.hpp"

namespace occcalc::test {

struct Configuration {
  const Architecture* architecture = nullptr;
  KernelResources kernel;
  LaunchConfig launch;
};

/// Ceilings in the order of all_resources; INT_MAX where the header sets none. `limiters` as the header's bits.
struct HeaderAnswer {
  int active_blocks = 0;
  std::array<int, 6> ceilings{};
  unsigned limiters = 0;
  std::int64_t registers = 0;
  std::int64_t shared_memory = 0;
};

/// The header's bit of a resource (cudaOccLimitingFactor).
[[nodiscard]] constexpr unsigned header_bit(Resource resource) {
  switch (resource) {
    case Resource::Warps: return 0x01;
    case Resource::Registers: return 0x02;
    case Resource::SharedMemory: return 0x04;
    case Resource::Blocks: return 0x08;
    case Resource::Barriers: return 0x10;
    case Resource::VirtualResources: return 0x20;
  }
  return 0;
}

/// The limiters that the header should have reported. It is wrong where barriers bind alone: it adds their bit without
/// clearing those of the minimum before (cudaOccMaxActiveBlocksPerMultiprocessor).
[[nodiscard]] inline unsigned corrected_limiters(const HeaderAnswer& header) {
  unsigned bits = 0;
  for (const Resource resource : all_resources) {
    if (header.ceilings[static_cast<std::size_t>(resource)] == header.active_blocks) {
      bits |= header_bit(resource);
    }
  }
  return bits;
}

/// What differs, in words; empty if nothing does.
[[nodiscard]] inline std::string difference(const Occupancy& ours, const HeaderAnswer& header) {
  std::string text;
  const auto compare = [&text](std::string_view what, std::int64_t our, std::int64_t their) {
    if (our != their) {
      text += std::string(what) + " " + std::to_string(our) + " != " + std::to_string(their) + "; ";
    }
  };
  compare("blocks", ours.active_blocks_per_sm, header.active_blocks);
  unsigned limiters = 0;
  for (const Resource resource : all_resources) {
    const auto index = static_cast<std::size_t>(resource);
    compare(to_string(resource), ours.blocks_per_sm[index], header.ceilings[index]);
    limiters |= ours.limiters.contains(resource) ? header_bit(resource) : 0;
  }
  compare("limiters", limiters, corrected_limiters(header));
  compare("charged registers", ours.allocated_registers_per_block.value_or(0), header.registers);
  compare("charged shared memory", ours.allocated_shared_memory_per_block, header.shared_memory);
  return text;
}

[[nodiscard]] inline std::string describe(const Configuration& c) {
  return std::string(c.architecture->name) + " block " + std::to_string(thread_count(c.launch.block)) + " regs " +
         std::to_string(c.kernel.registers_per_thread.value_or(-1)) + " static " +
         std::to_string(c.kernel.static_shared_memory) + " dynamic " + std::to_string(c.launch.dynamic_shared_memory) +
         " barriers " + std::to_string(c.kernel.barriers) + " virtual " + std::to_string(c.kernel.virtual_resources) +
         " carveout " + std::to_string(static_cast<int>(c.launch.carveout.kind)) + ":" +
         std::to_string(c.launch.carveout.value) + " opt-in " + std::to_string(static_cast<int>(c.launch.opt_in)) +
         " caching " + std::to_string(static_cast<int>(c.launch.global_caching));
}

}  // namespace occcalc::test
