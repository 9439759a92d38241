/// The one home of rounding. Divisors are positive, dividends not negative.
#pragma once

#include <cstdint>
#include <limits>

namespace occcalc::model {

template <class Integer>
[[nodiscard]] constexpr Integer ceil_div(Integer dividend, Integer divisor) noexcept {
  return dividend / divisor + (dividend % divisor != 0 ? 1 : 0);
}

/// The next multiple of `granule`; what does not fit 64 bits stops at their maximum.
[[nodiscard]] constexpr std::int64_t round_up(std::int64_t amount, std::int64_t granule) noexcept {
  const std::int64_t rest = amount % granule;
  if (rest == 0) {
    return amount;
  }
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return amount > most - granule ? most : amount + (granule - rest);
}

}  // namespace occcalc::model
