/// CSV as in RFC 4180, from untrusted bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace occcalc::input {

/// No end was found.
inline constexpr std::size_t unfinished = std::string_view::npos;

/// Behind the line end of the row that begins at `at`, line ends within quotes not counted; `unfinished` if the text
/// ends first.
[[nodiscard]] std::size_t csv_end(std::string_view text, std::size_t at);

/// The text without the LF, or CR LF, at its end.
[[nodiscard]] std::string_view without_line_end(std::string_view text);

/// The cells of one row, without quotes. Throws InputError at `where` for a quoted cell that does not end or is
/// followed by text, and for more than 1,000 cells.
[[nodiscard]] std::vector<std::string> csv_cells(std::string_view row, const std::string& where);

}  // namespace occcalc::input
