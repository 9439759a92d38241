#include "report/csv.hpp"

namespace occcalc::report {

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

std::string csv_row(std::span<const std::string> cells) {
  std::string row;
  for (const std::string& cell : cells) {
    row += (&cell == cells.data() ? "" : ",") + csv_cell(cell);
  }
  return row + "\n";
}

}  // namespace occcalc::report
