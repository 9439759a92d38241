/// @file
/// The blocks of a whole launch, and the SMs that they run on.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace occcalc {

/// A grid's dimensions, as in `dim3`; each at least 1.
struct Grid {
  std::int64_t x = 1;
  std::int64_t y = 1;
  std::int64_t z = 1;

  friend constexpr bool operator==(const Grid&, const Grid&) = default;
};

/// The most blocks in each dimension (CUDA C++ Programming Guide, technical specifications: x 2^31 - 1 from 3.0 on, y
/// and z 65,535).
inline constexpr Grid most_grid = {2147483647, 65535, 65535};

/// x * y * z; at most 2^63 - 1, which most_grid stays below.
[[nodiscard]] constexpr std::int64_t block_count(const Grid& grid) noexcept {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t area = grid.x > most / grid.y ? most : grid.x * grid.y;
  return area > most / grid.z ? most : area * grid.z;
}

/// The SMs that a launch may use: all of a GPU, or a part of it (MIG, MPS, a green context).
struct Sms {
  int count = 0;
  std::vector<int> per_gpc{};  ///< of each GPC, together `count`; empty: the layout is not known
};

}  // namespace occcalc
