/// How files begin that are no text of ours.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace occcalc::input {

/// ELF, archives (GNU's, and thin ones), fatbins: what holds GPU code.
inline constexpr std::array<std::string_view, 4> binary_magics = {
    "\x7f"
    "ELF",
    "!<arch>", "!<thin>", "\x50\xed\x55\xba"};
inline constexpr std::array<std::string_view, 2> utf16_magics = {"\xff\xfe", "\xfe\xff"};
inline constexpr std::array<std::string_view, 1> gzip_magics = {"\x1f\x8b"};
/// zstd, programs of Windows.
inline constexpr std::array<std::string_view, 2> other_magics = {"\x28\xb5\x2f\xfd", "MZ\x90"};
inline constexpr std::string_view sqlite_magic = "SQLite format 3";

template <class Magics>
[[nodiscard]] constexpr bool begins_with_any(std::string_view text, const Magics& magics) {
  return std::any_of(magics.begin(), magics.end(), [text](std::string_view magic) { return text.starts_with(magic); });
}

}  // namespace occcalc::input
