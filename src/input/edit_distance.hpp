/// How near a misspelt name is to one that is known.
#pragma once

#include <cstddef>
#include <string_view>

namespace occcalc::input {

/// How many letters must change, be added or left out. Takes time and memory of the product of the lengths.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace occcalc::input
