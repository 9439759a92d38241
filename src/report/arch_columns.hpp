/// An architecture as named values.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "occcalc/arch_catalog.hpp"
#include "report/fields.hpp"

namespace occcalc::report {

/// A limit of any type as a value; sizes of a block or of carveouts are lists.
[[nodiscard]] inline Value limit_value(int number) { return std::int64_t{number}; }
[[nodiscard]] inline Value limit_value(std::int64_t number) { return number; }
[[nodiscard]] inline Value limit_value(bool flag) { return flag; }
[[nodiscard]] inline Value limit_value(std::optional<int> number) { return optional_value(number); }
[[nodiscard]] inline Value limit_value(CarveoutKind kind) { return std::string(to_string(kind)); }
[[nodiscard]] inline Value limit_value(L1Kind kind) { return std::string(to_string(kind)); }
[[nodiscard]] inline Value limit_value(Dim3 size) { return Numbers{size.x, size.y, size.z}; }
[[nodiscard]] inline Value limit_value(const CarveoutSizes& sizes) { return Numbers(sizes.begin(), sizes.end()); }

/// The target names of a part: sm_100, sm_100a, sm_100f.
[[nodiscard]] std::vector<std::string> targets_of(const Architecture& architecture);

/// Every column of a part, in order.
[[nodiscard]] std::vector<std::pair<std::string_view, Value>> arch_columns(const Architecture& architecture);

}  // namespace occcalc::report
