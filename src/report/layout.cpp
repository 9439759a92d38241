#include "report/layout.hpp"

#include <algorithm>

namespace occcalc::report {

namespace {

std::string colored(std::string_view code, std::string_view text, Style style) {
  return style.color ? "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m" : std::string(text);
}

// Of UTF-8.
bool begins_letter(char c) {
  constexpr unsigned continuation = 0x80;
  constexpr unsigned mask = 0xc0;
  return (static_cast<unsigned char>(c) & mask) != continuation;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_letter));
}

std::string clipped(std::string_view text, std::size_t width) {
  constexpr std::string_view dots = "...";
  std::size_t letters = 0;
  std::size_t kept = 0;  // bytes of the beginning that leaves room for the dots
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins_letter(text[i])) {
      kept = letters == width - dots.size() ? i : kept;
      if (++letters > width) {
        return std::string(text.substr(0, kept)) + std::string(dots);
      }
    }
  }
  return std::string(text);
}

std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows, const std::vector<Align>& aligns) {
  std::vector<std::size_t> widths(aligns.size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - row[i].size(), ' ');
      line += i == 0 ? "" : "  ";
      line += aligns[i] == Align::Left ? row[i] + pad : pad + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t room = line_width;
  while (text.size() > room) {
    std::size_t end = text.rfind(' ', room);
    if (end == std::string_view::npos || end == 0) {
      end = std::min(text.find(' '), text.size());  // one long word
    }
    out += std::string(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
    if (text.empty()) {
      return out;
    }
    out.append(indent, ' ');
    room = line_width - indent;
  }
  return out + std::string(text) + "\n";
}

std::string bold(std::string_view text, Style style) { return colored("1", text, style); }
std::string marked(std::string_view text, Style style) { return colored("1;33", text, style); }
std::string alarming(std::string_view text, Style style) { return colored("1;31", text, style); }

}  // namespace occcalc::report
