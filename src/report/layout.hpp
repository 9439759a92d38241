/// Text laid out for people: columns, wrapped lines, emphasis.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"

namespace occcalc::report {

inline constexpr std::size_t line_width = 80;

/// Letters of a UTF-8 text: what it takes of a line, wide and combining letters counted as one.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// The text; of one that is wider than `width` (at least 3) the beginning and "...".
[[nodiscard]] std::string clipped(std::string_view text, std::size_t width);

enum class Align : std::uint8_t { Left, Right };

/// Rows of cells in columns as wide as their widest cell, two spaces apart; no blanks at the end of a line.
[[nodiscard]] std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows,
                                               const std::vector<Align>& aligns);

/// Lines of at most 80 columns, broken at spaces; lines after the first start with `indent` spaces. Ends with a
/// newline.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent = 0);

[[nodiscard]] std::string bold(std::string_view text, Style style);
/// What binds.
[[nodiscard]] std::string marked(std::string_view text, Style style);
/// What cannot launch.
[[nodiscard]] std::string alarming(std::string_view text, Style style);

}  // namespace occcalc::report
