/// The one description of a chart that its writers read, so that the terminal and the file cannot disagree.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"
#include "report/sweep_axes.hpp"

namespace occcalc::report {

/// One row of a sweep, as a chart shows it.
struct ChartPoint {
  std::int64_t x = 0;      ///< on an axis of numbers
  std::string x_text{};    ///< the value of the axis, as people write it
  std::string y_text{};    ///< of a map: the value of its other axis
  double value = 0;        ///< in the unit of the scale
  ResourceSet limiters{};  ///< empty: cannot launch, or nothing of the SM's resources forbids it
  bool launchable = false;
  bool is_known = true;  ///< false: nothing says it, for example how many SMs there are
};

/// What is drawn of each row: from 0 to `top`.
struct ChartScale {
  std::string title{};  ///< "resident warps per SM"
  double top = 1;
  bool is_share = false;  ///< 0 to 1, told in per cent
};

/// One picture.
struct Panel {
  enum class Kind : std::uint8_t {
    Curve,  ///< over an axis of numbers, which ascend
    Bars,   ///< one for each value of an axis of names
    Map,    ///< over two axes: rows of `columns` points
  };
  Kind kind = Kind::Curve;
  std::string x_title{};  ///< "registers per thread"
  std::string y_title{};  ///< of a map: its other axis
  bool in_bytes = false;  ///< the axis of numbers
  ChartScale scale{};
  std::vector<ChartPoint> points{};
  std::size_t columns = 0;                           ///< of a map
  std::optional<ChartPoint> current = std::nullopt;  ///< the configuration at hand
};

struct Chart {
  std::string title{};  ///< what is constant
  std::vector<Panel> panels{};
};

/// The configuration at hand lies beyond the last number of the axis.
[[nodiscard]] bool is_beyond(const Panel& panel);

/// The numbers of the axis have the same distance from each other.
[[nodiscard]] bool is_even(const Panel& panel);

/// Points next to each other that have the same value and the same that binds.
struct Stretch {
  std::size_t first = 0;  ///< points, by number
  std::size_t last = 0;
};
[[nodiscard]] std::vector<Stretch> stretches_of(const Panel& panel);
/// Points next to each other that have the same value, whatever binds.
[[nodiscard]] std::vector<Stretch> levels_of(const Panel& panel);

/// Rows that differ in one axis or in two, in any order. Throws nothing.
[[nodiscard]] Panel panel_of(std::span<const Row> rows, std::span<const Axis> axes);

/// Marks the configuration at hand, whose number on the axis is `x`.
void mark_current(Panel& panel, const Row& row, std::int64_t x);

/// The value as text: "48 warps", "62.5 %".
[[nodiscard]] std::string value_text(const ChartScale& scale, double value);
/// What binds at a point, in words: "registers", "no launch".
[[nodiscard]] std::string binding_words(const ChartPoint& point);

/// What binds as a letter, and its words in a legend.
struct BindingSign {
  char letter;
  std::string_view words;
};
/// The resources in their order, then what else can be said of a point.
inline constexpr std::array<BindingSign, 9> binding_signs = {{{'w', "warp slots"},
                                                              {'b', "block slots"},
                                                              {'r', "registers"},
                                                              {'s', "shared memory"},
                                                              {'n', "named barriers"},
                                                              {'v', "virtual resources"},
                                                              {'+', "several"},
                                                              {'x', "no launch"},
                                                              {'?', "unknown"}}};
/// The letter of a point.
[[nodiscard]] char binding_letter(const ChartPoint& point);
/// A point of the panel has this letter.
[[nodiscard]] bool has_sign(const Panel& panel, char letter);

/// The value alone, in whole per cent or warps: "48", "?".
[[nodiscard]] std::string number_text(const ChartScale& scale, const ChartPoint& point);
/// "48 warps, registers"; "unknown".
[[nodiscard]] std::string point_text(const ChartScale& scale, const ChartPoint& point);
/// A number of the axis as people read it: 8,192 B or 256.
[[nodiscard]] std::string axis_text(const Panel& panel, std::int64_t x);
/// "Resident warps per SM against registers per thread"
[[nodiscard]] std::string panel_title(const Panel& panel);
/// Where the value changes, in words: all steps of a short staircase; of a long one those around the configuration at
/// hand, or the deepest falls. Empty where it never changes.
[[nodiscard]] std::string cliff_text(const Panel& panel);
/// "Now 40: 48 warps, registers"; empty where there is none at hand.
[[nodiscard]] std::string current_text(const Panel& panel);

/// The chart in a terminal, or a text. `width` of the style is that of a line.
[[nodiscard]] std::string write_chart_text(const Chart& chart, Style style);
/// The same as a picture that stands alone.
[[nodiscard]] std::string write_chart_svg(const Chart& chart);

/// The rows of a sweep as a chart instead of a table.
class ChartTable : public RowTable {
 public:
  enum class Writer : std::uint8_t { Text, Svg };
  ChartTable(std::vector<Axis> axes, Writer writer, Style style);

  [[nodiscard]] std::string head(const Row& first) override;
  [[nodiscard]] std::string row(const Row& row) override;
  [[nodiscard]] std::string tail() const override;

 private:
  std::vector<Axis> axes_;
  Writer writer_;
  Style style_;
  std::string title_;
  std::vector<Row> rows_;
};

}  // namespace occcalc::report
