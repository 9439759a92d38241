/// Numbers as profilers print them: grouped, rounded, with a unit, in the user's locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "occcalc/kernel.hpp"

namespace occcalc::input {

/// A number in decimal text.
struct PrintedNumber {
  double value = 0;
  double step = 1;  ///< between this text and the next: 0.01 for "1.02"
};

/// Reads 1205, "1,205.00", "1.205,00", "2.4e+03". One separator before exactly three digits groups them if the number
/// is known to be whole; of others a comma groups and a point does not ("4.096 Kbyte"). nullopt: no number.
[[nodiscard]] std::optional<PrintedNumber> read_printed_number(std::string_view text, bool is_whole);

/// A whole number, `least` to `most`; "8.00" is one.
[[nodiscard]] std::optional<int> read_printed_count(std::string_view text, int least, int most);

/// "(256, 1, 1)", "(16 16 1)", or the product alone, "4,096", which is taken as x.
[[nodiscard]] std::optional<Dim3> read_printed_dimensions(std::string_view text);

/// Bytes that stood as text, perhaps rounded.
struct PrintedBytes {
  std::int64_t bytes = 0;
  bool is_rounded = false;  ///< other numbers of bytes have the same text
};

/// Bytes in `unit` ("byte/block", "Kbyte", "MB"; none is bytes), where 1 K is `kilo` bytes: 1000 in ncu and nsys, 1024
/// in nvprof. KiB and MiB are binary everywhere. nullopt: no size below 2^40.
///
/// Of the numbers of bytes that have this text, the multiple of the highest power of two is taken, 32 at least: arrays
/// of a power of two of elements are what shared memory mostly holds, so 1.02 Kbyte is 1,024 and 49.15 Kbyte 49,152
/// (48 x 1,024). Where none is a multiple of 32, the rounded value itself is taken.
[[nodiscard]] std::optional<PrintedBytes> read_printed_bytes(std::string_view text, std::string_view unit, int kilo);

/// Time in `unit` ("ns", "usecond", "ms", ...) as nanoseconds; nullopt: no time.
[[nodiscard]] std::optional<double> read_printed_time(std::string_view text, std::string_view unit);

}  // namespace occcalc::input
