/// Configurations for comparisons, the same on every machine.
#pragma once

#include <random>

#include "header_answer.hpp"

namespace occcalc::test {

class RandomConfigurations {
 public:
  explicit RandomConfigurations(unsigned seed) : engine_(seed) {}

  /// Of one part, within what the header and the part agree to be valid: registers up to the part's maximum, up to 16
  /// barriers.
  [[nodiscard]] Configuration next(const Architecture& architecture) {
    const SmLimits& sm = architecture.limits;
    Configuration c{&architecture, {}, {}};
    c.launch.block = {1 + below(one_in(20) ? 1200 : sm.max_threads_per_block)};
    c.kernel.registers_per_thread = below(sm.max_registers_per_thread + 1);
    const int bytes = one_in(2) ? below(static_cast<int>(sm.max_shared_memory_per_block_optin) + 300) : below(20000);
    const int fixed = one_in(2) ? 0 : below(bytes + 1);
    c.kernel.static_shared_memory = fixed;
    c.launch.dynamic_shared_memory = bytes - fixed;
    c.kernel.barriers = one_in(3) ? 1 : below(17);
    c.kernel.virtual_resources = one_in(2) ? 0 : below(one_in(2) ? 20 : 200);
    c.launch.carveout = carveout();
    c.launch.opt_in = !one_in(4);
    c.launch.global_caching = static_cast<GlobalCaching>(below(3));
    return c;
  }

 private:
  int below(int end) { return static_cast<int>(engine_() % static_cast<unsigned>(end)); }
  bool one_in(int n) { return below(n) == 0; }

  // Bytes are left out: the header has no such preference.
  Carveout carveout() {
    switch (below(6)) {
      case 0: return {Carveout::Kind::MaxL1};
      case 1: return {Carveout::Kind::MaxShared};
      case 2: return {Carveout::Kind::Equal};
      case 3:
      case 4: return Carveout::percent(below(101));
      default: return {};
    }
  }

  std::mt19937 engine_;
};

}  // namespace occcalc::test
