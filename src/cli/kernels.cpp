#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "cli/commands.hpp"
#include "cli/configuration.hpp"
#include "cli/files.hpp"
#include "cli/kernel_rows.hpp"
#include "cli/output.hpp"
#include "cli/row_output.hpp"
#include "cli/selection.hpp"
#include "input/text.hpp"
#include "occcalc/error.hpp"
#include "report/kernel_fields.hpp"
#include "report/kernel_table.hpp"
#include "report/numbers.hpp"

namespace occcalc::cli {

namespace {

using report::FoundKernel;
using report::Row;

template <class Predicate>
std::int64_t count_if(const std::vector<Row>& rows, const Predicate& predicate) {
  return std::count_if(rows.begin(), rows.end(), predicate);
}

// "registers 9", the most frequent first.
std::vector<std::string> binding_counts(const std::vector<Row>& rows) {
  std::vector<std::pair<std::int64_t, std::string>> counts;
  for (const Resource resource : all_resources) {
    const std::int64_t count =
        count_if(rows, [resource](const Row& row) { return row.occupancy.limiters.contains(resource); });
    if (count > 0) {
      std::string name(to_string(resource));
      std::replace(name.begin(), name.end(), '_', ' ');
      counts.emplace_back(count, std::move(name));
    }
  }
  std::stable_sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> texts;
  texts.reserve(counts.size());
  for (const auto& [count, name] : counts) {
    texts.push_back(name + " " + report::grouped(count));
  }
  return texts;
}

// What the words of the table's column `profiler` mean.
struct Difference {
  std::string_view word;
  std::string_view meaning;
};

constexpr Difference differences[] = {
    {"option", "an option changed the launch"},
    {"carveout", "the input does not say which capacity the driver chose (give --carveout)"},
    {"rounded", "the input rounds sizes (export with --print-units base)"},
    {"estimate", "PyTorch's profiler counts the grid, and no opt-in to more than 48 KB"},
    {"differs", "the profiler reports other ceilings than ours, and nothing here explains it"},
};

report::KernelSummary summary_of(const EvaluatedKernels& kernels) {
  const std::vector<Row>& rows = kernels.rows;
  std::set<std::string> archs;
  for (const Row& row : rows) {
    archs.insert(row.arch);
  }
  report::KernelSummary summary;
  summary.kernels = static_cast<std::int64_t>(rows.size());
  summary.architectures = static_cast<std::int64_t>(archs.size());
  summary.others = static_cast<std::int64_t>(kernels.other_archs.size());
  summary.spilling = count_if(rows, [](const Row& row) { return row.kernel_found->record.spills(); });
  summary.spills_unknown = count_if(rows, [](const Row& row) { return !row.kernel_found->record.spill_stores; });
  summary.assumed_blocks = count_if(rows, [](const Row& row) { return row.kernel_found->is_block_assumed(); });
  summary.assumed_memory = count_if(rows, [](const Row& row) { return row.kernel_found->is_memory_assumed(); });
  summary.binding = binding_counts(rows);
  if (count_if(rows, [](const Row& row) { return row.kernel_found->record.rounded_bytes; }) > 0) {
    summary.remarks.emplace_back("~ the input rounds sizes: the nearest likely number of bytes is taken");
  }
  for (const Difference& difference : differences) {
    if (count_if(rows, [&](const Row& row) { return row.kernel_found->difference == difference.word; }) > 0) {
      summary.remarks.push_back(std::string(difference.word) + ": " + std::string(difference.meaning));
    }
  }
  if (kernels.on) {
    std::set<std::string> compiled;
    std::string names;
    for (const Row& row : rows) {
      const std::string& arch = row.kernel_found->compiled_arch;
      if (!arch.empty() && compiled.insert(arch).second) {
        names += (names.empty() ? "" : ", ") + arch;
      }
    }
    summary.remarks.push_back("Evaluated on " + kernels.on->name + "; registers are from the " +
                              (names.empty() ? "unknown" : names) + " compile");
  }
  return summary;
}

// Counts one more of the same; the duration becomes that of an average launch.
void add_launch(const FoundKernel& kernel, FoundKernel& group) {
  const auto launches = static_cast<double>(++group.count);
  std::optional<double>& average = group.record.reported.duration_ns;
  if (average && kernel.record.reported.duration_ns) {
    *average += (*kernel.record.reported.duration_ns - *average) / launches;
  }
}

// Kernels that no column of the table tells apart become one line, that of the first of them.
std::vector<Row> grouped_rows(const std::vector<Row>& rows, std::deque<FoundKernel>& groups) {
  using Key = std::tuple<std::string_view, std::string_view, std::optional<int>, std::int64_t, int, int,
                         std::optional<std::int64_t>, std::optional<std::int64_t>, std::string_view>;
  struct Line {
    std::size_t row = 0;
    FoundKernel* group = nullptr;  // of several kernels
  };
  std::map<Key, Line> lines;
  std::vector<Row> lines_in_order;
  for (const Row& row : rows) {
    const FoundKernel& kernel = *row.kernel_found;
    const Key key{kernel.name,
                  row.arch,
                  row.kernel.registers_per_thread,
                  shared_memory_bytes(row.kernel, row.launch),
                  row.occupancy.threads_per_block,
                  row.occupancy.active_blocks_per_sm,
                  kernel.record.spill_stores,
                  kernel.record.spill_loads,
                  kernel.difference};
    const auto [place, is_new] = lines.emplace(key, Line{lines_in_order.size()});
    Line& line = place->second;
    if (is_new) {
      lines_in_order.push_back(row);
      continue;
    }
    if (line.group == nullptr) {
      line.group = &groups.emplace_back(*lines_in_order[line.row].kernel_found);
      lines_in_order[line.row].kernel_found = line.group;
    }
    add_launch(kernel, *line.group);
  }
  return lines_in_order;
}

// What a single report does not know of a kernel.
std::string report_remarks(const FoundKernel& kernel) {
  const KernelRecord& record = kernel.record;
  std::string text;
  if (record.spills()) {
    text += "Spills: " + report::grouped(record.spill_stores.value_or(0)) + " B stores, " +
            report::grouped(record.spill_loads.value_or(0)) + " B loads.\n";
  }
  if (kernel.is_block_assumed()) {
    text += "The block size is unknown: a best one is assumed (give --block).\n";
  }
  if (kernel.is_memory_assumed()) {
    text += "Dynamic shared memory is not in the input: 0 B assumed (give --smem-dynamic).\n";
  }
  return text;
}

// The full report of each kernel, under its name: --report.
class KernelReports : public report::RowTable {
 public:
  KernelReports(const Arguments& arguments, report::Style style) : arguments_(arguments), style_(style) {}

  [[nodiscard]] std::string head(const Row& /*first*/) override { return ""; }
  [[nodiscard]] std::string row(const Row& row) override {
    const FoundKernel& kernel = *row.kernel_found;
    return std::exchange(separator_, "\n") +
           report::as_cell(kernel.name + " (" + kernel.file + ")", report::Cell::Format::Plain) + "\n" +
           report::write_table(complete_report(arguments_, row), style_) + report_remarks(kernel);
  }
  [[nodiscard]] std::string tail() const override { return ""; }

 private:
  const Arguments& arguments_;
  report::Style style_;
  std::string separator_;
};

class HeldKernels : public HeldRows {
 public:
  HeldKernels(const Arguments& arguments, std::vector<Row> rows, report::KernelSummary summary)
      : HeldRows(std::move(rows)), arguments_(arguments), summary_(std::move(summary)) {}

  [[nodiscard]] std::unique_ptr<report::RowTable> table(report::Style style) const override {
    if (arguments_.has("--report")) {
      return std::make_unique<KernelReports>(arguments_, style);
    }
    return std::make_unique<report::KernelTable>(rows(), summary_, style);
  }

 private:
  const Arguments& arguments_;
  report::KernelSummary summary_;
};

// Takes the rows. `groups_identical`: those that are the same in the table become one line.
void write_rows(const Arguments& arguments, RowOutput& rows_output, bool groups_identical, EvaluatedKernels& kernels) {
  report::KernelSummary summary = summary_of(kernels);
  std::deque<FoundKernel> groups;
  std::vector<Row> rows = groups_identical ? grouped_rows(kernels.rows, groups) : std::move(kernels.rows);
  summary.lines = static_cast<std::int64_t>(rows.size());
  static_cast<void>(rows_output.write(HeldKernels(arguments, std::move(rows), std::move(summary))));
}

// All kernels that match are held against the gates, also those that --top leaves out.
GateCounts count_failing(const Gates& gates, const std::vector<Row>& rows) {
  GateCounts counts;
  for (const Row& row : rows) {
    gates.check(row, counts);
  }
  return counts;
}

// A gate over nothing is not met: a name that was changed must not pass for ever.
bool are_met(const Gates& gates, const GateCounts& counts, std::size_t kernels) {
  if (kernels == 0) {
    write_stderr(gates.has_any() ? "occcalc: not met: no kernel matches" : "occcalc: note: no kernel matches");
    return !gates.has_any();
  }
  return gates.judge(counts, static_cast<std::int64_t>(kernels), "kernels");
}

// Kernels that could not be evaluated, said on standard error; how many complaints.
std::size_t complain_of_archs(const EvaluatedKernels& kernels) {
  for (const auto& [file, count] : kernels.unnamed) {
    write_stderr("occcalc: error: " + file + ": names no architecture for " + report::grouped(count) +
                 (count == 1 ? " kernel" : " kernels") + "; give one with --arch, as --arch sm_90");
  }
  for (const auto& [place, line] : kernels.unknown_archs) {
    write_stderr("occcalc: error: " + place.first + ":" + std::to_string(line) + ": unknown architecture " +
                 input::abridged(place.second) +
                 "; `occcalc archs` lists the known ones, --arch-file adds one, --on evaluates on another");
  }
  return kernels.unnamed.size() + kernels.unknown_archs.size();
}

std::vector<std::string> paths_or_stdin(const std::vector<std::string>& paths) {
  if (std::find(paths.begin(), paths.end(), "") != paths.end()) {
    throw InputError("kernels", "found an empty file name; give a file, a folder, or - for standard input");
  }
  if (!paths.empty()) {
    return paths;
  }
  if (stdin_is_terminal()) {
    throw InputError("kernels",
                     "needs a file, a folder, or text on standard input; for example: nvcc -Xptxas -v -c x.cu 2>&1 | "
                     "occcalc kernels");
  }
  return {"-"};
}

}  // namespace

ExitStatus run_kernels(const Arguments& arguments, const std::vector<std::string>& paths) {
  Output output = read_output(arguments);
  const bool full_reports = arguments.has("--report");
  if (full_reports && (output.format != Format::Table || !output.columns.empty())) {
    throw InputError("--report", "is text for people; in other formats the questions themselves add what they tell");
  }
  if (!full_reports) {
    refuse_questions(arguments, output, false);
  }
  check_questions(arguments);
  const bool is_table = output.format == Format::Table && output.columns.empty() && !full_reports;
  if (is_table && output.sort.empty()) {
    output.sort = "occupancy";  // the worst first
  }
  const std::vector<std::string> inputs_named = paths_or_stdin(paths);
  refuse_stdin_twice(arguments, "kernels", inputs_named);
  const Gates gates(arguments);
  const ArchCatalog catalog = read_catalog(arguments);
  KernelEvaluator evaluator(arguments, catalog);
  RowOutput rows_output(arguments, output, report::kernel_fields(), Gates());  // the gates hold all, not what is shown
  KernelInputs inputs = read_kernel_inputs(inputs_named, arguments.has("--tee"));
  EvaluatedKernels kernels = evaluator.evaluate(inputs);
  const bool has_problems = complain_of_archs(kernels) > 0 || inputs.problems > 0;
  if (has_problems && kernels.rows.empty()) {
    return could_not_answer;  // nothing to say beside what was said
  }
  const GateCounts counts = count_failing(gates, kernels.rows);
  const std::size_t matching = kernels.rows.size();
  write_rows(arguments, rows_output, is_table, kernels);
  const bool met = are_met(gates, counts, matching);
  return has_problems ? could_not_answer : met ? answered : answered_no;
}

}  // namespace occcalc::cli
