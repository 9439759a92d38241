#include "report/sweep_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "report/fields.hpp"
#include "report/layout.hpp"
#include "report/numbers.hpp"
#include "report/sentences.hpp"

namespace occcalc::report {

namespace {

std::string carveout_text(const Row& row) {
  const Carveout& carveout = row.launch.carveout;
  switch (carveout.kind) {
    case Carveout::Kind::Default: return "default";
    case Carveout::Kind::MaxL1: return "max-l1";
    case Carveout::Kind::MaxShared: return "max-shared";
    case Carveout::Kind::Equal: return "equal";
    case Carveout::Kind::Percent: return std::to_string(carveout.value) + "%";
    case Carveout::Kind::Bytes: return kilobytes(carveout.value);
  }
  return "";
}

std::string registers_text(const Row& row) {
  return row.kernel.registers_per_thread ? grouped(*row.kernel.registers_per_thread) : "not given";
}

std::string gpu_text(const Row& row) { return row.whole_gpu ? row.whole_gpu->part->name : ""; }

std::string cluster_text(const Row& row) {
  const std::optional<Dim3> cluster = row.whole_gpu ? row.whole_gpu->cluster : std::nullopt;
  return cluster ? size_text({cluster->x, cluster->y, cluster->z}) : "";
}

std::string grid_text(const Row& row) {
  return row.whole_gpu && row.whole_gpu->grid ? size_text(*row.whole_gpu->grid) : "";
}

struct Column {
  std::string_view head;
  std::string (*text)(const Row& row);
  bool is_text = false;  // on the left
};

// The axes in their order; those that vary are columns, the others stand in the head line.
constexpr std::array<Column, axis_count> axes = {{
    {"GPU", gpu_text, true},
    {"arch", [](const Row& row) { return row.arch; }, true},
    {"block", [](const Row& row) { return block_text(row.launch.block); }},
    {"registers", registers_text},
    {"static B", [](const Row& row) { return grouped(row.kernel.static_shared_memory); }},
    {"dynamic B", [](const Row& row) { return grouped(dynamic_bytes(row.launch)); }},
    {"barriers", [](const Row& row) { return grouped(row.kernel.barriers); }},
    {"carveout", carveout_text},
    {"cluster", cluster_text},
    {"grid", grid_text},
}};

bool is_default(const Row& row) { return row.launch.carveout.kind == Carveout::Kind::Default; }

std::string constant_text(Axis axis, const Row& row) {
  switch (axis) {
    case Axis::Gpu: return gpu_text(row);
    case Axis::Arch: return row.arch;
    case Axis::Block: return "blocks of " + block_text(row.launch.block) + " threads";
    case Axis::Registers:
      return row.kernel.registers_per_thread ? registers_text(row) + " registers" : "registers not given";
    case Axis::StaticMemory:
      return row.kernel.static_shared_memory == 0 ? "" : grouped(row.kernel.static_shared_memory) + " B static";
    case Axis::DynamicMemory: return grouped(dynamic_bytes(row.launch)) + " B shared memory";
    case Axis::Barriers: return row.kernel.barriers == 1 ? "" : grouped(row.kernel.barriers) + " barriers";
    case Axis::Carveout:
      return "carveout " + (is_default(row) ? kilobytes(row.occupancy.shared_memory_per_sm) : carveout_text(row));
    case Axis::Cluster: return cluster_text(row).empty() ? "" : "clusters of " + cluster_text(row);
    case Axis::Grid: return grid_text(row).empty() ? "" : "grid of " + grid_text(row);
  }
  return "";
}

std::string share_text(double share) { return fmt::format("{:.2f} %", 100 * share); }

std::string count_or_dash(const std::optional<std::int64_t>& count) { return count ? grouped(*count) : "-"; }

// What is told of a whole GPU, where it is asked: a column of the row's answer.
struct AnswerColumn {
  std::string_view head;
  bool (*is_asked)(const WholeGpu& whole);
  std::string (*text)(const WholeGpu& whole);
};

bool asks_clusters(const WholeGpu& whole) { return whole.cluster.has_value(); }
bool asks_waves(const WholeGpu& whole) { return whole.grid.has_value(); }
bool asks_memory(const WholeGpu& whole) {
  return whole.latency && (whole.latency->asked_need || !whole.latency->fma_warps_per_sm);
}
bool asks_arithmetic(const WholeGpu& whole) { return whole.latency && !asks_memory(whole); }

// Room for the largest numbers of the usual launches; larger ones move what follows.
constexpr std::size_t answer_width = 8;

constexpr AnswerColumn answers[] = {
    {"clusters", asks_clusters,
     [](const WholeGpu& whole) {
       return whole.clusters ? (whole.clusters->is_bound ? "<=" : "") + grouped(whole.clusters->max_active_clusters)
                             : "-";
     }},
    {"of GPU", [](const WholeGpu& whole) { return asks_clusters(whole) && !asks_waves(whole); },
     [](const WholeGpu& whole) { return whole.clusters ? share_text(whole.clusters->gpu_occupancy) : "-"; }},
    {"waves", asks_waves,
     [](const WholeGpu& whole) { return whole.waves ? fmt::format("{:.2f}", whole.waves->waves) : "-"; }},
    {"tail", asks_waves,
     [](const WholeGpu& whole) {
       return count_or_dash(whole.waves ? std::optional(whole.waves->tail_blocks) : std::nullopt);
     }},
    {"average", asks_waves,
     [](const WholeGpu& whole) { return whole.waves ? share_text(whole.waves->average_occupancy_bound) : "-"; }},
    {"to cover", asks_memory,
     [](const WholeGpu& whole) {
       const auto& need = whole.latency->asked_need;
       return count_or_dash(need ? std::optional(need->warps_per_sm) : std::nullopt);
     }},
    {"for FMAs", asks_arithmetic, [](const WholeGpu& whole) { return grouped(*whole.latency->fma_warps_per_sm); }},
};

bool has_answers(const Row& row) {
  return row.whole_gpu && std::any_of(std::begin(answers), std::end(answers),
                                      [&row](const AnswerColumn& column) { return column.is_asked(*row.whole_gpu); });
}

// What the best rows have most of: resident warps, over the launch or on the whole GPU where that is asked.
double measure(const Row& row) {
  const WholeGpu* const whole = row.whole_gpu.get();
  if (whole != nullptr && asks_waves(*whole)) {
    return whole->waves ? whole->waves->average_occupancy_bound : 0;
  }
  if (whole != nullptr && asks_clusters(*whole)) {
    return whole->clusters ? whole->clusters->gpu_occupancy : 0;
  }
  return row.occupancy.fraction();
}

// What the measure is of.
std::string_view measured(const Row& row) {
  const WholeGpu* const whole = row.whole_gpu.get();
  return whole == nullptr        ? ""
         : asks_waves(*whole)    ? " on average over the launch"
         : asks_clusters(*whole) ? " of the whole GPU"
                                 : "";
}

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

std::string size_text(const Grid& size) {
  std::string text = grouped(size.x);
  if (size.y != 1 || size.z != 1) {
    text += "x" + grouped(size.y);
  }
  return size.z == 1 ? text : text + "x" + grouped(size.z);
}

SweepShape shape_of(std::span<const Row> rows, std::vector<std::string> passed) {
  SweepShape shape;
  for (const std::string& name : passed) {
    shape.passed_widths.push_back(display_width(as_cell(name, Cell::Format::Plain)));
  }
  shape.passed = std::move(passed);
  for (const Row& row : rows) {
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const std::string text = axes[axis].text(row);
      shape.widths[axis] = std::max(shape.widths[axis], display_width(text));
      shape.varies[axis] = shape.varies[axis] || text != axes[axis].text(rows.front());
    }
    for (std::size_t i = 0; i < shape.passed.size(); ++i) {
      shape.passed_widths[i] = std::max(shape.passed_widths[i], display_width(passed_cell(row.passed[i])));
    }
    shape.binding_width = std::max(shape.binding_width, binding_text(row).size());
  }
  return shape;
}

SweepTable::SweepTable(const SweepShape& shape, Style style) : shape_(shape), style_(style) {}

std::string SweepTable::head(const Row& first) {
  const bool several_parts = shape_.does_vary(Axis::Arch) || shape_.does_vary(Axis::Gpu);
  // What may differ between parts although it is no column: the architecture, and the default carveout.
  const auto is_constant = [&](Axis axis) {
    const bool of_part = axis == Axis::Arch || (axis == Axis::Carveout && is_default(first));
    return !shape_.does_vary(axis) && !(of_part && several_parts);
  };
  std::string constants;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (is_constant(static_cast<Axis>(axis))) {
      const std::string text = constant_text(static_cast<Axis>(axis), first);
      constants += (constants.empty() || text.empty() ? "" : ", ") + text;
    }
  }
  if (!several_parts) {
    constants += fmt::format("; full = {} warps", first.architecture->limits.max_warps_per_sm);
  }
  std::string line;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (shape_.varies[axis]) {
      widths_[axis] = std::max(axes[axis].head.size(), shape_.widths[axis]);
      line += padded(std::string(axes[axis].head), widths_[axis], axes[axis].is_text) + "  ";
    }
  }
  if (has_answers(first)) {
    line += fmt::format("{:>9}  {:>9}  ", "blocks/SM", "occupancy");
    for (const AnswerColumn& column : answers) {
      line += column.is_asked(*first.whole_gpu) ? fmt::format("{:>{}}  ", column.head, answer_width) : "";
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
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (shape_.varies[axis]) {
      line += padded(axes[axis].text(row), widths_[axis], axes[axis].is_text) + "  ";
    }
  }
  const Occupancy& answer = row.occupancy;
  const std::string share = share_text(answer.fraction());
  if (has_answers(row)) {
    line += fmt::format("{:>9}  {:>9}  ", answer.active_blocks_per_sm, share);
    for (const AnswerColumn& column : answers) {
      line += column.is_asked(*row.whole_gpu) ? padded(column.text(*row.whole_gpu), answer_width, false) + "  " : "";
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
  const double share = measure(row);
  if (share > best_share_ || best_count_ == 0) {
    best_share_ = share;
    best_measure_ = measured(row);
    best_count_ = 0;
    best_names_.clear();
    best_limiters_ = {};
  }
  if (share < best_share_) {
    return;
  }
  ++best_count_;
  for (const Resource resource : all_resources) {
    best_limiters_.insert_if(row.occupancy.limiters.contains(resource), resource);
  }
  constexpr std::size_t most_named = 8;
  if (best_names_.size() < most_named) {
    std::string name;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      if (shape_.varies[axis]) {
        name += (name.empty() ? "" : "/") + axes[axis].text(row);
      }
    }
    best_names_.push_back(std::move(name));
  }
}

std::string SweepTable::tail() const {
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
  return "\n" + wrapped(fmt::format("Best: {}{} at {}. What binds there: {}.", percent(best_share_), best_measure_,
                                    names, joined_words(best_limiters_)));
}

}  // namespace occcalc::report
