// Charts made of letters.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "report/chart.hpp"
#include "report/layout.hpp"
#include "report/numbers.hpp"

namespace occcalc::report {

namespace {

// What charts are drawn with: a column of eighths, a row of eighths, shades, lines.
struct Letters {
  std::array<std::string_view, 9> column;
  std::array<std::string_view, 9> row;
  std::array<std::string_view, 5> shade;
  std::string_view vertical;
  std::string_view corner;
  std::string_view horizontal;
  std::string_view here;
};

constexpr Letters unicode = {{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
                             {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
                             {" ", "░", "▒", "▓", "█"},
                             "│",
                             "└",
                             "─",
                             "▲"};
constexpr Letters ascii = {{" ", ".", ".", ".", ".", ":", ":", ":", "#"},
                           {"", "", "", "", "-", "-", "-", "-", "#"},
                           {" ", ".", ":", "+", "#"},
                           "|",
                           "+",
                           "-",
                           "^"};

const Letters& letters_of(Style style) { return style.unicode ? unicode : ascii; }

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) {
    all += text;
  }
  return all;
}

// Colours that are told apart with any kind of colour vision (Okabe and Ito), of the 256 of terminals; letters say the
// same.
std::string colored_letter(char letter, const std::string& text, Style style) {
  constexpr std::array<std::pair<char, int>, 9> colors = {
      {{'w', 32}, {'b', 175}, {'r', 214}, {'s', 36}, {'n', 166}, {'v', 117}, {'+', 246}, {'x', 240}, {'?', 240}}};
  const auto* const color =
      std::find_if(colors.begin(), colors.end(), [letter](const auto& known) { return known.first == letter; });
  return !style.color || color == colors.end() || text.empty()
             ? text
             : fmt::format("\x1b[38;5;{}m{}\x1b[0m", color->second, text);
}

// A line whose neighbours of one colour are coloured together.
class ColoredLine {
 public:
  explicit ColoredLine(Style style) : style_(style) {}
  void add(char letter, const std::string& text) {
    if (letter != letter_) {
      flush();
      letter_ = letter;
    }
    run_ += text;
  }
  [[nodiscard]] std::string take() {
    flush();
    return std::move(line_);
  }

 private:
  void flush() {
    line_ += colored_letter(letter_, run_, style_);
    run_.clear();
  }

  Style style_;
  char letter_ = ' ';
  std::string run_;
  std::string line_;
};

// A column of a curve: some points next to each other, of which the least is drawn.
struct Column {
  std::size_t first = 0;
  std::size_t last = 0;
  double value = 0;
  char letter = ' ';
};

constexpr std::size_t margin = 6;  // the numbers on the left, and the line

std::vector<Column> columns_of(const Panel& panel, std::size_t group) {
  std::vector<Column> columns;
  for (std::size_t first = 0; first < panel.points.size(); first += group) {
    const std::size_t end = std::min(panel.points.size(), first + group);
    const auto least = std::min_element(panel.points.begin() + static_cast<std::ptrdiff_t>(first),
                                        panel.points.begin() + static_cast<std::ptrdiff_t>(end),
                                        [](const ChartPoint& a, const ChartPoint& b) { return a.value < b.value; });
    columns.push_back({first, end - 1, least->value, binding_letter(*least)});
  }
  return columns;
}

// How many eighths of a row's letter a value is high. Where the top is a multiple of 8 warps, an eighth is a warp.
struct Heights {
  int rows = 0;
  double per_eighth = 0;
};

Heights heights_of(const ChartScale& scale) {
  constexpr int eighths = 8;
  constexpr int most_rows = 16;
  constexpr int usual_rows = 8;
  const int top = static_cast<int>(scale.top);
  const bool is_exact = !scale.is_share && top > 0 && top % eighths == 0 && top / eighths <= most_rows;
  const int rows = is_exact ? top / eighths : usual_rows;
  return {rows, scale.top / (rows * eighths)};
}

std::string scale_label(const ChartScale& scale, int row, int rows) {
  const double value = scale.top * row / rows;
  if (row % 2 != 0 && row != rows) {
    return "";
  }
  return scale.is_share ? fmt::format("{:.0f}%", 100 * value) : fmt::format("{:.0f}", value);
}

std::string bar_rows(const Panel& panel, const std::vector<Column>& columns, std::size_t cell, Style style) {
  const Letters& letters = letters_of(style);
  const Heights heights = heights_of(panel.scale);
  std::string text;
  for (int row = heights.rows - 1; row >= 0; --row) {
    text += fmt::format("{:>4} {}", scale_label(panel.scale, row + 1, heights.rows), letters.vertical);
    ColoredLine colored(style);
    for (const Column& column : columns) {
      const int eighths = static_cast<int>(std::lround(column.value / heights.per_eighth)) - 8 * row;
      colored.add(eighths <= 0 ? ' ' : column.letter,
                  repeated(letters.column[static_cast<std::size_t>(std::clamp(eighths, 0, 8))], cell));
    }
    const std::string line = colored.take();
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text + fmt::format("{:>4} {}", 0, letters.corner) + repeated(letters.horizontal, columns.size() * cell) + "\n";
}

std::string binding_row(const std::vector<Column>& columns, std::size_t cell, Style style) {
  ColoredLine colored(style);
  for (const Column& column : columns) {
    colored.add(column.letter, std::string(cell, column.letter));
  }
  return "binds " + colored.take() + "\n";
}

std::string short_number(const Panel& panel, std::int64_t x) {
  constexpr std::int64_t kilo = 1024;
  return panel.in_bytes && x % kilo == 0 && x > 0 ? std::to_string(x / kilo) + "K" : std::to_string(x);
}

// Whether a number is a good one to stand below an axis: a multiple of a step that leaves room for its label.
std::int64_t label_step(std::int64_t span, std::size_t most_labels) {
  const std::int64_t least =
      std::max<std::int64_t>(1, span / static_cast<std::int64_t>(std::max<std::size_t>(1, most_labels)));
  std::int64_t step = 1;
  while (step < least) {
    step *= 2;
  }
  return step;
}

// The numbers of the axis below the ends of their columns. Those of a range stand at round numbers; of a list, where
// they fit.
std::string number_row(const Panel& panel, const std::vector<Column>& columns, std::size_t cell) {
  constexpr std::size_t room = 9;
  const std::int64_t span = panel.points.back().x - panel.points.front().x;
  const std::int64_t step = label_step(span, columns.size() * cell / room);
  const auto is_round = [&](const Column& column) {
    for (std::size_t i = column.first; i <= column.last; ++i) {
      if (panel.points[i].x % step == 0) {
        return std::optional(panel.points[i].x);
      }
    }
    return std::optional<std::int64_t>();
  };
  const bool is_dense = is_even(panel) && std::count_if(columns.begin(), columns.end(), [&](const Column& column) {
                                            return is_round(column).has_value();
                                          }) > 2;
  // Other even numbers stand at even distances, which the longest of them, the last, sets.
  const std::size_t longest = short_number(panel, panel.points.back().x).size() + 1;
  const std::size_t every = is_even(panel) && !is_dense ? (longest + cell - 1) / cell : 1;
  std::string line(margin, ' ');
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::optional<std::int64_t> x = is_dense               ? is_round(columns[i])
                                          : (i + 1) % every == 0 ? std::optional(panel.points[columns[i].last].x)
                                                                 : std::nullopt;
    const std::size_t end = margin + (i + 1) * cell;  // where its column ends
    const std::string label = x ? short_number(panel, *x) : "";
    if (!label.empty() && end >= line.size() + label.size() + (line.size() > margin ? 1 : 0)) {
      line.append(end - label.size() - line.size(), ' ');
      line += label;
    }
  }
  return line + "\n";
}

std::string here_row(const Panel& panel, const std::vector<Column>& columns, std::size_t cell, Style style) {
  if (!panel.current) {
    return "";
  }
  const auto column = std::find_if(columns.begin(), columns.end(), [&panel](const Column& known) {
    return panel.current->x <= panel.points[known.last].x;
  });
  const bool beyond = is_beyond(panel);
  const auto at = beyond ? margin + columns.size() * cell - 1
                         : margin + (static_cast<std::size_t>(column - columns.begin()) + 1) * cell - 1;
  const std::string text = current_text(panel);
  const std::string here(beyond ? ">" : letters_of(style).here);
  const bool goes_right = at + 2 + text.size() <= style.width;
  return goes_right ? std::string(at, ' ') + here + " " + text + "\n"
                    : std::string(at - std::min(at, text.size() + 1), ' ') + text + " " + here + "\n";
}

std::string curve_text(const Panel& panel, Style style) {
  const std::size_t width = std::max<std::size_t>(20, style.width - margin);
  const std::size_t group = (panel.points.size() + width - 1) / width;
  const std::vector<Column> columns = columns_of(panel, group);
  const std::size_t cell = std::max<std::size_t>(1, width / columns.size());
  constexpr std::size_t widest = 8;
  const std::size_t each = std::min(cell, widest);
  std::string text = bar_rows(panel, columns, each, style) + binding_row(columns, each, style) +
                     number_row(panel, columns, each) + here_row(panel, columns, each, style);
  if (group > 1) {
    text += fmt::format("Each column: the least of {} values.\n", group);
  }
  const std::string cliffs = cliff_text(panel);
  return text + (cliffs.empty() ? "" : wrapped(cliffs, 2));
}

std::size_t widest_text(const Panel& panel, std::string ChartPoint::*member) {
  std::size_t width = 0;
  for (const ChartPoint& point : panel.points) {
    width = std::max(width, display_width(point.*member));
  }
  return width;
}

// A name longer than this loses its end.
constexpr std::size_t widest_name = 28;

std::string left(const std::string& name, std::size_t width) {
  const std::string text = clipped(name, width);
  return text + std::string(width - std::min(width, display_width(text)), ' ');
}

std::string right(const std::string& name, std::size_t width) {
  const std::string text = left(name, std::min(width, display_width(name)));
  return std::string(width - std::min(width, display_width(text)), ' ') + text;
}

std::string bars_text(const Panel& panel, Style style) {
  const Letters& letters = letters_of(style);
  constexpr std::size_t beside = 34;  // the value and what binds
  constexpr std::size_t least_bar = 8;
  constexpr std::size_t least_name = 10;
  const std::size_t most_name = std::clamp(style.width - std::min(style.width, beside + least_bar + 3), least_name,
                                           widest_name);  // 3: what stands between
  const std::size_t names = std::min(most_name, widest_text(panel, &ChartPoint::x_text));
  const std::size_t width =
      std::clamp<std::size_t>(style.width > names + beside ? style.width - names - beside : 0, least_bar, 64);
  constexpr double eighths_of_letter = 8;
  std::string text;
  for (const ChartPoint& point : panel.points) {
    const auto eighths = static_cast<std::size_t>(
        std::lround(point.value / panel.scale.top * static_cast<double>(width) * eighths_of_letter));
    const std::string bar = repeated(letters.row[8], eighths / 8) + std::string(letters.row[eighths % 8]);
    std::string line = left(point.x_text, names) + " " + std::string(letters.vertical);
    line += colored_letter(binding_letter(point), bar, style) +
            std::string(width - std::min(width, display_width(bar)), ' ');
    line += " " + point_text(panel.scale, point);
    text += line + "\n";
  }
  return text;
}

std::string map_text(const Panel& panel, Style style) {
  const Letters& letters = letters_of(style);
  const std::size_t names =
      std::min(widest_name, std::max(widest_text(panel, &ChartPoint::y_text), display_width(panel.y_title)));
  constexpr std::size_t widest_head = 14;
  const std::size_t cell = std::clamp<std::size_t>(widest_text(panel, &ChartPoint::x_text), 4, widest_head) + 2;
  const std::size_t fits = std::max<std::size_t>(1, (style.width - std::min(style.width, names + 1)) / cell);
  const std::size_t step = (panel.columns + fits - 1) / fits;
  std::string text = left(panel.y_title, names);
  for (std::size_t x = 0; x < panel.columns; x += step) {
    text += "  " + right(panel.points[x].x_text, cell - 2);
  }
  text += "\n";
  constexpr double shades = 4;
  for (std::size_t begin = 0; begin < panel.points.size(); begin += panel.columns) {
    text += left(panel.points[begin].y_text, names);
    for (std::size_t x = 0; x < panel.columns; x += step) {
      const ChartPoint& point = panel.points[begin + x];
      const double share = panel.scale.top == 0 ? 0 : point.value / panel.scale.top;
      const auto shade = static_cast<std::size_t>(std::clamp(std::ceil(share * shades), 0.0, shades));
      const char letter = binding_letter(point);
      text +=
          std::string(cell - 5, ' ') +
          colored_letter(
              letter, fmt::format("{:>3}{}{}", number_text(panel.scale, point), letters.shade[shade], letter), style);
    }
    text += "\n";
  }
  if (step > 1) {
    text += fmt::format("{} of {} columns are shown; a wider terminal shows more.\n", (panel.columns + step - 1) / step,
                        panel.columns);
  }
  return text + fmt::format("Shades {} {} {} {} are quarters of full.\n", letters.shade[1], letters.shade[2],
                            letters.shade[3], letters.shade[4]);
}

std::string panel_text(const Panel& panel, Style style) {
  const std::string title = panel_title(panel) + (panel.kind == Panel::Kind::Map && panel.scale.is_share ? ", %" : "");
  const bool fits = title.size() <= style.width;
  const std::string head = fits ? bold(title, style) + "\n" : wrapped(title, 2);
  switch (panel.kind) {
    case Panel::Kind::Curve: return head + curve_text(panel, style);
    case Panel::Kind::Bars: return head + bars_text(panel, style);
    case Panel::Kind::Map: return head + map_text(panel, style);
  }
  return "";
}

// The letters that stand in the chart.
std::string legend(const Chart& chart, Style style) {
  std::string text;
  for (const BindingSign& sign : binding_signs) {
    const auto stands_in = [&sign](const Panel& panel) {
      return panel.kind != Panel::Kind::Bars && has_sign(panel, sign.letter);
    };
    if (std::any_of(chart.panels.begin(), chart.panels.end(), stands_in)) {
      text += (text.empty() ? "" : ", ") + colored_letter(sign.letter, std::string(1, sign.letter), style) + " " +
              std::string(sign.words);
    }
  }
  return text.empty() ? "" : "\nWhat binds: " + text + "\n";
}

}  // namespace

std::string write_chart_text(const Chart& chart, Style style) {
  std::string text = chart.title.empty() ? "" : wrapped(chart.title) + "\n";
  for (const Panel& panel : chart.panels) {
    if (panel.points.empty()) {
      continue;
    }
    text += (&panel == chart.panels.data() ? "" : "\n") + panel_text(panel, style);
  }
  return text + legend(chart, style);
}

}  // namespace occcalc::report
