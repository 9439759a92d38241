// Architectures of the user's own.

#include <cstdint>
#include <cstdlib>

#include "occcalc/occcalc.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  occcalc::ArchCatalog catalog;
  try {
    catalog.add_json({reinterpret_cast<const char*>(data), size}, "mine.json");
  } catch (const occcalc::InputError&) {
    // what bad input is answered with
  }
  // Whatever was accepted can be calculated with.
  for (const occcalc::Architecture& part : catalog.architectures()) {
    const occcalc::KernelResources kernel{.registers_per_thread = 40, .static_shared_memory = 1024};
    const occcalc::LaunchConfig launch{.block = {256, 1, 1}};
    if (occcalc::compute_occupancy(part.limits, kernel, launch).active_blocks_per_sm < 0) {
      std::abort();
    }
  }
  return 0;
}
