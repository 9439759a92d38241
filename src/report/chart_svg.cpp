// Charts as SVG 1.1: one file that needs nothing else, readable in light and dark.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/chart.hpp"
#include "report/layout.hpp"
#include "report/numbers.hpp"

namespace occcalc::report {

namespace {

// Text of the user's must be no markup; what XML has no letter for is left out.
std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (const std::string_view letter = text.substr(i, 3); letter == "\xef\xbf\xbe" || letter == "\xef\xbf\xbf") {
      out += ' ';  // U+FFFE and U+FFFF
      i += 2;
      continue;
    }
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += byte < 0x20 || byte == 0x7f ? ' ' : c;
    }
  }
  return out;
}

// Two decimals are finer than any screen.
std::string px(double number) { return shortest(std::round(number * 100) / 100); }

constexpr double width = 960;
constexpr double left = 76;
constexpr double right = width - 28;
constexpr double plot_height = 176;
constexpr double title_height = 46;
constexpr double axis_height = 74;

// The class in the style sheet of what binds.
std::string_view class_of(char letter) {
  constexpr std::array<std::string_view, binding_signs.size()> classes = {
      "warps", "blocks", "registers", "memory", "barriers", "virtual", "several", "none", "none"};
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (binding_signs[i].letter == letter) {
      return classes[i];
    }
  }
  return classes.back();
}

// The colours of Okabe and Ito, told apart with any kind of colour vision; dashes and letters say the same.
constexpr std::string_view style_sheet =
    ":root{color-scheme:light dark}\n"
    "svg{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;font-size:14px}\n"
    ".page{fill:#fff}.ink{fill:#1b1b1b}.soft{fill:#5a5a5a}.rule{stroke:#d4d4d4;fill:none}.axis{stroke:#5a5a5a;fill:"
    "none}\n"
    ".title{font-size:17px;font-weight:600}.small{font-size:12px}\n"
    ".line{fill:none;stroke-width:3}rect.area{stroke:none;fill-opacity:.16}rect.bar{stroke:none;fill-opacity:.75}.here{"
    "stroke:#1b1b1b;stroke-width:2;fill:none}\n"
    ".warps{stroke:#0072b2;fill:#0072b2}.blocks{stroke:#cc79a7;fill:#cc79a7;stroke-dasharray:2 2}\n"
    ".registers{stroke:#e69f00;fill:#e69f00;stroke-dasharray:9 "
    "3}.memory{stroke:#009e73;fill:#009e73;stroke-dasharray:5 3}\n"
    ".barriers{stroke:#d55e00;fill:#d55e00;stroke-dasharray:1 "
    "3}.virtual{stroke:#56b4e9;fill:#56b4e9;stroke-dasharray:7 2 1 2}\n"
    ".several{stroke:#777;fill:#777;stroke-dasharray:9 3 2 3}.none{stroke:#999;fill:#999;stroke-dasharray:1 5}\n"
    ".line.warps,.line.blocks,.line.registers,.line.memory,.line.barriers,.line.virtual,.line.several,.line.none{fill:"
    "none}\n"
    "@media (prefers-color-scheme:dark){.page{fill:#161616}.ink{fill:#ececec}.soft{fill:#a8a8a8}.rule{stroke:#3a3a3a}"
    ".axis{stroke:#a8a8a8}.here{stroke:#ececec}.warps{stroke:#3d9bdc;fill:#3d9bdc}.several{stroke:#a0a0a0;fill:#a0a0a0}"
    "}\n";

std::string text_at(double x, double y, std::string_view anchor, std::string_view classes, const std::string& text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n", px(x), px(y), anchor,
                     classes, escaped(text));
}

std::string line_at(double x1, double y1, double x2, double y2, std::string_view classes) {
  return fmt::format("<path class=\"{}\" d=\"M{} {}L{} {}\"/>\n", classes, px(x1), px(y1), px(x2), px(y2));
}

// The least power of two so that at most `most` steps stand on a scale.
std::int64_t round_step(std::int64_t span, std::int64_t most) {
  std::int64_t step = 1;
  while (span / step > most) {
    step *= 2;
  }
  return step;
}

std::string axis_number(const Panel& panel, std::int64_t x) {
  constexpr std::int64_t kilo = 1024;
  return panel.in_bytes && x > 0 && x % kilo == 0 ? grouped(x / kilo) + " K" : grouped(x);
}

std::string tooltip(const Panel& panel, const ChartPoint& from, const ChartPoint& to) {
  const std::string numbers =
      from.x == to.x ? axis_text(panel, to.x) : axis_text(panel, from.x) + " to " + axis_text(panel, to.x);
  return numbers + ": " + point_text(panel.scale, to);
}

// What a text of this many letters takes, nearly.
double text_width(const std::string& text) {
  constexpr double letter_width = 7.5;
  return letter_width * static_cast<double>(display_width(text));
}

// A curve over numbers. Of a range the value of a number holds from the one before it on; the numbers of a list, which
// say nothing of those between them, stand side by side.
class CurveDrawing {
 public:
  CurveDrawing(const Panel& panel, double top) : panel_(panel), top_(top + title_height), bottom_(top_ + plot_height) {
    const std::vector<ChartPoint>& points = panel.points;
    const std::int64_t step = points.size() > 1 ? points[1].x - points[0].x : points[0].x;
    low_ = points.front().x - std::min(step, points.front().x);
    high_ = std::max(points.back().x, low_ + 1);
    constexpr std::size_t most_apart = 24;
    is_list_ = !panel.current && (points.size() <= most_apart || !is_even(panel));
  }

  [[nodiscard]] std::string draw() const {
    return scale() + (is_list_ ? names() : numbers()) + stretches() + cliffs() + here() +
           text_at((left + right) / 2, bottom_ + 44, "middle", "soft",
                   panel_.x_title + (panel_.in_bytes ? " (bytes)" : ""));
  }

 private:
  [[nodiscard]] double x_of(std::int64_t x) const {
    return left + (right - left) * static_cast<double>(x - low_) / static_cast<double>(high_ - low_);
  }
  // Where the value of a point begins and ends.
  [[nodiscard]] double begin_of(std::size_t i) const {
    return is_list_ ? end_of(i) - column_width() : x_of(i == 0 ? low_ : panel_.points[i - 1].x);
  }
  [[nodiscard]] double end_of(std::size_t i) const {
    return is_list_ ? left + column_width() * static_cast<double>(i + 1) : x_of(panel_.points[i].x);
  }
  [[nodiscard]] double column_width() const { return (right - left) / static_cast<double>(panel_.points.size()); }

  [[nodiscard]] double y_of(double value) const {
    return bottom_ - plot_height * value / (panel_.scale.top == 0 ? 1 : panel_.scale.top);
  }

  [[nodiscard]] std::string scale() const {
    constexpr int parts = 4;
    std::string text;
    for (int i = 0; i <= parts; ++i) {
      const double value = panel_.scale.top * i / parts;
      const std::string label = panel_.scale.is_share ? percent(value) : shortest(value);
      text += line_at(left, y_of(value), right, y_of(value), i == 0 ? "axis" : "rule") +
              text_at(left - 10, y_of(value) + 5, "end", "soft small", label);
    }
    return text;
  }

  [[nodiscard]] std::string numbers() const {
    constexpr std::int64_t most = 12;
    const std::int64_t step = round_step(high_ - low_, most);
    std::string text;
    double taken = 0;
    for (std::int64_t x = (low_ + step - 1) / step * step; x <= high_; x += step) {
      const std::string number = axis_number(panel_, x);
      const double half = text_width(number) / 2;
      text += line_at(x_of(x), bottom_, x_of(x), bottom_ + 5, "axis");
      if (x_of(x) - half > taken && x_of(x) + half < width) {
        text += text_at(x_of(x), bottom_ + 21, "middle", "soft small", number);
        taken = x_of(x) + half;
      }
      if (x > INT64_MAX - step) {
        break;
      }
    }
    return text;
  }

  // Below the columns of a list: each number, as far as there is room.
  [[nodiscard]] std::string names() const {
    std::string text;
    double taken = 0;
    for (std::size_t i = 0; i < panel_.points.size(); ++i) {
      const std::string name = axis_number(panel_, panel_.points[i].x);
      const double middle = end_of(i) - column_width() / 2;
      const double half = std::min(text_width(name), right - left) / 2;
      if (middle - half > taken) {
        text += text_at(std::clamp(middle, half, width - half), bottom_ + 21, "middle", "soft small", name);
        taken = middle + half;
      }
    }
    return text;
  }

  [[nodiscard]] std::string stretches() const {
    std::string areas;
    std::string lines;
    double before_y = 0;
    for (const Stretch& stretch : stretches_of(panel_)) {
      const ChartPoint& first = panel_.points[stretch.first];
      const ChartPoint& last = panel_.points[stretch.last];
      const std::string_view kind = class_of(binding_letter(last));
      const double begin = begin_of(stretch.first);
      const double end = end_of(stretch.last);
      const double y = y_of(last.value);
      const bool is_first = stretch.first == 0;
      areas +=
          fmt::format("<rect class=\"area {}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>\n",
                      kind, px(begin), px(y), px(end - begin), px(bottom_ - y), escaped(tooltip(panel_, first, last)));
      lines += fmt::format("<path class=\"line {}\" d=\"M{} {}V{}H{}\"/>\n", kind, px(begin),
                           px(is_first ? y : before_y), px(y), px(end));
      before_y = y;
    }
    return areas + lines;
  }

  // The cliffs by their names, as far as there is room: what binds and the last number before the fall, or the number
  // alone.
  [[nodiscard]] std::string cliffs() const {
    std::string labels;
    double label_end = 0;
    const std::vector<Stretch> levels = levels_of(panel_);
    constexpr std::size_t many = 16;
    const bool is_many = levels.size() > many;
    constexpr double least_fall = 0.02;  // of the scale
    for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
      const ChartPoint& last = panel_.points[levels[i].last];
      const double fall = last.value - panel_.points[levels[i + 1].last].value;
      const double begin = begin_of(levels[i].first);
      const double end = end_of(levels[i].last);
      const std::string number = grouped(last.x);
      for (const std::string& label : {std::string(1, binding_letter(last)) + " " + number, number}) {
        const double size = text_width(label);
        const bool is_crowded = is_many && label == number;
        if (fall >= least_fall * panel_.scale.top && !is_crowded && end - begin > size && end - size > label_end) {
          labels += text_at(end - 3, y_of(last.value) - 6, "end", "ink small", label);
          label_end = end;
          break;
        }
      }
    }
    return labels;
  }

  [[nodiscard]] std::string here() const {
    if (!panel_.current) {
      return "";
    }
    if (is_beyond(panel_)) {
      return text_at(right, bottom_ + 62, "end", "ink", current_text(panel_));
    }
    const ChartPoint& point = *panel_.current;
    const double x = x_of(point.x);
    const double y = y_of(point.value);
    const bool is_right = x > (left + right) / 2;
    return line_at(x, bottom_, x, y, "here") +
           fmt::format("<circle class=\"here\" cx=\"{}\" cy=\"{}\" r=\"6\"><title>{}</title></circle>\n", px(x), px(y),
                       escaped(current_text(panel_))) +
           text_at(x + (is_right ? -4 : 4), bottom_ + 62, is_right ? "end" : "start", "ink", current_text(panel_));
  }

  const Panel& panel_;
  double top_;
  double bottom_;
  std::int64_t low_ = 0;
  std::int64_t high_ = 1;
  bool is_list_ = false;
};

// A long name loses its end.
std::string short_name(const std::string& name) {
  constexpr std::size_t most = 40;
  return clipped(name, most);
}

// What the longest of the names takes, at least a little.
double width_of_names(const Panel& panel, std::string ChartPoint::*member) {
  constexpr double least = 90;
  double most = least;
  for (const ChartPoint& point : panel.points) {
    most = std::max(most, text_width(short_name(point.*member)) + 10);
  }
  return most;
}

constexpr double bar_pitch = 26;

// The top of the scale: "64", "100 %".
std::string full_text(const ChartScale& scale) { return scale.is_share ? percent(scale.top) : shortest(scale.top); }

std::string bars(const Panel& panel, double top) {
  std::string text;
  const double begin = 20 + width_of_names(panel, &ChartPoint::x_text);
  constexpr double told_width = 270;
  const double room = right - begin - told_width;
  double y = top + title_height;
  for (const ChartPoint& point : panel.points) {
    const std::string_view kind = class_of(binding_letter(point));
    const double length = panel.scale.top == 0 ? 0 : room * point.value / panel.scale.top;
    const std::string told = point_text(panel.scale, point);
    text += text_at(begin - 10, y + 15, "end", "ink", short_name(point.x_text));
    text += fmt::format(
        "<rect class=\"bar {}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"18\">"
        "<title>{}</title></rect>\n",
        kind, px(begin), px(y), px(length), escaped(point.x_text + ": " + told));
    text += text_at(begin + room + 10, y + 15, "start", "soft", told);
    y += bar_pitch;
  }
  return text + line_at(begin, top + title_height - 6, begin, y, "axis") +
         line_at(begin + room, top + title_height - 6, begin + room, y, "rule") +
         text_at(begin + room, top + title_height - 10, "middle", "soft small", full_text(panel.scale));
}

constexpr double cell_height = 28;

std::size_t map_rows(const Panel& panel) { return panel.points.size() / panel.columns; }

double map_begin(const Panel& panel) { return 20 + width_of_names(panel, &ChartPoint::y_text); }

double cell_width(const Panel& panel) { return (right - map_begin(panel)) / static_cast<double>(panel.columns); }

// Cells that have room for a number, and the letter of what binds.
bool has_numbers(const Panel& panel) {
  constexpr double least_cell = 38;
  return cell_width(panel) >= least_cell;
}

std::string cell(double share, double x, double y, double cell_width, double height, const std::string& told) {
  return fmt::format(
      "<rect fill=\"#0072b2\" fill-opacity=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">"
      "<title>{}</title></rect>\n",
      px(0.06 + 0.7 * share), px(x), px(y), px(cell_width), px(height), escaped(told));
}

// What the shades of a map stand for, on the right above it.
std::string shade_scale(const Panel& panel, double y) {
  constexpr int parts = 4;
  constexpr double swatch = 22;
  constexpr double pitch = 64;
  const double begin = right - (parts + 1) * pitch;
  std::string text;
  for (int i = 0; i <= parts; ++i) {
    const double share = static_cast<double>(i) / parts;
    const std::string told = value_text(panel.scale, panel.scale.top * share);
    const double x = begin + pitch * i;
    text += cell(share, x, y, swatch, 14, told) +
            text_at(x + swatch + 5, y + 12, "start", "soft small",
                    panel.scale.is_share ? percent(share) : shortest(panel.scale.top * share));
  }
  return text;
}

std::string map(const Panel& panel, double top) {
  const std::size_t rows = map_rows(panel);
  const double begin = map_begin(panel);
  const double pitch = cell_width(panel);
  constexpr double name_width = 60;
  const auto step = static_cast<std::size_t>(std::ceil(name_width / pitch));
  std::string text;
  const double y_begin = top + title_height;
  for (std::size_t row = 0; row < rows; ++row) {
    const double y = y_begin + cell_height * static_cast<double>(row);
    text += text_at(begin - 10, y + 19, "end", "soft small", short_name(panel.points[row * panel.columns].y_text));
    for (std::size_t column = 0; column < panel.columns; ++column) {
      const ChartPoint& point = panel.points[row * panel.columns + column];
      const double share = panel.scale.top == 0 ? 0 : point.value / panel.scale.top;
      const double x = begin + pitch * static_cast<double>(column);
      const double size = has_numbers(panel) ? pitch - 1 : pitch;
      text += cell(share, x, y, size, cell_height - 1,
                   point.y_text + ", " + point.x_text + ": " + point_text(panel.scale, point));
      if (!point.launchable) {
        text += line_at(x + 2, y + cell_height - 3, x + size - 2, y + 2, "axis");  // crossed out
      }
      if (has_numbers(panel)) {
        const std::string number = number_text(panel.scale, point);
        text += text_at(x + pitch / 2, y + 19, "middle", "ink small", number + std::string(1, binding_letter(point)));
      }
    }
  }
  const double y_end = y_begin + cell_height * static_cast<double>(rows);
  for (std::size_t column = 0; column < panel.columns; column += step) {
    text += text_at(begin + pitch * (static_cast<double>(column) + 0.5), y_end + 18, "middle", "soft small",
                    panel.points[column].x_text);
  }
  return text + text_at((begin + right) / 2, y_end + 42, "middle", "soft", panel.x_title) +
         text_at(8, y_begin - 8, "start", "soft small", panel.y_title) + shade_scale(panel, y_begin - 24);
}

double height_of(const Panel& panel) {
  switch (panel.kind) {
    case Panel::Kind::Curve: return title_height + plot_height + axis_height;
    case Panel::Kind::Bars: return title_height + bar_pitch * static_cast<double>(panel.points.size()) + 20;
    case Panel::Kind::Map: return title_height + cell_height * static_cast<double>(map_rows(panel)) + 60;
  }
  return 0;
}

std::string draw(const Panel& panel, double top) {
  std::string title =
      text_at(left, top + 16, "start", "ink title",
              panel_title(panel) + (panel.kind == Panel::Kind::Map && panel.scale.is_share ? ", %" : ""));
  switch (panel.kind) {
    case Panel::Kind::Curve: return title + CurveDrawing(panel, top).draw();
    case Panel::Kind::Bars: return title + bars(panel, top);
    case Panel::Kind::Map: return title + map(panel, top);
  }
  return title;
}

std::string legend(const Chart& chart, double y) {
  const bool is_map = chart.panels.front().kind == Panel::Kind::Map;
  if (is_map && !has_numbers(chart.panels.front())) {  // no letter stands in it
    return has_sign(chart.panels.front(), 'x') ? text_at(left, y, "start", "soft small", "Crossed out: no launch.")
                                               : "";
  }
  std::string text = text_at(left, y, "start", "soft small", "What binds:");
  double x = left + 84;
  for (const BindingSign& sign : binding_signs) {
    if (std::none_of(chart.panels.begin(), chart.panels.end(),
                     [&sign](const Panel& panel) { return has_sign(panel, sign.letter); })) {
      continue;
    }
    const std::string words = std::string(1, sign.letter) + " " + std::string(sign.words);
    if (!is_map) {
      text += line_at(x, y - 4, x + 30, y - 4, "line " + std::string(class_of(sign.letter)));
      x += 36;
    }
    text += text_at(x, y, "start", "ink small", words);
    x += 18 + text_width(words);
  }
  return text;
}

// The same in words, for who does not see the picture.
std::string description(const Chart& chart) {
  std::string text;
  for (const Panel& panel : chart.panels) {
    text += (text.empty() ? "" : " ") + panel_title(panel) + ".";
    for (const std::string& sentence : {cliff_text(panel), current_text(panel)}) {
      text += sentence.empty() ? "" : " " + sentence;
    }
    if (panel.kind == Panel::Kind::Bars) {
      for (const ChartPoint& point : panel.points) {
        text += " " + point.x_text + ": " + point_text(panel.scale, point) + ".";
      }
    }
  }
  return text;
}

}  // namespace

std::string write_chart_svg(const Chart& chart) {
  constexpr double head = 56;
  constexpr double gap = 14;
  double y = head;
  std::string body;
  for (const Panel& panel : chart.panels) {
    if (!panel.points.empty()) {
      body += "<g>\n" + draw(panel, y) + "</g>\n";
      y += height_of(panel) + gap;
    }
  }
  body += legend(chart, y + 4);
  const double height = y + 26;
  const std::string title = "CUDA occupancy: " + chart.title;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "aria-labelledby=\"title description\">\n<title id=\"title\">{2}</title>\n<desc id=\"description\">{3}</desc>\n"
      "<style>\n{4}</style>\n<rect class=\"page\" width=\"{0}\" height=\"{1}\"/>\n{5}{6}</svg>\n",
      px(width), px(height), escaped(title), escaped(description(chart)), style_sheet,
      text_at(left, 30, "start", "soft", chart.title), body);
}

}  // namespace occcalc::report
