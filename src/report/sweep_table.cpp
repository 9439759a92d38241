#include "report/sweep_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "report/fields.hpp"
#include "report/gpu_cells.hpp"
#include "report/layout.hpp"
#include "report/numbers.hpp"
#include "report/sentences.hpp"

namespace occcalc::report {

namespace {

// What is told of a whole GPU, where it is asked: a column of the row's answer.
struct AnswerColumn {
  std::string_view head;
  std::size_t width;  // room for the usual launches; larger numbers move what follows
  bool (*is_asked)(const AskedAnswers& asked);
  std::string (*text)(const Row& row);
};

bool is_usual(const AskedAnswers& asked) { return asked.latency && !asked.bytes_in_flight; }

constexpr AnswerColumn answers[] = {
    {"clusters", 8, [](const AskedAnswers& asked) { return asked.clusters; }, clusters_cell},
    {"of GPU", 9, [](const AskedAnswers& asked) { return asked.clusters && !asked.waves; }, of_gpu_cell},
    {"waves", 6, [](const AskedAnswers& asked) { return asked.waves; }, waves_cell},
    {"tail", 5, [](const AskedAnswers& asked) { return asked.waves; }, tail_cell},
    {"average", 9, [](const AskedAnswers& asked) { return asked.waves; }, average_cell},
    {"warps", 5, [](const AskedAnswers& asked) { return asked.latency; },
     [](const Row& row) { return grouped(row.occupancy.active_warps_per_sm); }},
    {"to cover", 8, [](const AskedAnswers& asked) { return asked.latency && asked.bytes_in_flight; }, asked_need_cell},
    {"for 4 B", 7, is_usual, usual_need_cell<0>},
    {"16 B", 4, is_usual, usual_need_cell<1>},
    {"64 B", 4, is_usual, usual_need_cell<2>},
    {"FMAs", 4, [](const AskedAnswers& asked) { return asked.latency; }, arithmetic_need_cell},
};

bool has_any(const AskedAnswers& asked) { return asked.clusters || asked.waves || asked.latency; }

std::string padded(const std::string& text, std::size_t width, bool is_text) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return is_text ? text + blanks : blanks + text;
}

// The user's own columns, behind all others.
std::string passed_text(const SweepShape& shape, const std::function<std::string(std::size_t)>& text) {
  std::string line;
  for (std::size_t i = 0; i < shape.passed.size(); ++i) {
    const std::string cell = text(i);
    line +=
        "  " + cell + std::string(shape.passed_widths[i] - std::min(shape.passed_widths[i], display_width(cell)), ' ');
  }
  return line;
}

std::string passed_cell(const PassedValue& value) {
  return value.text.empty() ? "-" : as_cell(value.text, Cell::Format::Plain);
}

std::string without_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string binding_text(const Row& row) {
  return row.occupancy.launchable() ? joined_words(row.occupancy.limiters) : short_reason(row);
}

constexpr int bar_width = 12;

std::string bar(const Occupancy& answer) {
  const int length =
      answer.max_warps_per_sm == 0
          ? 0
          : (answer.active_warps_per_sm * bar_width + answer.max_warps_per_sm - 1) / answer.max_warps_per_sm;
  return std::string(static_cast<std::size_t>(std::min(length, bar_width)), '#');
}

}  // namespace

SweepShape shape_of(std::span<const Row> rows, std::vector<std::string> passed) {
  SweepShape shape;
  for (const std::string& name : passed) {
    shape.passed_widths.push_back(display_width(as_cell(name, Cell::Format::Plain)));
  }
  shape.passed = std::move(passed);
  for (const Row& row : rows) {
    for (std::size_t axis = 0; axis < axis_count; ++axis) {
      const std::string text = axis_columns[axis].text(row);
      shape.widths[axis] = std::max(shape.widths[axis], display_width(text));
      shape.varies[axis] = shape.varies[axis] || text != axis_columns[axis].text(rows.front());
    }
    for (std::size_t i = 0; i < shape.passed.size(); ++i) {
      shape.passed_widths[i] = std::max(shape.passed_widths[i], display_width(passed_cell(row.passed[i])));
    }
    shape.binding_width = std::max(shape.binding_width, binding_text(row).size());
    const AskedAnswers asked = asked_of(row);
    shape.asked = {shape.asked.clusters || asked.clusters, shape.asked.waves || asked.waves,
                   shape.asked.latency || asked.latency, shape.asked.bytes_in_flight || asked.bytes_in_flight};
  }
  return shape;
}

SweepTable::SweepTable(const SweepShape& shape, Style style) : shape_(shape), style_(style) {}

std::string SweepTable::head(const Row& first) {
  const std::string constants = constants_text(shape_.varies, first);
  std::string line;
  for (std::size_t axis = 0; axis < axis_count; ++axis) {
    if (shape_.varies[axis]) {
      widths_[axis] = std::max(axis_columns[axis].head.size(), shape_.widths[axis]);
      line += padded(std::string(axis_columns[axis].head), widths_[axis], axis_columns[axis].is_text) + "  ";
    }
  }
  if (has_any(shape_.asked)) {
    line += fmt::format("{:>6}  {:>9}  ", "blocks", "occupancy");
    for (const AnswerColumn& column : answers) {
      line += column.is_asked(shape_.asked) ? fmt::format("{:>{}}  ", column.head, column.width) : "";
    }
  } else {
    line += fmt::format("{:>11}  {:>9}  {:>8}  {:>9}  {:<{}}  ", "warps/block", "blocks/SM", "warps/SM", "occupancy",
                        "", bar_width);
  }
  line += fmt::format("{:<{}}", "binds", shape_.binding_width);
  line = without_end(
      line + passed_text(shape_, [this](std::size_t i) { return as_cell(shape_.passed[i], Cell::Format::Plain); }));
  return (constants.empty() ? "" : wrapped(constants) + "\n") + bold(line, style_) + "\n";
}

std::string SweepTable::row(const Row& row) {
  std::string line;
  for (std::size_t axis = 0; axis < axis_count; ++axis) {
    if (shape_.varies[axis]) {
      line += padded(axis_columns[axis].text(row), widths_[axis], axis_columns[axis].is_text) + "  ";
    }
  }
  const Occupancy& answer = row.occupancy;
  const std::string share = share_cell(answer.fraction());
  if (has_any(shape_.asked)) {
    line += fmt::format("{:>6}  {:>9}  ", answer.active_blocks_per_sm, share);
    for (const AnswerColumn& column : answers) {
      const std::string text = column.is_asked(shape_.asked) && row.whole_gpu ? column.text(row) : "-";
      line += column.is_asked(shape_.asked) ? padded(text, column.width, false) + "  " : "";
    }
  } else {
    line += fmt::format("{:>11}  {:>9}  {:>8}  {:>9}  {:<{}}  ", grouped(answer.warps_per_block),
                        answer.active_blocks_per_sm, answer.active_warps_per_sm, share, bar(answer), bar_width);
  }
  line += fmt::format("{:<{}}", binding_text(row), shape_.binding_width);
  line += passed_text(shape_, [&row](std::size_t i) { return passed_cell(row.passed[i]); });
  remember(row);
  return without_end(std::move(line)) + "\n";
}

// The best rows so far, by occupancy.
void SweepTable::remember(const Row& row) {
  const AskedAnswers asked = asked_of(row);
  if (asked.latency && latency_legend_.empty()) {
    latency_legend_ = wrapped(latency_legend(*row.whole_gpu->latency));
  }
  can_launch_ = can_launch_ || row.occupancy.launchable();
  has_bounds_ = has_bounds_ || (row.whole_gpu && row.whole_gpu->clusters && row.whole_gpu->clusters->is_bound);
  if (shape_.asked.waves && !asked.waves) {
    return;  // nothing to compare with; without clusters, all SMs hold what one does
  }
  const double share = share_of(row);
  const bool is_same = best_count_ > 0 && is_alike(share, best_share_);
  if (share < best_share_ && !is_same) {
    return;
  }
  if (!is_same) {
    best_share_ = share;
    best_count_ = 0;
    best_names_.clear();
    best_limiters_ = {};
  }
  ++best_count_;
  for (const Resource resource : all_resources) {
    best_limiters_.insert_if(row.occupancy.limiters.contains(resource), resource);
  }
  constexpr std::size_t most_named = 8;
  if (best_names_.size() < most_named) {
    std::string name;
    for (std::size_t axis = 0; axis < axis_count; ++axis) {
      if (shape_.varies[axis]) {
        const std::string text = axis_columns[axis].text(row);
        name += (name.empty() ? "" : "/") + (text.empty() ? "-" : text);
      }
    }
    best_names_.push_back(std::move(name));
  }
}

std::string SweepTable::tail() const {
  const std::string legend = (has_bounds_ ? wrapped(std::string(bounds_legend)) : "") + latency_legend_;
  return best_text() + (legend.empty() ? "" : "\n" + legend);
}

std::string SweepTable::best_text() const {
  if (best_share_ <= 0 && can_launch_) {
    return "\nNothing to compare: the number of SMs, or the grid, is not known.\n";
  }
  if (best_count_ == 0) {
    return "No rows.\n";
  }
  if (best_share_ == 0) {
    return "\nNo configuration of this sweep can launch.\n";
  }
  if (best_names_.front().empty()) {
    return "";  // one row, which says all itself
  }
  std::string names;
  for (const std::string& name : best_names_) {
    names += (names.empty() ? "" : ", ") + name;
  }
  const auto more = best_count_ - static_cast<std::int64_t>(best_names_.size());
  names += more > 0 ? fmt::format(" and {} more", grouped(more)) : "";
  return "\n" +
         wrapped(fmt::format("Best{}: {}{} at {}. What binds there: {}.", has_bounds_ ? ", by bounds" : "",
                             percent(best_share_), measured_on(shape_.asked), names, joined_words(best_limiters_)));
}

}  // namespace occcalc::report
