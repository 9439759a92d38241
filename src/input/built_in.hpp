/// The data of data/architectures/, compiled in. The definitions are generated at build time by
/// src/cmake/embed_architectures.cpp: the limits as constants, and apart from them the JSON texts with their sources.
#pragma once

#include <span>
#include <string_view>

#include "occcalc/arch_catalog.hpp"

namespace occcalc::input {

struct BuiltInText {
  std::string_view generation;
  std::string_view json;
};

[[nodiscard]] std::span<const Architecture> built_in_table() noexcept;
[[nodiscard]] std::span<const BuiltInText> built_in_texts() noexcept;
[[nodiscard]] std::string_view built_in_date() noexcept;

}  // namespace occcalc::input
