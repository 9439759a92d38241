#include "cli/kernel_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "input/lists.hpp"
#include "input/name_pattern.hpp"
#include "input/text.hpp"
#include "input/values.hpp"
#include "occcalc/block_sizes.hpp"
#include "occcalc/error.hpp"

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

  [[nodiscard]] bool selects_all() const { return names_.empty(); }
  [[nodiscard]] bool selects(const std::string& arch) const { return names_.empty() || names_.contains(arch); }
  /// What an input is of that names no architecture: the only one that is asked for; empty if there is none.
  [[nodiscard]] std::string only() const { return names_.size() == 1 ? *names_.begin() : ""; }

 private:
  std::set<std::string> names_;
};

class NameFilter {
 public:
  explicit NameFilter(const std::string* text) {
    if (text != nullptr) {
      constexpr std::string_view prefix = "regex:";  // as ncu writes it
      pattern_.emplace("--kernel", text->starts_with(prefix) ? text->substr(prefix.size()) : *text);
    }
  }

  [[nodiscard]] bool selects(const FoundKernel& kernel) const {
    return !pattern_ || pattern_->matches(kernel.name) || pattern_->matches(kernel.record.kernel);
  }

 private:
  std::optional<input::NamePattern> pattern_;
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

}  // namespace

// Kernels with their answers, those that are asked for.
class KernelEvaluator::Rules {
 public:
  Rules(const Arguments& arguments, const ArchCatalog& catalog)
      : catalog_(catalog),
        archs_(arguments, catalog),
        names_(arguments.value("--kernel")),
        limiter_(read_limiter(arguments.value("--limited-by"))),
        only_spilling_(arguments.has("--spilling")),
        overrides_(read_overrides(arguments)) {
    if (const std::string* const on = arguments.value("--on")) {
      result_.on = find_named(catalog, "--on", *on);
    }
  }

  EvaluatedKernels evaluate(KernelInputs& inputs) {
    for (FoundKernel& kernel : inputs.kernels) {
      if (names_.selects(kernel)) {
        add(kernel);
      }
    }
    return std::move(result_);
  }

 private:
  void add(FoundKernel& kernel) {
    const std::string named = kernel.record.arch.empty() ? archs_.only() : kernel.record.arch;
    if (named.empty() && !result_.on) {
      ++result_.unnamed[kernel.file];
      return;
    }
    std::optional<NamedArchitecture> compiled;
    if (!named.empty()) {
      try {
        compiled = find_named(catalog_, "architecture", named);
      } catch (const InputError&) {
        if (!archs_.selects_all()) {
          result_.other_archs.insert(named);
          return;
        }
        if (!result_.on) {
          result_.unknown_archs.emplace(std::pair(kernel.file, named), kernel.record.line);
          return;
        }
      }
    }
    if (compiled && !archs_.selects(compiled->name)) {
      result_.other_archs.insert(compiled->name);
      return;
    }
    kernel.compiled_arch = compiled ? compiled->name : named;
    Row row = evaluate(kernel, result_.on ? *result_.on : *compiled, compiled ? compiled->architecture : nullptr);
    if ((!only_spilling_ || kernel.record.spills()) && (!limiter_ || row.occupancy.limiters.contains(*limiter_))) {
      result_.rows.push_back(std::move(row));
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
    kernel.is_compared = !result_.on && was_reported(record.reported);
    kernel.difference = kernel.is_compared ? difference(kernel, row) : "";
    return row;
  }

  void set_dynamic_memory(FoundKernel& kernel, Row& row) const {
    const std::optional<std::int64_t>& own = kernel.record.dynamic_shared_memory;
    kernel.memory_source = overrides_.dynamic_memory ? MemorySource::Option
                           : own                     ? MemorySource::Input
                                                     : MemorySource::Assumed;
    row.launch.dynamic_shared_memory = overrides_.dynamic_memory ? *overrides_.dynamic_memory : own.value_or(0);
  }

  // What the driver chose, where a profiler says so; for another launch it would choose anew.
  void set_carveout(const KernelRecord& record, Row& row) const {
    const CarveoutSizes& sizes = row.architecture->limits.carveouts;
    const std::optional<std::int64_t>& chosen = record.reported.shared_memory_per_sm;
    if (overrides_.carveout != nullptr) {
      row.launch.carveout = input::read_carveout("--carveout", *overrides_.carveout, *row.architecture);
    } else if (chosen && !result_.on && !overrides_.block && !overrides_.dynamic_memory &&
               std::find(sizes.begin(), sizes.end(), *chosen) != sizes.end()) {
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

  static bool was_reported(const ReportedLaunch& reported) {
    return reported.occupancy || reported.estimated_occupancy ||
           std::any_of(reported.blocks_per_sm.begin(), reported.blocks_per_sm.end(),
                       [](const std::optional<int>& blocks) { return blocks.has_value(); });
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
  EvaluatedKernels result_;
};

KernelEvaluator::KernelEvaluator(const Arguments& arguments, const ArchCatalog& catalog)
    : rules_(std::make_unique<Rules>(arguments, catalog)) {}

KernelEvaluator::~KernelEvaluator() = default;

EvaluatedKernels KernelEvaluator::evaluate(KernelInputs& inputs) { return rules_->evaluate(inputs); }

}  // namespace occcalc::cli
