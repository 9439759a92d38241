/// CSV as in RFC 4180, with LF at the end of lines.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace occcalc::report {

/// The text, in quotes where it needs them.
[[nodiscard]] std::string csv_cell(std::string_view text);
/// Whether the text must stand in quotes.
[[nodiscard]] bool needs_quotes(std::string_view text) noexcept;

/// One line.
[[nodiscard]] std::string csv_row(std::span<const std::string> cells);

}  // namespace occcalc::report
