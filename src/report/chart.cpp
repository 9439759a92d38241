#include "report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "report/layout.hpp"
#include "report/numbers.hpp"
#include "report/sentences.hpp"

namespace occcalc::report {

namespace {

// An axis of a sweep in a chart: its title, and its value as a number where it has one.
struct ChartAxis {
  std::string_view title;
  std::optional<std::int64_t> (*number)(const Row& row);
  bool in_bytes = false;
};

std::optional<std::int64_t> no_number(const Row& /*row*/) { return std::nullopt; }

std::optional<std::int64_t> block_number(const Row& row) {
  const Dim3& block = row.launch.block;
  return block.y == 1 && block.z == 1 ? std::optional(std::int64_t{block.x}) : std::nullopt;
}

std::optional<std::int64_t> registers_number(const Row& row) {
  return row.kernel.registers_per_thread ? std::optional(std::int64_t{*row.kernel.registers_per_thread}) : std::nullopt;
}

std::optional<std::int64_t> cluster_number(const Row& row) {
  const Dim3 cluster = row.whole_gpu ? row.whole_gpu->cluster.value_or(Dim3{}) : Dim3{};
  return cluster.y == 1 && cluster.z == 1 ? std::optional(std::int64_t{cluster.x}) : std::nullopt;
}

std::optional<std::int64_t> grid_number(const Row& row) {
  const Grid grid = row.whole_gpu ? row.whole_gpu->grid.value_or(Grid{}) : Grid{};
  return grid.y == 1 && grid.z == 1 ? std::optional(grid.x) : std::nullopt;
}

// `has_static`: the dynamic part is not all of the shared memory.
ChartAxis axis_of(Axis axis, bool has_static) {
  switch (axis) {
    case Axis::Gpu: return {"GPU", no_number};
    case Axis::Arch: return {"architecture", no_number};
    case Axis::Block: return {"threads per block", block_number};
    case Axis::Registers: return {"registers per thread", registers_number};
    case Axis::StaticMemory:
      return {"static shared memory per block",
              [](const Row& row) { return std::optional(row.kernel.static_shared_memory); }, true};
    case Axis::DynamicMemory:
      return {has_static ? "dynamic shared memory per block" : "shared memory per block",
              [](const Row& row) { return std::optional(dynamic_bytes(row.launch)); }, true};
    case Axis::Barriers:
      return {"barriers per block", [](const Row& row) { return std::optional(std::int64_t{row.kernel.barriers}); }};
    case Axis::Carveout: return {"carveout", no_number};
    case Axis::Cluster: return {"blocks per cluster", cluster_number};
    case Axis::Grid: return {"blocks of the grid", grid_number};
  }
  return {"", no_number};
}

// The average over a launch is an upper bound, as is what clusters of an unknown layout hold.
bool are_bounds(std::span<const Row> rows) {
  return std::any_of(rows.begin(), rows.end(), [](const Row& row) {
    const WholeGpu* const whole = row.whole_gpu.get();
    return whole != nullptr && (whole->waves || (whole->clusters && whole->clusters->is_bound));
  });
}

// What rows are measured by: warps where all have as many slots, otherwise the share of them.
ChartScale scale_of(std::span<const Row> rows) {
  const Row& first = rows.front();
  if (const std::string_view of = measured_on(asked_of(first)); !of.empty()) {
    return {"occupancy" + std::string(of) + (are_bounds(rows) ? " (at most)" : ""), 1, true};
  }
  const int slots = first.occupancy.max_warps_per_sm;
  const bool alike = std::all_of(rows.begin(), rows.end(),
                                 [slots](const Row& row) { return row.occupancy.max_warps_per_sm == slots; });
  return alike ? ChartScale{"resident warps per SM", static_cast<double>(slots), false}
               : ChartScale{"occupancy", 1, true};
}

ChartPoint point_of(const Row& row, const ChartScale& scale) {
  ChartPoint point;
  point.value = scale.is_share ? share_of(row) : row.occupancy.active_warps_per_sm;
  point.limiters = row.occupancy.limiters;
  point.launchable = row.occupancy.launchable();
  const AskedAnswers asked = asked_of(row);
  point.is_known =
      !point.launchable || ((!asked.waves || row.whole_gpu->waves) && (!asked.clusters || row.whole_gpu->clusters));
  return point;
}

// The rows by the values of their axes, each value in the order in which it first stands.
void fill_map(std::span<const Row> rows, std::span<const Axis> axes, Panel& panel) {
  std::vector<std::string> x_values;
  std::vector<std::string> y_values;
  const auto place = [](std::vector<std::string>& values, const std::string& value) {
    const auto at = std::find(values.begin(), values.end(), value);
    if (at == values.end()) {
      values.push_back(value);
      return values.size() - 1;
    }
    return static_cast<std::size_t>(at - values.begin());
  };
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, ChartPoint>> placed;
  for (const Row& row : rows) {
    ChartPoint point = point_of(row, panel.scale);
    point.y_text = axis_value(axes[0], row);
    point.x_text = axis_value(axes[1], row);
    const std::size_t y = place(y_values, point.y_text);
    const std::size_t x = place(x_values, point.x_text);
    placed.emplace_back(std::pair(y, x), std::move(point));
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  panel.kind = Panel::Kind::Map;
  panel.columns = x_values.size();
  for (auto& [at, point] : placed) {
    panel.points.push_back(std::move(point));
  }
}

}  // namespace

bool is_beyond(const Panel& panel) { return panel.current && panel.current->x > panel.points.back().x; }

bool is_even(const Panel& panel) {
  for (std::size_t i = 2; i < panel.points.size(); ++i) {
    if (panel.points[i].x - panel.points[i - 1].x != panel.points[1].x - panel.points[0].x) {
      return false;
    }
  }
  return true;
}

namespace {

// Points next to each other, each of which goes on with what the one before it has.
template <class GoesOn>
std::vector<Stretch> runs_of(const std::vector<ChartPoint>& points, const GoesOn& goes_on) {
  std::vector<Stretch> runs;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0 && goes_on(points[i - 1], points[i])) {
      runs.back().last = i;
    } else {
      runs.push_back({i, i});
    }
  }
  return runs;
}

}  // namespace

std::vector<Stretch> stretches_of(const Panel& panel) {
  return runs_of(panel.points, [](const ChartPoint& before, const ChartPoint& point) {
    return is_alike(before.value, point.value) && before.limiters == point.limiters;
  });
}

std::vector<Stretch> levels_of(const Panel& panel) {
  return runs_of(panel.points,
                 [](const ChartPoint& before, const ChartPoint& point) { return is_alike(before.value, point.value); });
}

Panel panel_of(std::span<const Row> rows, std::span<const Axis> axes) {
  Panel panel;
  if (rows.empty()) {
    return panel;
  }
  panel.scale = scale_of(rows);
  const bool has_static =
      std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.kernel.static_shared_memory > 0; });
  const ChartAxis x = axis_of(axes.back(), has_static);
  panel.x_title = x.title;
  panel.in_bytes = x.in_bytes;
  if (axes.size() > 1) {
    panel.y_title = axis_of(axes.front(), has_static).title;
    fill_map(rows, axes, panel);
    return panel;
  }
  const bool has_numbers =
      std::all_of(rows.begin(), rows.end(), [&x](const Row& row) { return x.number(row).has_value(); });
  panel.kind = has_numbers ? Panel::Kind::Curve : Panel::Kind::Bars;
  for (const Row& row : rows) {
    ChartPoint point = point_of(row, panel.scale);
    point.x = x.number(row).value_or(0);
    point.x_text = axis_value(axes.back(), row);
    panel.points.push_back(std::move(point));
  }
  if (has_numbers) {
    std::stable_sort(panel.points.begin(), panel.points.end(),
                     [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
  }
  return panel;
}

void mark_current(Panel& panel, const Row& row, std::int64_t x) {
  if (!panel.points.empty()) {
    panel.current = point_of(row, panel.scale);
    panel.current->x = x;
  }
}

std::string value_text(const ChartScale& scale, double value) {
  return scale.is_share ? percent(value) : counted(static_cast<std::int64_t>(value), "warp", "warps");
}

std::string number_text(const ChartScale& scale, const ChartPoint& point) {
  return point.is_known ? std::to_string(std::lround(scale.is_share ? 100 * point.value : point.value)) : "?";
}

std::string point_text(const ChartScale& scale, const ChartPoint& point) {
  return point.is_known ? value_text(scale, point.value) + ", " + binding_words(point) : "unknown";
}

std::string binding_words(const ChartPoint& point) {
  return !point.launchable ? "no launch" : joined_words(point.limiters);
}

char binding_letter(const ChartPoint& point) {
  if (!point.is_known) {
    return '?';
  }
  if (!point.launchable) {
    return 'x';
  }
  char letter = ' ';
  for (const Resource resource : all_resources) {
    if (point.limiters.contains(resource)) {
      letter = letter == ' ' ? binding_signs[static_cast<std::size_t>(resource)].letter : '+';
    }
  }
  return letter;
}

bool has_sign(const Panel& panel, char letter) {
  return std::any_of(panel.points.begin(), panel.points.end(),
                     [letter](const ChartPoint& point) { return binding_letter(point) == letter; });
}

std::string axis_text(const Panel& panel, std::int64_t x) { return grouped(x) + (panel.in_bytes ? " B" : ""); }

std::string panel_title(const Panel& panel) {
  const std::string full = panel.scale.is_share ? "" : fmt::format(" (of {:.0f})", panel.scale.top);
  return capitalized(panel.scale.title) + full +
         (panel.kind == Panel::Kind::Map ? ": " + panel.y_title + " by " + panel.x_title : " against " + panel.x_title);
}

namespace {

std::string level_texts(const Panel& panel, std::span<const Stretch> levels) {
  std::string text;
  for (const Stretch& level : levels) {
    text +=
        fmt::format("{}{} up to {}", text.empty() ? "" : ", ", value_text(panel.scale, panel.points[level.last].value),
                    axis_text(panel, panel.points[level.last].x));
  }
  return text;
}

// The deepest falls of a staircase that rises and falls, in their order.
std::string falls_text(const Panel& panel, const std::vector<Stretch>& levels) {
  const auto value = [&](std::size_t i) { return panel.points[levels[i].last].value; };
  std::vector<std::size_t> falls;  // levels after which it falls
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    if (value(i + 1) < value(i)) {
      falls.push_back(i);
    }
  }
  const auto depth = [&value](std::size_t i) { return value(i) - value(i + 1); };
  std::stable_sort(falls.begin(), falls.end(), [&](std::size_t a, std::size_t b) { return depth(a) > depth(b); });
  constexpr std::size_t most = 6;
  falls.resize(std::min(most, falls.size()));
  std::sort(falls.begin(), falls.end());
  std::string text;
  for (const std::size_t i : falls) {
    text += fmt::format("{}after {} from {} to {}", text.empty() ? "" : ", ",
                        axis_text(panel, panel.points[levels[i].last].x), value_text(panel.scale, value(i)),
                        value_text(panel.scale, value(i + 1)));
  }
  return text.empty() ? "" : "Falls: " + text + ".";
}

}  // namespace

std::string cliff_text(const Panel& panel) {
  if (panel.kind != Panel::Kind::Curve) {
    return "";
  }
  const std::vector<Stretch> levels = levels_of(panel);
  constexpr std::size_t most = 9;
  if (levels.size() < 2) {
    return "";
  }
  if (levels.size() <= most) {
    return "Cliffs: " + level_texts(panel, levels) + ".";
  }
  if (!panel.current || is_beyond(panel)) {
    return falls_text(panel, levels);
  }
  constexpr std::size_t around = 3;
  const auto at = static_cast<std::size_t>(
      std::find_if(levels.begin(), levels.end(),
                   [&panel](const Stretch& level) { return panel.points[level.last].x >= panel.current->x; }) -
      levels.begin());
  const std::size_t begin = at < around ? 0 : at - around;
  const std::size_t end = std::min(levels.size(), at + around + 1);
  return "Cliffs nearby: " + level_texts(panel, std::span(levels).subspan(begin, end - begin)) +
         (end < levels.size() ? " ..." : ".");
}

std::string current_text(const Panel& panel) {
  if (!panel.current) {
    return "";
  }
  const ChartPoint& point = *panel.current;
  return "now " + axis_text(panel, point.x) + ": " + point_text(panel.scale, point) +
         (is_beyond(panel) ? " (beyond this axis)" : "");
}

ChartTable::ChartTable(std::vector<Axis> axes, Writer writer, Style style)
    : axes_(std::move(axes)), writer_(writer), style_(style) {}

std::string ChartTable::head(const Row& first) {
  AxisSet varying{};
  for (const Axis axis : axes_) {
    varying[static_cast<std::size_t>(axis)] = true;
  }
  title_ = constants_text(varying, first);
  return "";
}

std::string ChartTable::row(const Row& row) {
  rows_.push_back(row);
  return "";
}

std::string ChartTable::tail() const {
  const Chart chart{title_, {panel_of(rows_, axes_)}};
  return writer_ == Writer::Svg ? write_chart_svg(chart) : write_chart_text(chart, style_);
}

}  // namespace occcalc::report
