#include "input/csv_text.hpp"

#include <algorithm>

#include "input/text.hpp"
#include "occcalc/error.hpp"

namespace occcalc::input {

namespace {

// The text of the quoted cell at the beginning of `rest`, which moves behind its closing quote.
std::string take_quoted(std::string_view& rest, const std::string& where) {
  std::string text;
  for (std::size_t at = 1;; ++at) {
    const std::size_t quote = rest.find('"', at);
    if (quote == std::string_view::npos) {
      throw InputError(where, "a quoted cell does not end");
    }
    text += rest.substr(at, quote - at);
    at = quote + 1;
    if (at == rest.size() || rest[at] != '"') {
      rest.remove_prefix(at);
      return text;
    }
    text += '"';
  }
}

// The cell at the beginning of `rest`, which moves behind it.
std::string take_cell(std::string_view& rest, const std::string& where) {
  if (!rest.starts_with('"')) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    std::string text(rest.substr(0, end));
    rest.remove_prefix(end);
    return text;
  }
  std::string text = take_quoted(rest, where);
  if (!rest.empty() && rest.front() != ',') {
    throw InputError(where,
                     "found " + abridged(rest) + " behind a quoted cell; accepted: a comma or the end of the row");
  }
  return text;
}

}  // namespace

std::size_t csv_end(std::string_view text, std::size_t at) {
  bool at_cell = true;
  bool in_quotes = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (in_quotes) {
      in_quotes = c != '"';
      at_cell = !in_quotes;  // of two quotes the second opens again
    } else if (c == '"' && at_cell) {
      in_quotes = true;
    } else if (c == '\n') {
      return at + 1;
    } else {
      at_cell = c == ',';
    }
  }
  return unfinished;
}

std::string_view without_line_end(std::string_view text) {
  if (text.ends_with('\n')) {
    text.remove_suffix(1);
  }
  if (text.ends_with('\r')) {
    text.remove_suffix(1);
  }
  return text;
}

std::vector<std::string> csv_cells(std::string_view row, const std::string& where) {
  constexpr std::size_t most_cells = 1000;
  std::vector<std::string> cells;
  for (std::string_view rest = row;;) {
    cells.push_back(take_cell(rest, where));
    if (rest.empty()) {
      return cells;
    }
    rest.remove_prefix(1);
    if (cells.size() == most_cells) {
      throw InputError(where, "has more than " + std::to_string(most_cells) + " cells");
    }
  }
}

}  // namespace occcalc::input
