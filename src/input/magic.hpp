/// How files begin that are no text of ours.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace occcalc::input {

inline constexpr std::string_view elf_magic =
    "\x7f"
    "ELF";
inline constexpr std::string_view archive_magic = "!<arch>\n";
inline constexpr std::string_view thin_archive_magic = "!<thin>\n";
/// ELF, archives (GNU's, and thin ones), fatbins, programs of Windows and macOS: what may hold GPU code.
inline constexpr std::array<std::string_view, 9> binary_magics = {
    elf_magic,          archive_magic,      thin_archive_magic, "\x50\xed\x55\xba", "MZ\x90",
    "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "\xce\xfa\xed\xfe", "\xfe\xed\xfa\xcf"};
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

/// NULs near the begin: text has none, a log perhaps a stray one, binaries have many.
[[nodiscard]] constexpr std::size_t nuls_at_begin(std::string_view bytes) {
  constexpr std::size_t most = 4096;
  const std::string_view begin = bytes.substr(0, most);
  return static_cast<std::size_t>(std::count(begin.begin(), begin.end(), '\0'));
}

/// No text, whatever words are in it.
[[nodiscard]] constexpr bool is_binary(std::string_view bytes) {
  constexpr std::size_t stray = 16;
  return begins_with_any(bytes, binary_magics) || nuls_at_begin(bytes) > stray;
}

}  // namespace occcalc::input
