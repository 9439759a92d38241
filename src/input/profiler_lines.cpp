#include "input/profiler_lines.hpp"

#include <algorithm>

#include "input/csv_text.hpp"

namespace occcalc::input {

namespace {

// Where the cell that begins at `at` ends.
std::size_t cell_end(std::string_view row, std::size_t at, bool& is_cut) {
  if (row.substr(at, 1) != "\"") {
    return std::min(row.find(',', at), row.size());
  }
  bool is_quoted = false;
  for (; at < row.size() && (is_quoted || row[at] != ','); ++at) {
    is_quoted = is_quoted != (row[at] == '"');
  }
  is_cut = is_cut || is_quoted;
  return at;
}

// Where the quotes that open at `at` close; npos: nowhere.
std::size_t closing_quote(std::string_view row, std::size_t at) {
  std::size_t quote = row.find('"', at + 1);
  while (quote != std::string_view::npos && row.substr(quote + 1).starts_with('"')) {
    quote = row.find('"', quote + 2);
  }
  return quote;
}

// Every quoted cell ends, at a comma or the end of the row.
bool has_whole_cells(std::string_view row) {
  for (std::size_t at = 0; at < row.size(); ++at) {
    if (row[at] != '"') {
      at = std::min(row.find(',', at), row.size());
      continue;
    }
    const std::size_t quote = closing_quote(row, at);
    if (quote == std::string_view::npos || (quote + 1 < row.size() && row[quote + 1] != ',')) {
      return false;
    }
    at = quote + 1;
  }
  return true;
}

}  // namespace

ProfilerLines::ProfilerLines(std::string_view text) : text_(text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text_.starts_with(byte_order_mark)) {
    text_.remove_prefix(byte_order_mark.size());
  }
}

bool ProfilerLines::next() {
  number_ += 1 + further_lines_;
  further_lines_ = 0;
  begin_ = end_;
  if (begin_ >= text_.size()) {
    return false;
  }
  end_ = std::min(text_.find('\n', begin_), text_.size() - 1) + 1;
  line_ = without_line_end(text_.substr(begin_, end_ - begin_));
  return true;
}

// A row that was cut runs into the next one, whose first quote closes its own; then the line is taken alone. Each byte
// is searched once: a file of quotes that do not close is read line by line, in linear time.
std::string_view ProfilerLines::row() {
  constexpr std::size_t most_row_bytes = 1 << 16;
  if (begin_ < searched_ || end_ == text_.size()) {
    return line_;
  }
  const std::size_t limit = begin_ + most_row_bytes;
  const std::size_t row_end = csv_end(text_.substr(0, limit), begin_);
  if (row_end == unfinished) {
    searched_ = limit;
  } else if (row_end > end_ && !has_whole_cells(without_line_end(text_.substr(begin_, row_end - begin_)))) {
    searched_ = row_end;
  } else if (row_end > end_) {
    further_lines_ = std::count(text_.begin() + static_cast<std::ptrdiff_t>(end_),
                                text_.begin() + static_cast<std::ptrdiff_t>(row_end), '\n');
    end_ = row_end;
    line_ = without_line_end(text_.substr(begin_, end_ - begin_));
  }
  return line_;
}

std::string CutRow::cell(std::size_t index) const {
  std::string_view quoted = index < cells.size() ? cells[index] : std::string_view();
  if (!quoted.starts_with('"')) {
    return std::string(trimmed(quoted));
  }
  quoted.remove_prefix(1);
  quoted.remove_suffix(quoted.ends_with('"') ? 1 : 0);
  std::string text;
  for (std::size_t at = 0; at < quoted.size(); ++at) {
    text += quoted[at];
    at += quoted.substr(at).starts_with("\"\"") ? 1U : 0U;
  }
  return text;
}

CutRow cut_row(std::string_view row, std::size_t most_cells) {
  CutRow result;
  for (std::size_t at = 0; result.cells.size() < most_cells; ++at) {
    const std::size_t end = cell_end(row, at, result.is_cut);
    result.cells.push_back(row.substr(at, end - at));
    at = end;
    if (end == row.size()) {
      break;
    }
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
  return text.substr(0, text.find_last_not_of(blank) + 1);
}

std::string_view take_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
  rest.remove_prefix(word.size());
  return word;
}

}  // namespace occcalc::input
