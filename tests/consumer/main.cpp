#include <cstdio>
#include <occcalc/occcalc.hpp>

static_assert(OCCCALC_VERSION >= 100, "the version macro");

int main() {
  const occcalc::SmLimits& sm = occcalc::find_architecture("sm_80")->limits;
  const occcalc::KernelResources kernel{.registers_per_thread = 40};
  const occcalc::LaunchConfig launch{.block = {256}, .dynamic_shared_memory = 8192};
  const occcalc::Occupancy answer = occcalc::compute_occupancy(sm, kernel, launch);
  for (const occcalc::Ceiling& ceiling : occcalc::describe_ceilings(sm, kernel, launch, answer)) {
    if (ceiling.binds) {
      std::printf("%d blocks, %.0f %%, bound by %s\n", answer.active_blocks_per_sm, 100 * answer.fraction(),
                  std::string(occcalc::to_string(ceiling.resource)).c_str());
    }
  }
  return answer.active_blocks_per_sm == 6 ? 0 : 1;
}
