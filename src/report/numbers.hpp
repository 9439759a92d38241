/// Numbers as text.
#pragma once

#include <cstdint>
#include <string>

namespace occcalc::report {

/// The shortest decimals that read back exactly: 0.75, 1, 0.6666666666666666.
[[nodiscard]] std::string shortest(double number);

/// Digits in groups of three: 167,936.
[[nodiscard]] std::string grouped(std::int64_t number);

/// A fraction in per cent with at most two decimals, of which trailing zeros are left out: "75 %", "66.67 %".
[[nodiscard]] std::string percent(double fraction);

/// A size in KB where it is a whole number of them, else grouped bytes: "164 KB", "1,000 B".
[[nodiscard]] std::string kilobytes(std::int64_t bytes);

}  // namespace occcalc::report
