#include "occcalc/occupancy.hpp"

namespace occcalc {

namespace {

// 7.0 on: a share of the largest, rounded up to a supported size. (cudaOccSMemPreferenceVoltaPlus)
std::int64_t share_of_largest(const SmLimits& sm, std::int64_t percent) noexcept {
  return sm.carveouts.at_least(percent * sm.default_carveout / 100);
}

std::int64_t preference(const SmLimits& sm, Carveout carveout) noexcept {
  switch (carveout.kind) {
    case Carveout::Kind::MaxL1: return share_of_largest(sm, 0);
    case Carveout::Kind::Equal: return share_of_largest(sm, 50);
    case Carveout::Kind::Percent: return share_of_largest(sm, carveout.value);
    default: return sm.default_carveout;
  }
}

// 3.x: the words of cudaFuncSetCacheConfig pick the smallest, the middle or the largest split; a percentage picks
// nothing. (cudaOccSMemPreference)
std::int64_t split(const SmLimits& sm, Carveout::Kind kind) noexcept {
  switch (kind) {
    case Carveout::Kind::MaxL1: return sm.carveouts[0];
    case Carveout::Kind::Equal: return sm.carveouts[sm.carveouts.size() / 2];
    default: return sm.default_carveout;
  }
}

}  // namespace

std::int64_t preferred_shared_memory(const SmLimits& sm, const Carveout& carveout) noexcept {
  if (carveout.kind == Carveout::Kind::Default) {
    return sm.default_carveout;
  }
  if (carveout.kind == Carveout::Kind::Bytes) {
    return sm.carveouts.at_least(carveout.value);
  }
  switch (sm.carveout_kind) {
    case CarveoutKind::Preference: return preference(sm, carveout);
    case CarveoutKind::Split: return split(sm, carveout.kind);
    case CarveoutKind::Fixed: break;
  }
  return sm.default_carveout;
}

// A preference that does not hold one block gives way to the smallest size that does (7.0 on), or to the largest
// (before). (cudaOccMaxBlocksPerSMSmemLimit)
std::int64_t shared_memory_capacity(const SmLimits& sm, const Carveout& carveout, std::int64_t charged) noexcept {
  const std::int64_t preferred = preferred_shared_memory(sm, carveout);
  if (preferred >= charged || charged > sm.shared_memory_per_sm) {
    return preferred;
  }
  return sm.carveout_kind == CarveoutKind::Preference ? sm.carveouts.at_least(charged) : sm.shared_memory_per_sm;
}

}  // namespace occcalc
