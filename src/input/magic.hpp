/// How files begin that are no text of ours.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace occcalc::input {

/// ELF, archives (GNU's, and thin ones), fatbins, programs of Windows and macOS: what may hold GPU code.
inline constexpr std::array<std::string_view, 9> binary_magics = {
    "\x7f"
    "ELF",
    "!<arch>",
    "!<thin>",
    "\x50\xed\x55\xba",
    "MZ\x90",
    "\xcf\xfa\xed\xfe",
    "\xca\xfe\xba\xbe",
    "\xce\xfa\xed\xfe",
    "\xfe\xed\xfa\xcf"};
inline constexpr std::array<std::string_view, 2> utf16_magics = {"\xff\xfe", "\xfe\xff"};
inline constexpr std::array<std::string_view, 1> gzip_magics = {"\x1f\x8b"};
inline constexpr std::array<std::string_view, 1> zstd_magics = {"\x28\xb5\x2f\xfd"};
/// As public code names them; no such file was seen.
inline constexpr std::array<std::string_view, 2> old_fatbin_magics = {"\x01\x5a\xe5\x1e", "\x0a\xd1\x55\xba"};
inline constexpr std::string_view sqlite_magic = "SQLite format 3";

template <class Magics>
[[nodiscard]] constexpr bool begins_with_any(std::string_view text, const Magics& magics) {
  return std::any_of(magics.begin(), magics.end(), [text](std::string_view magic) { return text.starts_with(magic); });
}

}  // namespace occcalc::input
