#include "occcalc/explain.hpp"

#include "model/ceilings.hpp"

namespace occcalc {

RegisterWorking work_out_registers(const SmLimits& sm, const KernelResources& kernel,
                                   const Occupancy& occupancy) noexcept {
  RegisterWorking working;
  const int registers = kernel.registers_per_thread.value_or(0);
  working.asked_per_warp = std::int64_t{registers} * warp_size;
  working.charged_per_warp = model::registers_per_warp(sm, registers);
  working.share = sm.registers_per_sm / sm.sub_partitions;
  if (working.charged_per_warp > 0) {
    working.plain_warps = sm.registers_per_sm / working.charged_per_warp;
    working.warps_per_sub_partition = model::warps_per_sub_partition(sm, working.charged_per_warp);
    const bool halved = occupancy.global_caching != GlobalCaching::Off;
    working.warps_per_sm = working.warps_per_sub_partition * (halved ? sm.sub_partitions / 2 : sm.sub_partitions);
    working.checked_per_block =
        model::checked_registers_per_block(sm, working.charged_per_warp, occupancy.warps_per_block);
  }
  return working;
}

}  // namespace occcalc
