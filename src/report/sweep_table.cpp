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

struct Column {
  std::string_view head;
  std::string (*text)(const Row& row);
};

// The axes in their order; those that vary are columns, the others stand in the head line.
constexpr std::array<Column, 7> axes = {{
    {"arch", [](const Row& row) { return row.arch; }},
    {"block", [](const Row& row) { return block_text(row.launch.block); }},
    {"registers", registers_text},
    {"static B", [](const Row& row) { return grouped(row.kernel.static_shared_memory); }},
    {"dynamic B", [](const Row& row) { return grouped(dynamic_bytes(row.launch)); }},
    {"barriers", [](const Row& row) { return grouped(row.kernel.barriers); }},
    {"carveout", carveout_text},
}};

constexpr std::size_t arch_axis = 0;
constexpr std::size_t carveout_axis = 6;

bool is_default(const Row& row) { return row.launch.carveout.kind == Carveout::Kind::Default; }

std::string constant_text(std::size_t axis, const Row& row) {
  switch (axis) {
    case 0: return row.arch;
    case 1: return "blocks of " + block_text(row.launch.block) + " threads";
    case 2: return row.kernel.registers_per_thread ? registers_text(row) + " registers" : "registers not given";
    case 3: return row.kernel.static_shared_memory == 0 ? "" : grouped(row.kernel.static_shared_memory) + " B static";
    case 4: return grouped(dynamic_bytes(row.launch)) + " B shared memory";
    case 5: return row.kernel.barriers == 1 ? "" : grouped(row.kernel.barriers) + " barriers";
    default:
      return "carveout " + (is_default(row) ? kilobytes(row.occupancy.shared_memory_per_sm) : carveout_text(row));
  }
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
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const std::string text = axes[axis].text(row);
      shape.widths[axis] = std::max(shape.widths[axis], text.size());
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
  std::string constants;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (!shape_.varies[axis]) {
      const bool of_part = axis == carveout_axis && shape_.varies[arch_axis] && is_default(first);
      const std::string text = of_part ? "" : constant_text(axis, first);
      constants += (constants.empty() || text.empty() ? "" : ", ") + text;
    }
  }
  if (!shape_.varies[arch_axis]) {
    constants += fmt::format("; full = {} warps", first.architecture->limits.max_warps_per_sm);
  }
  std::string line;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (shape_.varies[axis]) {
      widths_[axis] = std::max(axes[axis].head.size(), shape_.widths[axis]);
      line += axis == arch_axis ? fmt::format("{:<{}}  ", axes[axis].head, widths_[axis])
                                : fmt::format("{:>{}}  ", axes[axis].head, widths_[axis]);
    }
  }
  line += fmt::format("{:>11}  {:>9}  {:>8}  {:>9}  {:<{}}  {:<{}}", "warps/block", "blocks/SM", "warps/SM",
                      "occupancy", "", bar_width, "binds", shape_.binding_width);
  line = without_end(
      line + passed_text(shape_, [this](std::size_t i) { return as_cell(shape_.passed[i], Cell::Format::Plain); }));
  return (constants.empty() ? "" : wrapped(constants) + "\n") + bold(line, style_) + "\n";
}

std::string SweepTable::row(const Row& row) {
  std::string line;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (shape_.varies[axis]) {
      line += axis == arch_axis ? fmt::format("{:<{}}  ", axes[axis].text(row), widths_[axis])
                                : fmt::format("{:>{}}  ", axes[axis].text(row), widths_[axis]);
    }
  }
  const Occupancy& answer = row.occupancy;
  line += fmt::format("{:>11}  {:>9}  {:>8}  {:>7.2f} %  {:<{}}  {:<{}}", grouped(answer.warps_per_block),
                      answer.active_blocks_per_sm, answer.active_warps_per_sm, 100 * answer.fraction(), bar(answer),
                      bar_width, binding_text(row), shape_.binding_width);
  line += passed_text(shape_, [&row](std::size_t i) { return passed_cell(row.passed[i]); });
  remember(row);
  return without_end(std::move(line)) + "\n";
}

// The best rows so far, by occupancy.
void SweepTable::remember(const Row& row) {
  const double share = row.occupancy.fraction();
  if (share > best_share_ || best_count_ == 0) {
    best_share_ = share;
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
  return "\n" + wrapped(fmt::format("Best: {} at {}. What binds there: {}.", percent(best_share_), names,
                                    joined_words(best_limiters_)));
}

}  // namespace occcalc::report
