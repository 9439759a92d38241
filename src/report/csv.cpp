#include "report/csv.hpp"

#include <algorithm>

namespace occcalc::report {

// Four searches for one byte each, which libraries do many bytes at a time.
bool needs_quotes(std::string_view text) noexcept {
  const auto has = [text](char c) { return text.find(c) != std::string_view::npos; };
  return has(',') || has('"') || has('\n') || has('\r');
}

std::string csv_cell(std::string_view text) {
  if (!needs_quotes(text)) {
    return std::string(text);
  }
  std::string quoted;
  quoted.reserve(text.size() + 2);
  quoted += '"';
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t quote = std::min(text.find('"', begin), text.size());
    quoted.append(text, begin, quote - begin);
    quoted += quote < text.size() ? "\"\"" : "";
    begin = quote + 1;
  }
  return quoted + '"';
}

std::string csv_row(std::span<const std::string> cells) {
  std::string row;
  for (const std::string& cell : cells) {
    row += (&cell == cells.data() ? "" : ",") + csv_cell(cell);
  }
  return row + "\n";
}

}  // namespace occcalc::report
