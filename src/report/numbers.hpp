/// Numbers as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "occcalc/kernel.hpp"

namespace occcalc::report {

/// The shortest decimals that read back exactly: 0.75, 1, 0.6666666666666666.
[[nodiscard]] std::string shortest(double number);

/// Digits in groups of three: 167,936.
[[nodiscard]] std::string grouped(std::int64_t number);

/// A fraction in per cent with at most two decimals, of which trailing zeros are left out: "75 %", "66.67 %".
[[nodiscard]] std::string percent(double fraction);

/// The same with always as many decimals, for columns: "65.63 %", "75.00 %".
[[nodiscard]] std::string percent_cell(double fraction, int decimals);

/// percent() without "%": of a difference of two shares.
[[nodiscard]] std::string percent_points(double difference);

/// "1 kernel", "1,024 kernels".
[[nodiscard]] std::string counted(std::int64_t number, std::string_view one, std::string_view many);

/// A size in KB where it is a whole number of them, else grouped bytes: "164 KB", "1,000 B".
[[nodiscard]] std::string kilobytes(std::int64_t bytes);

/// As few dimensions as say it: "256", "16x16", "8x8x4".
[[nodiscard]] std::string block_text(Dim3 block);

/// Bytes for people who wait, in MB of 10^6 bytes: "541.6 MB".
[[nodiscard]] std::string megabytes(std::int64_t bytes);

}  // namespace occcalc::report
