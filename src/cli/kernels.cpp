#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <tuple>

#include "cli/commands.hpp"
#include "cli/configuration.hpp"
#include "cli/files.hpp"
#include "cli/kernel_inputs.hpp"
#include "cli/output.hpp"
#include "cli/row_output.hpp"
#include "cli/selection.hpp"
#include "input/lists.hpp"
#include "input/text.hpp"
#include "input/values.hpp"
#include "occcalc/block_sizes.hpp"
#include "occcalc/error.hpp"
#include "report/kernel_fields.hpp"
#include "report/kernel_table.hpp"
#include "report/numbers.hpp"

namespace occcalc::cli {

namespace {

using report::BlockSource;
using report::FoundKernel;
using report::MemorySource;
using report::Row;

// What the command line says of launches, for all kernels.
struct Overrides {
  std::optional<Dim3> block = std::nullopt;
  std::optional<std::int64_t> dynamic_memory = std::nullopt;
  std::optional<int> barriers = std::nullopt;
  const std::string* carveout = nullptr;
  LaunchConfig launch{};  // opt-in, global caching
};

Overrides read_overrides(const Arguments& arguments) {
  Overrides overrides;
  if (const std::string* const block = arguments.value("--block")) {
    overrides.block = input::read_block("--block", *block);
  }
  if (const std::string* const bytes = arguments.value("--smem-dynamic")) {
    overrides.dynamic_memory = input::read_size("--smem-dynamic", *bytes);
  }
  if (const std::string* const barriers = arguments.value("--barriers")) {
    constexpr int most_barriers = 16;
    overrides.barriers = input::read_count("--barriers", *barriers, "barriers", 0, most_barriers);
  }
  overrides.carveout = arguments.value("--carveout");
  KernelResources unused;
  read_constants(arguments, unused, overrides.launch);
  return overrides;
}

// The architectures that --arch selects: exactly these; all if it is not given.
class ArchFilter {
 public:
  ArchFilter(const Arguments& arguments, const ArchCatalog& catalog) {
    for (const std::string& item : input::split_items("--arch", arguments.values("--arch"))) {
      if (!input::equal_ignoring_case(item, "all")) {
        names_.insert(find_named(catalog, "--arch", item).name);
      }
    }
  }

  [[nodiscard]] bool selects(const std::string& arch) const { return names_.empty() || names_.contains(arch); }
  /// What an input is of that names no architecture: the only one that is asked for; empty if there is none.
  [[nodiscard]] std::string only() const { return names_.size() == 1 ? *names_.begin() : ""; }

 private:
  std::set<std::string> names_;
};

class NameFilter {
 public:
  explicit NameFilter(const std::string* text) {
    if (text == nullptr) {
      return;
    }
    constexpr std::string_view prefix = "regex:";  // as ncu writes it
    const std::string pattern = text->starts_with(prefix) ? text->substr(prefix.size()) : *text;
    try {
      pattern_.emplace(pattern);
    } catch (const std::regex_error&) {
      throw InputError("--kernel", input::abridged(*text) + " is no regular expression (ECMAScript)");
    }
  }

  [[nodiscard]] bool selects(const FoundKernel& kernel) const {
    return !pattern_ || matches(kernel.name) || matches(kernel.record.kernel);
  }

 private:
  [[nodiscard]] bool matches(const std::string& name) const {
    constexpr std::size_t most = 5000;  // the library's matcher takes stack for each letter
    return std::regex_search(name.substr(0, most), *pattern_);
  }

  std::optional<std::regex> pattern_;
};

std::optional<Resource> read_limiter(const std::string* text) {
  if (text == nullptr) {
    return std::nullopt;
  }
  std::string accepted;
  for (const Resource resource : all_resources) {
    if (*text == to_string(resource)) {
      return resource;
    }
    accepted += (accepted.empty() ? "" : ", ") + std::string(to_string(resource));
  }
  throw InputError("--limited-by", "found " + input::abridged(*text) + "; accepted: " + accepted);
}

// Kernels with their answers, those that are asked for.
class KernelRows {
 public:
  KernelRows(const Arguments& arguments, const ArchCatalog& catalog, KernelInputs& inputs)
      : catalog_(catalog),
        archs_(arguments, catalog),
        names_(arguments.value("--kernel")),
        limiter_(read_limiter(arguments.value("--limited-by"))),
        only_spilling_(arguments.has("--spilling")),
        overrides_(read_overrides(arguments)) {
    if (const std::string* const on = arguments.value("--on")) {
      on_ = find_named(catalog, "--on", *on);
    }
    for (FoundKernel& kernel : inputs.kernels) {
      if (names_.selects(kernel)) {
        add(kernel);
      }
    }
  }

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] const std::optional<NamedArchitecture>& on() const { return on_; }
  /// Architectures that --arch left out.
  [[nodiscard]] std::int64_t others() const { return static_cast<std::int64_t>(others_.size()); }
  /// Kernels whose architecture is unknown: without one there is no answer.
  [[nodiscard]] std::int64_t unknown_archs() const { return unknown_archs_; }
  [[nodiscard]] const std::set<std::string>& bad_archs() const { return bad_archs_; }

 private:
  void add(FoundKernel& kernel) {
    const std::string named = kernel.record.arch.empty() ? archs_.only() : kernel.record.arch;
    if (named.empty() && !on_) {
      ++unknown_archs_;
      return;
    }
    std::optional<NamedArchitecture> compiled;
    if (!named.empty()) {
      try {
        compiled = find_named(catalog_, "architecture", named);
      } catch (const InputError&) {
        if (!on_) {
          bad_archs_.insert(named);
          return;
        }
      }
    }
    if (compiled && !archs_.selects(compiled->name)) {
      others_.insert(compiled->name);
      return;
    }
    kernel.compiled_arch = compiled ? compiled->name : named;
    const bool is_wanted_form =
        !only_spilling_ || kernel.record.spill_stores.value_or(0) > 0 || kernel.record.spill_loads.value_or(0) > 0;
    Row row = evaluate(kernel, on_ ? *on_ : *compiled, compiled ? compiled->architecture : nullptr);
    if (is_wanted_form && (!limiter_ || row.occupancy.limiters.contains(*limiter_))) {
      rows_.push_back(std::move(row));
    }
  }

  // The linker counts the driver's reserve of 9.0 and later into a kernel's static memory; none stays none.
  static std::int64_t own_static_memory(const KernelRecord& record, const Architecture* compiled) {
    constexpr std::int64_t reserve = 1024;
    constexpr int first_major = 9;
    const std::int64_t bytes = record.static_shared_memory.value_or(0);
    const bool counted = record.includes_reserve && compiled != nullptr && compiled->compute_capability &&
                         compiled->compute_capability->major >= first_major && bytes >= reserve;
    return counted ? bytes - reserve : bytes;
  }

  Row evaluate(FoundKernel& kernel, const NamedArchitecture& arch, const Architecture* compiled) const {
    KernelRecord& record = kernel.record;
    if (record.static_shared_memory) {
      record.static_shared_memory = own_static_memory(record, compiled);
    }
    Row row;
    row.kernel_found = &kernel;
    row.arch = arch.name;
    row.architecture = arch.architecture;
    row.line = record.line;
    row.kernel.registers_per_thread = record.registers_per_thread;
    row.kernel.static_shared_memory = record.static_shared_memory.value_or(0);
    row.kernel.barriers = overrides_.barriers ? *overrides_.barriers : record.barriers.value_or(1);
    row.kernel.max_threads_per_block = record.max_threads_per_block.value_or(0);
    kernel.barriers_given = overrides_.barriers.has_value();
    row.launch = overrides_.launch;
    set_dynamic_memory(kernel, row);
    set_carveout(record, row);
    set_block(kernel, row);
    const SmLimits& sm = arch.architecture->limits;
    row.occupancy = compute_occupancy(sm, row.kernel, row.launch);
    row.reasons = find_reasons(sm, row.kernel, row.launch, row.occupancy);
    kernel.difference = on_ ? "" : difference(kernel, row);
    return row;
  }

  void set_dynamic_memory(FoundKernel& kernel, Row& row) const {
    const std::optional<std::int64_t>& own = kernel.record.dynamic_shared_memory;
    kernel.memory_source = overrides_.dynamic_memory ? MemorySource::Option
                           : own                     ? MemorySource::Input
                                                     : MemorySource::Assumed;
    row.launch.dynamic_shared_memory = overrides_.dynamic_memory ? *overrides_.dynamic_memory : own.value_or(0);
  }

  // What the driver chose, where a profiler says so.
  void set_carveout(const KernelRecord& record, Row& row) const {
    const CarveoutSizes& sizes = row.architecture->limits.carveouts;
    const std::optional<std::int64_t>& chosen = record.reported.shared_memory_per_sm;
    if (overrides_.carveout != nullptr) {
      row.launch.carveout = input::read_carveout("--carveout", *overrides_.carveout, *row.architecture);
    } else if (chosen && !on_ && std::find(sizes.begin(), sizes.end(), *chosen) != sizes.end()) {
      row.launch.carveout = Carveout::bytes(*chosen);
    }
  }

  void set_block(FoundKernel& kernel, Row& row) const {
    const KernelRecord& record = kernel.record;
    if (overrides_.block || record.block || record.required_block) {
      kernel.block_source = overrides_.block ? BlockSource::Option
                            : record.block   ? BlockSource::Input
                                             : BlockSource::Required;
      row.launch.block = overrides_.block ? *overrides_.block : record.block ? *record.block : *record.required_block;
    } else if (record.max_threads_per_block) {
      kernel.block_source = BlockSource::LaunchBounds;
      row.launch.block = {*record.max_threads_per_block};
    } else {
      kernel.block_source = BlockSource::Suggested;
      row.launch.block = {std::max(usual_block_size(row.architecture->limits, row.kernel, row.launch), warp_size)};
    }
  }

  // Why ours is not what the profiler reported; empty where it is, or nothing was reported.
  [[nodiscard]] std::string_view difference(const FoundKernel& kernel, const Row& row) const {
    const report::FoundKernel& found = kernel;
    const ReportedLaunch& reported = found.record.reported;
    bool memory_differs = false;
    bool other_differs = false;
    for (const Resource resource : all_resources) {
      const std::optional<int>& theirs = reported.blocks_per_sm[static_cast<std::size_t>(resource)];
      const std::optional<int> ours = row.occupancy.ceiling(resource);
      // A profiler knows how many barriers a kernel has, but prints only what they allow.
      const bool is_comparable = resource != Resource::Barriers || found.record.barriers || overrides_.barriers;
      const bool differs = is_comparable && theirs && ours && *theirs != *ours;
      memory_differs = memory_differs || (differs && resource == Resource::SharedMemory);
      other_differs = other_differs || (differs && resource != Resource::SharedMemory);
    }
    constexpr double half_a_percent = 0.005;
    const bool share_differs =
        reported.occupancy && std::abs(*reported.occupancy - row.occupancy.fraction()) > half_a_percent;
    if (overrides_.block || overrides_.dynamic_memory || overrides_.barriers || overrides_.carveout != nullptr) {
      return memory_differs || other_differs || share_differs ? "option" : "";
    }
    if (other_differs || (share_differs && !memory_differs)) {
      return "differs";
    }
    if (!memory_differs) {
      constexpr double whole_percent = 0.01;  // it is printed without decimals
      const std::optional<double>& estimate = reported.estimated_occupancy;
      return estimate && std::abs(*estimate - row.occupancy.fraction()) > whole_percent ? "estimate" : "";
    }
    return !reported.shared_memory_per_sm ? "carveout" : found.record.rounded_bytes ? "rounded" : "differs";
  }

  const ArchCatalog& catalog_;
  ArchFilter archs_;
  NameFilter names_;
  std::optional<Resource> limiter_;
  bool only_spilling_;
  Overrides overrides_;
  std::optional<NamedArchitecture> on_;
  std::vector<Row> rows_;
  std::set<std::string> others_;
  std::set<std::string> bad_archs_;
  std::int64_t unknown_archs_ = 0;
};

bool spills(const Row& row) {
  const KernelRecord& record = row.kernel_found->record;
  return record.spill_stores.value_or(0) > 0 || record.spill_loads.value_or(0) > 0;
}

bool is_block_assumed(const Row& row) { return row.kernel_found->block_source == BlockSource::Suggested; }
bool is_memory_assumed(const Row& row) { return row.kernel_found->memory_source == MemorySource::Assumed; }

template <class Predicate>
std::int64_t count_if(const std::vector<Row>& rows, const Predicate& predicate) {
  return std::count_if(rows.begin(), rows.end(), predicate);
}

// "registers bind 9", the most frequent first.
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
    texts.push_back(name + " bind " + report::grouped(count));
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

report::KernelSummary summary_of(const KernelRows& kernels) {
  const std::vector<Row>& rows = kernels.rows();
  std::set<std::string> archs;
  for (const Row& row : rows) {
    archs.insert(row.arch);
  }
  report::KernelSummary summary;
  summary.kernels = static_cast<std::int64_t>(rows.size());
  summary.architectures = static_cast<std::int64_t>(archs.size());
  summary.others = kernels.others();
  summary.spilling = count_if(rows, spills);
  summary.assumed_blocks = count_if(rows, is_block_assumed);
  summary.assumed_memory = count_if(rows, is_memory_assumed);
  summary.binding = binding_counts(rows);
  if (count_if(rows, [](const Row& row) { return row.kernel_found->record.rounded_bytes; }) > 0) {
    summary.remarks.emplace_back("~ the input rounds sizes: the nearest likely number of bytes is taken");
  }
  for (const Difference& difference : differences) {
    if (count_if(rows, [&](const Row& row) { return row.kernel_found->difference == difference.word; }) > 0) {
      summary.remarks.push_back(std::string(difference.word) + ": " + std::string(difference.meaning));
    }
  }
  if (kernels.on()) {
    std::set<std::string> compiled;
    std::string names;
    for (const Row& row : rows) {
      const std::string& arch = row.kernel_found->compiled_arch;
      if (!arch.empty() && compiled.insert(arch).second) {
        names += (names.empty() ? "" : ", ") + arch;
      }
    }
    summary.remarks.push_back("Evaluated on " + kernels.on()->name + "; registers are from the " +
                              (names.empty() ? "unknown" : names) + " compile");
  }
  return summary;
}

// Kernels that no column of the table tells apart become one line, which keeps the first of them; its duration becomes
// that of an average launch.
std::vector<Row> grouped_rows(const std::vector<Row>& rows, std::deque<FoundKernel>& groups) {
  using Key = std::tuple<std::string, std::string, std::optional<int>, std::int64_t, int, int,
                         std::optional<std::int64_t>, std::optional<std::int64_t>, std::string_view>;
  std::map<Key, std::size_t> lines;
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
    const auto [line, is_new] = lines.emplace(key, groups.size());
    if (is_new) {
      groups.push_back(kernel);
      lines_in_order.push_back(row);
      lines_in_order.back().kernel_found = &groups.back();
      continue;
    }
    FoundKernel& first = groups[line->second];
    const auto launches = static_cast<double>(++first.count);
    std::optional<double>& average = first.record.reported.duration_ns;
    if (average && kernel.record.reported.duration_ns) {
      *average += (*kernel.record.reported.duration_ns - *average) / launches;
    }
  }
  return lines_in_order;
}

class HeldKernels : public HeldRows {
 public:
  HeldKernels(std::vector<Row> rows, report::KernelSummary summary)
      : HeldRows(std::move(rows)), summary_(std::move(summary)) {}

  [[nodiscard]] std::unique_ptr<report::RowTable> table(report::Style style) const override {
    return std::make_unique<report::KernelTable>(rows(), summary_, style);
  }

 private:
  report::KernelSummary summary_;
};

// The full report of each kernel, under its name.
void write_reports(const Arguments& arguments, const Output& output, const std::vector<Row>& rows) {
  OutputFile file(output.path);
  for (const Row& row : rows) {
    const FoundKernel& kernel = *row.kernel_found;
    std::string text = &row == rows.data() ? "" : "\n";
    text += report::as_cell(kernel.name, report::Cell::Format::Plain) + " (" + kernel.file + ")\n";
    text += report::write_table(complete_report(arguments, row), output.style);
    if (!file.write(text)) {
      break;
    }
  }
  file.commit();
}

void write_rows(const Arguments& arguments, Output output, const KernelRows& kernels) {
  const bool is_table = output.format == Format::Table && output.columns.empty();
  if (is_table && output.sort.empty()) {
    output.sort = "occupancy";  // the worst first
  }
  report::KernelSummary summary = summary_of(kernels);
  std::deque<FoundKernel> groups;
  std::vector<Row> rows = is_table ? grouped_rows(kernels.rows(), groups) : kernels.rows();
  summary.lines = static_cast<std::int64_t>(rows.size());
  const HeldKernels held(std::move(rows), std::move(summary));
  static_cast<void>(RowOutput(arguments, output, report::kernel_fields(), Gates()).write(held));
}

// All kernels that match are held against the gates, also those that --top leaves out.
bool are_gates_met(const Arguments& arguments, const std::vector<Row>& rows) {
  const Gates gates(arguments);
  GateCounts counts;
  for (const Row& row : rows) {
    gates.check(row, counts);
  }
  return gates.judge(counts, static_cast<std::int64_t>(rows.size()), "kernels");
}

// Kernels that could not be evaluated, said on standard error; how many complaints.
std::int64_t complain_of_archs(const KernelRows& kernels) {
  if (kernels.unknown_archs() > 0) {
    write_stderr("occcalc: error: the input names no architecture for " + report::grouped(kernels.unknown_archs()) +
                 (kernels.unknown_archs() == 1 ? " kernel" : " kernels") + "; give one with --arch, as --arch sm_90");
  }
  for (const std::string& name : kernels.bad_archs()) {
    write_stderr(
        "occcalc: error: unknown architecture " + input::abridged(name) +
        " in the input; `occcalc archs` lists the known ones, --arch-file adds one, --on evaluates on another");
  }
  return kernels.unknown_archs() + static_cast<std::int64_t>(kernels.bad_archs().size());
}

std::vector<std::string> paths_or_stdin(const std::vector<std::string>& paths) {
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
  const Output output = read_output(arguments);
  const bool full_reports = arguments.has("--report");
  if (full_reports && (output.format != Format::Table || !output.columns.empty())) {
    throw InputError("--report", "is text for people; in other formats the questions themselves add what they tell");
  }
  if (!full_reports) {
    refuse_questions(arguments, output, false);
  }
  static_cast<void>(choose_fields(output, arguments, false, report::kernel_fields()));
  const ArchCatalog catalog = read_catalog(arguments);
  KernelInputs inputs = read_kernel_inputs(paths_or_stdin(paths), arguments.has("--tee"));
  const KernelRows kernels(arguments, catalog, inputs);
  const std::int64_t problems = inputs.problems + complain_of_archs(kernels);
  if (problems > 0 && kernels.rows().empty()) {
    return could_not_answer;  // nothing to say beside what was said
  }
  full_reports ? write_reports(arguments, output, kernels.rows()) : write_rows(arguments, output, kernels);
  const bool met = are_gates_met(arguments, kernels.rows());
  return problems > 0 ? could_not_answer : met ? answered : answered_no;
}

}  // namespace occcalc::cli
