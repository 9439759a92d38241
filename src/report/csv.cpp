#include "report/csv.hpp"

#include "report/fields.hpp"
#include "report/report.hpp"

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

std::string write_csv(std::span<const Report> reports, std::span<const Field* const> fields) {
  std::vector<std::string> cells;
  for (const Field* const field : fields) {
    cells.emplace_back(field->name);
  }
  std::string text = csv_row(cells);
  for (const Report& report : reports) {
    cells.clear();
    for (const Field* const field : fields) {
      cells.push_back(to_text(field->get(report)));
    }
    text += csv_row(cells);
  }
  return text;
}

std::string write_values(std::span<const Report> reports, std::span<const Field* const> fields) {
  std::string text;
  for (const Report& report : reports) {
    const char* separator = "";
    for (const Field* const field : fields) {
      text += separator + to_text(field->get(report));
      separator = "\t";
    }
    text += "\n";
  }
  return text;
}

}  // namespace occcalc::report
