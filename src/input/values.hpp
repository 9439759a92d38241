/// Reads the values of options and of our own rows from text: counts, sizes, blocks, carveouts, fractions. Every reader
/// throws InputError with `where`, what was found, what is accepted and, where there is one, the next step.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "occcalc/arch_catalog.hpp"
#include "occcalc/grid.hpp"
#include "occcalc/kernel.hpp"

namespace occcalc::input {

/// SMs that options, rows and profilers may state: far more than a GPU has, and few enough to multiply.
inline constexpr int most_sms = 1 << 16;

/// A whole number in decimal digits, `least` to `most`. `what` names it in errors: "registers per thread".
[[nodiscard]] int read_count(const std::string& where, std::string_view text, std::string_view what, int least,
                             int most);

/// Bytes: digits, or with K, KB, KiB, M, MB, MiB (binary, any letter case), `1.5K` if it is a whole number of bytes.
/// Below 2^63.
[[nodiscard]] std::int64_t read_size(const std::string& where, std::string_view text);

/// Blocks of a grid, `1000`, or dimensions, `1000x8`, `100x8x4`; each within its own limit.
[[nodiscard]] Grid read_grid(const std::string& where, std::string_view text);

/// Blocks of a cluster, `8`, or dimensions, `2x4`, `2x2x2`. The product is at most 2^31 - 1.
[[nodiscard]] Dim3 read_cluster(const std::string& where, std::string_view text);

/// Threads per block, `256`, or dimensions, `16x16`, `32x8x4`. The product is at most 2^31 - 1.
[[nodiscard]] Dim3 read_block(const std::string& where, std::string_view text);

/// `default`, `max-l1`, `max-shared`, `equal`, `50%`, or a size that `architecture` supports.
[[nodiscard]] Carveout read_carveout(const std::string& where, std::string_view text, const Architecture& architecture);

/// A share of the whole, `50%` or `0.5`; 0 to 1.
[[nodiscard]] double read_fraction(const std::string& where, std::string_view text);

/// `off`, `on`, `strict`.
[[nodiscard]] GlobalCaching read_global_caching(const std::string& where, std::string_view text);

}  // namespace occcalc::input
