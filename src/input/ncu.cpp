// Nsight Compute's output: its pages and options are described in NVIDIA's Nsight Compute CLI guide.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/ncu_lines.hpp"
#include "input/ncu_metrics.hpp"
#include "input/profiler_lines.hpp"
#include "input/text.hpp"
#include "input/units.hpp"
#include "occcalc/compute_capability.hpp"
#include "occcalc/readers.hpp"

namespace occcalc {

namespace {

using input::CutRow;
using input::is_absent;
using input::trimmed;
using Columns = input::NcuColumns;
using KernelLine = input::NcuKernelLine;
using Launch = input::NcuLaunch;
using Metric = input::NcuMetric;
using MetricTexts = input::NcuMetricTexts;

// Holds one launch at a time: the rows of a launch stand together.
class NcuReader {
 public:
  NcuReader(std::string_view text, const KernelSink& sink) : lines_(text), sink_(sink) {}

  void read() {
    while (lines_.next()) {
      read_line(lines_.line());
    }
    finish();
  }

 private:
  void read_line(std::string_view line);
  void begin_table(Columns columns);
  void read_row();
  void read_units(const CutRow& row);
  void read_details_row(const CutRow& row);
  void read_raw_row(const CutRow& row);
  void begin_launch(const CutRow& row);
  void begin_launch(const KernelLine& line);
  void read_dimensions(std::optional<Dim3>& dimensions, std::string_view column, std::string_view text);
  void read_capability(std::string_view text);
  void read_metric(const Metric& metric, const MetricTexts& texts, bool has_raw_name);
  void finish();

  [[nodiscard]] bool may_be_row(std::string_view line) const;
  [[nodiscard]] bool is_same_launch(const CutRow& row) const;

  void problem(const std::string& what) const { sink_.problem(lines_.number(), what); }

  input::ProfilerLines lines_;
  const KernelSink& sink_;
  std::optional<Launch> launch_;
  std::optional<Columns> columns_;          // of the table that is read
  bool is_quoted_ = false;                  // its header is, so its rows are
  std::vector<std::string> units_;          // of the raw page, by Columns::metrics
  std::vector<std::string_view> identity_;  // of the launch, cells of the text
};

void NcuReader::read_line(std::string_view line) {
  if (line.size() > input::most_line_bytes) {
    if (columns_) {
      problem("found a line of " + std::to_string(line.size()) + " bytes; accepted: rows of up to " +
              std::to_string(input::most_line_bytes));
    }
    return;
  }
  if (std::optional<Columns> columns = input::read_ncu_header(line)) {
    is_quoted_ = trimmed(line).starts_with('"');
    begin_table(std::move(*columns));
  } else if (columns_ && may_be_row(line)) {
    read_row();
  } else if (const std::optional<KernelLine> kernel = input::read_ncu_kernel_line(line)) {
    begin_launch(*kernel);
  } else if (launch_ && !columns_) {
    std::string_view rest = trimmed(line);
    const Metric* const metric = input::take_ncu_metric(rest);
    const std::optional<MetricTexts> texts = metric == nullptr ? std::nullopt : input::read_ncu_metric_line(rest);
    if (texts) {
      read_metric(*metric, *texts, false);
    }
  }
}

// Amid the rows may be what the program itself printed, and lines such as ==PROF==.
bool NcuReader::may_be_row(std::string_view line) const {
  return is_quoted_ ? line.starts_with('"') : line.find(',') != std::string_view::npos && !line.starts_with("==");
}

void NcuReader::begin_table(Columns columns) {
  finish();
  columns_.reset();
  if (columns.metric && !columns.value && !columns.is_summary()) {
    problem("found a header with Metric Name, but no values; accepted: Metric Value, or Minimum, Maximum and Average");
    return;
  }
  if (columns.is_raw() && columns.metrics.empty() && !columns.block) {
    problem(
        "found a header without a launch; accepted: Metric Name and Metric Value, or Block Size, or a metric such as "
        "launch__registers_per_thread");
    return;
  }
  units_.assign(columns.metrics.size(), "");
  columns_ = std::move(columns);
}

void NcuReader::read_row() {
  const CutRow row = input::cut_row(lines_.row(), columns_->count);
  if (row.is_cut || row.cells.size() < columns_->count) {
    problem(row.is_cut ? "found a cell whose quotes do not close; accepted: a whole row"
                       : "found a row of " + std::to_string(row.cells.size()) +
                             " cells; accepted: " + std::to_string(columns_->count) + " or more, as in the header");
    return;
  }
  if (row.cell(columns_->kernel).empty()) {
    read_units(row);
  } else if (columns_->is_raw()) {
    read_raw_row(row);
  } else {
    read_details_row(row);
  }
}

// The row behind the header of the raw page has units, and no kernel.
void NcuReader::read_units(const CutRow& row) {
  for (std::size_t i = 0; i < units_.size(); ++i) {
    units_[i] = row.cell(columns_->metrics[i].first);
  }
}

bool NcuReader::is_same_launch(const CutRow& row) const {
  return launch_ && std::equal(identity_.begin(), identity_.end(), columns_->identity.begin(), columns_->identity.end(),
                               [&row](std::string_view own, std::size_t at) { return own == row.cells[at]; });
}

void NcuReader::read_details_row(const CutRow& row) {
  if (!is_same_launch(row)) {
    begin_launch(row);
  }
  const Metric* const metric = input::find_ncu_metric(row.cell(*columns_->metric));
  if (metric == nullptr) {
    return;  // another metric; a rule, whose row has no metric
  }
  const auto cell = [&row](std::optional<std::size_t> at) { return at ? row.cell(*at) : ""; };
  read_metric(*metric,
              {cell(columns_->unit), cell(columns_->value), cell(columns_->minimum), cell(columns_->maximum),
               cell(columns_->average), !columns_->value},
              false);
}

void NcuReader::read_raw_row(const CutRow& row) {
  begin_launch(row);
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const auto [at, metric] = columns_->metrics[i];
    read_metric(*metric, {.unit = units_[i], .value = row.cell(at)}, true);
  }
  finish();
}

void NcuReader::begin_launch(const CutRow& row) {
  finish();
  launch_.emplace();
  launch_->record.line = lines_.number();
  launch_->record.kernel = row.cell(columns_->kernel);
  identity_.clear();
  for (const std::size_t at : columns_->identity) {
    identity_.push_back(row.cells[at]);
  }
  const auto cell = [&row](std::optional<std::size_t> at) { return at ? row.cell(*at) : ""; };
  read_dimensions(launch_->record.block, "Block Size", cell(columns_->block));
  read_dimensions(launch_->record.grid, "Grid Size", cell(columns_->grid));
  read_capability(cell(columns_->capability));
}

void NcuReader::begin_launch(const KernelLine& line) {
  finish();
  columns_.reset();
  launch_.emplace();
  launch_->record.line = lines_.number();
  launch_->record.kernel = line.name;
  read_dimensions(launch_->record.grid, "the grid", line.grid);
  read_dimensions(launch_->record.block, "the block", line.block);
  read_capability(line.capability);
}

void NcuReader::read_dimensions(std::optional<Dim3>& dimensions, std::string_view column, std::string_view text) {
  if (is_absent(trimmed(text))) {
    return;
  }
  dimensions = input::read_printed_dimensions(text);
  if (!dimensions) {
    problem(std::string(column) + ": found " + input::abridged(text) + "; accepted: (256, 1, 1), each 1 to 2147483647");
  }
}

void NcuReader::read_capability(std::string_view text) {
  text = trimmed(text);
  if (is_absent(text)) {
    return;
  }
  const std::optional<ArchName> name = parse_arch_name(text);
  if (!name || text.find('.') == std::string_view::npos) {
    problem("CC: found " + input::abridged(text) + "; accepted: a compute capability, such as 9.0");
    return;
  }
  launch_->record.arch = to_string(*name);
}

// Launches of one name and shape may still differ in their shared memory; then the summary states none of them.
void NcuReader::read_metric(const Metric& metric, const MetricTexts& texts, bool has_raw_name) {
  const std::string_view name = has_raw_name || metric.label.empty() ? metric.name : metric.label;
  if (texts.is_summary && !metric.is_measured && texts.minimum != texts.maximum) {
    problem(std::string(name) + ": found " + input::abridged(texts.minimum) + " to " + input::abridged(texts.maximum) +
            " among the launches; accepted: one value, as without --print-summary");
    return;
  }
  const std::string& text = texts.is_summary ? texts.average : texts.value;
  if (is_absent(trimmed(text))) {
    return;
  }
  const std::string complaint = input::read_ncu_metric(metric, text, texts.unit, *launch_);
  if (!complaint.empty()) {
    problem(std::string(name) + ": " + complaint);
  }
}

void NcuReader::finish() {
  if (!launch_) {
    return;
  }
  if (launch_->record.arch.empty() && launch_->capability_major && launch_->capability_minor) {
    launch_->record.arch = to_string(ArchName{{*launch_->capability_major, *launch_->capability_minor}});
  }
  sink_.kernel(std::move(launch_->record));
  launch_.reset();
}

}  // namespace

void read_ncu(std::string_view text, const KernelSink& sink) { NcuReader(text, sink).read(); }

}  // namespace occcalc
