#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>

#include "cli/commands.hpp"
#include "cli/configuration.hpp"
#include "cli/files.hpp"
#include "cli/kernel_groups.hpp"
#include "cli/kernel_rows.hpp"
#include "cli/kernel_summary.hpp"
#include "cli/output.hpp"
#include "cli/row_output.hpp"
#include "cli/selection.hpp"
#include "input/lists.hpp"
#include "input/text.hpp"
#include "occcalc/error.hpp"
#include "report/kernel_fields.hpp"
#include "report/kernel_table.hpp"
#include "report/numbers.hpp"

namespace occcalc::cli {

namespace {

using report::FoundKernel;
using report::Row;

// "reduce(float*) (lib.a: reduce.o)"
std::string heading(const FoundKernel& kernel) {
  const std::string& member = kernel.record.member;
  return kernel.names->name + " (" + std::string(kernel.file) + (member.empty() ? "" : ": " + member) + ")";
}

// What a single report does not know of a kernel.
std::string report_remarks(const Row& row) {
  const FoundKernel& kernel = *row.kernel_found;
  const KernelRecord& record = kernel.record;
  std::string text;
  if (record.spill_stores && record.spills()) {
    text += "Spills: " + report::grouped(*record.spill_stores) + " B stores, " +
            report::grouped(record.spill_loads.value_or(0)) + " B loads.\n";
  } else if (record.spills()) {
    text += "Spills: " + report::grouped(record.spill_instructions.value_or(0)) + " instructions.\n";
  }
  if (!record.linked.value_or(true)) {
    text += "Not linked yet: registers and shared memory of what it calls are not in it.\n";
  }
  if (record.grid && !row.sm_count()) {
    text += "Its grid has waves where --gpu or --sms says how many SMs there are.\n";
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
    return std::exchange(separator_, "\n") + report::as_cell(heading(kernel), report::Cell::Format::Plain) + "\n" +
           report::write_table(complete_report(arguments_, row), style_) + report_remarks(row);
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
void write_rows(const Arguments& arguments, RowOutput& rows_output, bool groups_identical, EvaluatedKernels& kernels,
                report::KernelSummary summary) {
  std::deque<FoundKernel> groups;
  std::vector<Row> rows = groups_identical ? grouped_rows(std::move(kernels.rows), groups) : std::move(kernels.rows);
  summary.lines = static_cast<std::int64_t>(rows.size());
  static_cast<void>(rows_output.write(HeldKernels(arguments, std::move(rows), std::move(summary))));
}

// Kernels that were read before the link and stand linked in the same file, whether a filter selects that form or not:
// no launch will meet them.
class Superseded {
 public:
  explicit Superseded(const std::deque<FoundKernels>& pieces) {
    std::set<Key> unlinked;
    for_each(pieces, [&](const FoundKernel& kernel) {
      if (is_unlinked(kernel)) {
        unlinked.insert(key(kernel));
      }
    });
    for_each(pieces, [&](const FoundKernel& kernel) {
      if (!unlinked.empty() && kernel.record.linked.value_or(false) && unlinked.contains(key(kernel))) {
        linked_.insert(key(kernel));
      }
    });
  }
  [[nodiscard]] bool of_none() const { return linked_.empty(); }
  [[nodiscard]] bool operator()(const Row& row) const {
    return !linked_.empty() && is_unlinked(*row.kernel_found) && linked_.contains(key(*row.kernel_found));
  }

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;

  template <class Use>
  static void for_each(const std::deque<FoundKernels>& pieces, const Use& use) {
    for (const FoundKernels& piece : pieces) {
      std::for_each(piece.begin(), piece.end(), use);
    }
  }
  static bool is_unlinked(const FoundKernel& kernel) { return !kernel.record.linked.value_or(true); }
  static Key key(const FoundKernel& kernel) { return {kernel.names->kernel, kernel.record.arch, kernel.file}; }

  std::set<Key> linked_;
};

// All kernels that match are held against the gates, also those that --top leaves out.
GateCounts count_failing(const Gates& gates, const std::vector<Row>& rows, const Superseded& is_superseded) {
  GateCounts counts;
  for (const Row& row : rows) {
    if (gates.has_any() && !is_superseded(row)) {
      gates.check(row, counts);
    }
  }
  return counts;
}

// A gate over nothing is not met: a name that was changed must not pass for ever.
bool are_met(const Gates& gates, const GateCounts& counts, std::size_t kernels, const std::set<std::string>& others,
             bool has_gpu) {
  if (kernels == 0) {
    std::string names;
    for (const std::string& arch : others) {
      names += (names.empty() ? "; there are some for " : ", ") + arch;
    }
    const std::string hint = names.empty() || !has_gpu ? "" : "; --on evaluates those on the GPU";
    write_stderr((gates.has_any() ? "occcalc: not met: no kernel matches" : "occcalc: note: no kernel matches") +
                 names + hint);
    return !gates.has_any();
  }
  return gates.judge(counts, static_cast<std::int64_t>(kernels), "kernels");
}

// Kernels that could not be evaluated, said on standard error; how many complaints.
std::int64_t complain_of_archs(const EvaluatedKernels& kernels) {
  for (const auto& [file, count] : kernels.unnamed) {
    write_stderr("occcalc: error: " + file + ": names no architecture for " +
                 report::counted(count, "kernel", "kernels") + "; give one with --arch, as --arch sm_90");
  }
  for (const auto& [place, line] : kernels.unknown_archs) {
    write_stderr("occcalc: error: " + place.first + (line > 0 ? ":" + std::to_string(line) : "") +
                 ": unknown architecture " + input::abridged(place.second) +
                 "; `occcalc archs` lists the known ones, --arch-file adds one, --on evaluates on another");
  }
  return static_cast<std::int64_t>(kernels.unnamed.size() + kernels.unknown_archs.size());
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

// What the options ask for, applied to inputs.
struct KernelCommand {
  const Arguments& arguments;
  const Output& output;
  const KernelEvaluator& evaluator;
  const Gates& gates;

  // Each kernel on its way to the output as soon as it is read.
  ExitStatus stream(KernelInputs& inputs, RowOutput& rows_output) const {
    std::mutex mutex;
    EvaluatedKernels all;  // but for the rows
    const TaskSource tasks = inputs.tasks([&](FoundKernels kernels, Chunk& chunk) {
      EvaluatedKernels piece = evaluator.evaluate(kernels);
      for (const Row& row : piece.rows) {
        rows_output.append(row, chunk);
      }
      piece.rows.clear();
      const std::lock_guard lock(mutex);
      all.add(std::move(piece));
    });
    const ExitStatus status =
        rows_output.stream(tasks, {.bytes = inputs.bytes()}, [&] { return complain_of_archs(all); });
    if (status == answered && rows_output.shown() == 0 && !interrupted()) {
      static_cast<void>(are_met(gates, {}, 0, others_of(all, inputs.unread()), arguments.has("--gpu")));
    }
    return status;
  }

  ExitStatus hold(KernelInputs& inputs, RowOutput& rows_output, bool groups_identical) const {
    HeldKernelRows held = read(inputs, rows_output);
    if (interrupted()) {
      return answered;  // main() ends as the signal would
    }
    const bool has_problems = complain_of_archs(held.kernels) + rows_output.problems() > 0;
    if (has_problems && held.kernels.rows.empty()) {
      return could_not_answer;  // nothing to say beside what was said
    }
    std::vector<Row>& rows = held.kernels.rows;
    const Superseded is_superseded(held.pieces);
    const GateCounts counts = count_failing(gates, rows, is_superseded);
    held.superseded = is_superseded.of_none() ? 0 : std::count_if(rows.begin(), rows.end(), std::cref(is_superseded));
    const std::size_t matching = rows.size() - static_cast<std::size_t>(held.superseded);
    if (output.format == Format::Table && held.superseded > 0) {
      std::erase_if(rows, std::cref(is_superseded));
    }
    held.unread = inputs.unread();
    report::KernelSummary summary = summary_of(held, evaluator.on());
    if (arguments.has("--grid") &&
        std::none_of(rows.begin(), rows.end(), [](const Row& row) { return row.sm_count(); })) {
      summary.remarks.emplace_back("The waves of the grid need the number of SMs: give --gpu or --sms");
    }
    write_rows(arguments, rows_output, groups_identical, held.kernels, std::move(summary));
    const bool met = are_met(gates, counts, matching, others_of(held.kernels, held.unread), arguments.has("--gpu"));
    return has_problems ? could_not_answer : met ? answered : answered_no;
  }

 private:
  // Pieces are read in any order, and come in theirs.
  HeldKernelRows read(KernelInputs& inputs, RowOutput& rows_output) const {
    struct Piece {
      FoundKernels kernels{};
      EvaluatedKernels evaluated{};
    };
    std::mutex mutex;
    std::map<std::uint64_t, Piece> pieces;
    const TaskSource tasks = inputs.tasks([&](FoundKernels kernels, Chunk& chunk) {
      kernels.shrink_to_fit();  // there are many, and they stay
      EvaluatedKernels evaluated = evaluator.evaluate(kernels);
      evaluated.rows.shrink_to_fit();
      chunk.rows = static_cast<std::int64_t>(kernels.size());
      const std::lock_guard lock(mutex);
      pieces[chunk.number] = {std::move(kernels), std::move(evaluated)};
    });
    HeldKernelRows held;
    Progress progress({.bytes = inputs.bytes()}, "kernels", can_show_progress(true));  // before the first row
    std::int64_t kernels = 0;
    std::int64_t bytes = 0;
    run_chunks(tasks, [&](const Chunk& chunk) {
      if (!chunk.errors.empty()) {
        progress.clear();
        rows_output.complain(chunk.errors);
      }
      progress.show(kernels += chunk.rows, bytes += chunk.bytes);
      return !interrupted();
    });
    inputs.end();
    std::size_t rows = 0;
    for (const auto& [number, piece] : pieces) {
      rows += piece.evaluated.rows.size();
    }
    held.kernels.rows.reserve(rows);
    for (auto& [number, piece] : pieces) {
      held.pieces.push_back(std::move(piece.kernels));
      held.kernels.add(std::exchange(piece.evaluated, {}));
    }
    return held;
  }
};

// A kernel is one row.
void refuse_lists(const Arguments& arguments) {
  for (const std::string_view option : {"--grid", "--cluster"}) {
    if (input::is_list(arguments.values(option))) {
      throw InputError(std::string(option), "takes one value here; several make rows of one configuration");
    }
  }
}

// Inputs may state grids, which need no more than the SMs to have waves.
Asked asked_of_kernels(const Arguments& arguments) {
  Asked asked = asked_by(arguments);
  if (arguments.has("--gpu") || arguments.has("--sms")) {
    asked.emplace_back("waves");
  }
  return asked;
}

}  // namespace

ExitStatus run_kernels(const Arguments& arguments, const std::vector<std::string>& paths) {
  Output output = read_output(arguments);
  refuse_svg(output);
  const bool full_reports = arguments.has("--report");
  if (full_reports && (output.format != Format::Table || !output.columns.empty())) {
    throw InputError("--report", "is text for people; in other formats the questions themselves add what they tell");
  }
  if (!full_reports) {
    refuse_questions(arguments, output, false);
  }
  refuse_what_is_not_known(arguments, true);
  check_questions(arguments);
  refuse_lists(arguments);
  const bool is_table = output.format == Format::Table && output.columns.empty() && !full_reports;
  if (is_table && output.sort.empty()) {
    output.sort = "occupancy";  // the worst first
  }
  const std::vector<std::string> inputs_named = paths_or_stdin(paths);
  refuse_stdin_twice(arguments, "kernels", inputs_named);
  refuse_input_as_output(output, inputs_named);
  const Gates gates(arguments);
  const ArchCatalog catalog = read_catalog(arguments);
  const KernelEvaluator evaluator(arguments, catalog);
  RowOutput rows_output(arguments, output, report::kernel_fields(), asked_of_kernels(arguments),
                        Gates());  // the gates hold all, not what is shown
  KernelInputs inputs(inputs_named,
                      {.tee = arguments.has("--tee"),
                       .ptx = arguments.has("--ptx"),
                       .selects_arch = [&](const std::string& arch) { return evaluator.selects_arch(arch); }});
  const KernelCommand command{arguments, output, evaluator, gates};
  return rows_output.can_stream() && !gates.has_any() ? command.stream(inputs, rows_output)
                                                      : command.hold(inputs, rows_output, is_table);
}

}  // namespace occcalc::cli
