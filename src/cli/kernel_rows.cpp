#include "cli/kernel_rows.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "cli/gpu_parts.hpp"
#include "cli/whole_gpu.hpp"
#include "input/lists.hpp"
#include "input/name_pattern.hpp"
#include "input/text.hpp"
#include "input/values.hpp"
#include "occcalc/block_sizes.hpp"
#include "occcalc/error.hpp"
#include "report/arch_columns.hpp"

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
  /// `gpu`: the architecture of --gpu, which selects what runs there natively where --arch says nothing; empty: none.
  ArchFilter(const Arguments& arguments, const ArchCatalog& catalog, const std::string& gpu) {
    if (!gpu.empty() && !arguments.has("--arch") && !arguments.has("--on")) {
      only_ = find_named(catalog, "--gpu", gpu).name;
      for (const std::string& target : report::targets_of(*catalog.find(gpu))) {
        names_.insert(target);
      }
      return;
    }
    for (const std::string& item : input::split_items("--arch", arguments.values("--arch"))) {
      if (!input::equal_ignoring_case(item, "all")) {
        names_.insert(find_named(catalog, "--arch", item).name);
      }
    }
    only_ = names_.size() == 1 ? *names_.begin() : "";
  }

  [[nodiscard]] bool selects_all() const { return names_.empty(); }
  [[nodiscard]] bool selects(const std::string& arch) const { return names_.empty() || names_.contains(arch); }
  /// What an input is of that names no architecture: the only one that is asked for; empty if there is none.
  [[nodiscard]] const std::string& only() const { return only_; }

 private:
  std::set<std::string> names_;
  std::string only_;
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
    return !pattern_ || pattern_->matches(kernel.names->name) || pattern_->matches(kernel.names->kernel);
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
        gpu_(read_part(arguments, catalog)),
        questions_(arguments),
        archs_(arguments, catalog, gpu_.arch),
        names_(arguments.value("--kernel")),
        limiter_(read_limiter(arguments.value("--limited-by"))),
        only_spilling_(arguments.has("--spilling")),
        overrides_(read_overrides(arguments)) {
    const std::string* const on = arguments.value("--on");
    if (on != nullptr && !gpu_.arch.empty() && find_named(catalog, "--on", *on).architecture->name != gpu_.arch) {
      throw InputError("--on", "found " + input::abridged(*on) + ", but --gpu is of " + gpu_.arch);
    }
    if (on != nullptr) {
      on_ = find_named(catalog, "--on", *on);
    } else if (!gpu_.arch.empty() && arguments.has("--arch")) {
      on_ = find_named(catalog, "--gpu", gpu_.arch);
    }
  }

  [[nodiscard]] bool selects_arch(const std::string& arch) const { return archs_.selects(arch); }
  [[nodiscard]] const std::optional<NamedArchitecture>& on() const { return on_; }

  [[nodiscard]] EvaluatedKernels evaluate(FoundKernels& kernels) const {
    EvaluatedKernels result;
    Target target;
    for (FoundKernel& kernel : kernels) {
      if (names_.selects(kernel)) {
        add(kernel, target, result);
      }
    }
    return result;
  }

 private:
  // What a name of an architecture stands for; many kernels in a row have the same.
  struct Target {
    std::string named{};
    std::optional<NamedArchitecture> found = std::nullopt;
  };

  void look_up(const std::string& named, Target& target) const {
    if (named == target.named) {
      return;
    }
    target = {named, std::nullopt};
    try {
      target.found = find_named(catalog_, "architecture", named);
    } catch (const InputError&) {
      // nobody knows it
    }
  }

  void add(FoundKernel& kernel, Target& target, EvaluatedKernels& result) const {
    const std::string& named = kernel.record.arch.empty() ? archs_.only() : kernel.record.arch;
    if (named.empty() && !on_) {
      ++result.unnamed[std::string(kernel.file)];
      return;
    }
    look_up(named, target);
    const NamedArchitecture* const compiled = target.found ? &*target.found : nullptr;
    if (!named.empty() && compiled == nullptr) {
      if (!archs_.selects_all()) {
        result.other_archs.insert(named);
        return;
      }
      if (!on_) {
        result.unknown_archs.emplace(std::pair(kernel.file, named), kernel.record.line);
        return;
      }
    }
    if (compiled != nullptr && !archs_.selects(compiled->name)) {
      result.other_archs.insert(compiled->name);
      return;
    }
    kernel.compiled_arch = compiled != nullptr ? compiled->name : named;
    Row row = evaluate(kernel, on_ ? *on_ : *compiled, compiled != nullptr ? compiled->architecture : nullptr);
    if ((!only_spilling_ || kernel.record.spills()) && (!limiter_ || row.occupancy.limiters.contains(*limiter_))) {
      result.rows.push_back(std::move(row));
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
    row.kernel.required_block = record.required_block.value_or(Dim3{0, 0, 0});
    kernel.barriers_given = overrides_.barriers.has_value();
    row.launch = overrides_.launch;
    set_dynamic_memory(kernel, row);
    set_carveout(record, row);
    set_block(kernel, row);
    const SmLimits& sm = arch.architecture->limits;
    row.occupancy = compute_occupancy(sm, row.kernel, row.launch);
    row.reasons = find_reasons(sm, row.kernel, row.launch, row.occupancy);
    kernel.is_compared = !on_ && was_reported(record.reported);
    kernel.difference = kernel.is_compared ? difference(kernel, row) : "";
    answer_whole_gpu(record, row);
    return row;
  }

  // --gpu takes one GPU here: a kernel is a row.
  static NamedPart read_part(const Arguments& arguments, const ArchCatalog& catalog) {
    std::vector<NamedPart> parts = read_gpu_parts(arguments, catalog);
    if (parts.size() > 1) {
      throw InputError("--gpu", "names " + std::to_string(parts.size()) + " GPUs; kernels are evaluated on one");
    }
    return std::move(parts.front());
  }

  // On the GPU of the options; otherwise on the one that a profiler saw. Its grid, its cluster and what it measured are
  // those of the launch where no option gives them.
  void answer_whole_gpu(const KernelRecord& record, Row& row) const {
    const bool is_seen = gpu_.part->sms.count == 0 && record.sm_count && !on_;
    const bool has_cluster = record.cluster && thread_count(*record.cluster) > 1;
    if (!questions_.has_any() && !is_seen && !has_cluster) {
      return;
    }
    WholeGpuQuestions::Launch own;
    if (record.grid) {
      own.grid = Grid{record.grid->x, record.grid->y, record.grid->z};
    }
    own.has_run = record.grid.has_value();
    own.cluster = record.cluster;
    own.required_cluster = record.cluster_is_required ? record.cluster : std::nullopt;
    const bool is_own_launch = !on_ && !overrides_.block && !overrides_.dynamic_memory;
    own.achieved_occupancy = is_own_launch ? record.reported.achieved_occupancy : std::nullopt;
    std::shared_ptr<const report::GpuPart> part = gpu_.part;
    if (is_seen) {
      auto seen = std::make_shared<report::GpuPart>(*part);
      seen->sms.count = *record.sm_count;
      part = std::move(seen);
    }
    questions_.answer(questions_.launch(0, own), std::move(part), row);
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
    } else if (chosen && !on_ && !overrides_.block && !overrides_.dynamic_memory &&
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
  NamedPart gpu_;
  WholeGpuQuestions questions_;
  ArchFilter archs_;
  NameFilter names_;
  std::optional<Resource> limiter_;
  bool only_spilling_;
  Overrides overrides_;
  std::optional<NamedArchitecture> on_;
};

void EvaluatedKernels::add(EvaluatedKernels&& later) {
  rows.insert(rows.end(), std::move_iterator(later.rows.begin()), std::move_iterator(later.rows.end()));
  other_archs.merge(later.other_archs);
  for (const auto& [file, count] : later.unnamed) {
    unnamed[file] += count;
  }
  for (const auto& [place, line] : later.unknown_archs) {
    std::int64_t& first = unknown_archs.emplace(place, line).first->second;
    first = std::min(first, line);  // pieces are done in any order
  }
}

KernelEvaluator::KernelEvaluator(const Arguments& arguments, const ArchCatalog& catalog)
    : rules_(std::make_unique<Rules>(arguments, catalog)) {}

KernelEvaluator::~KernelEvaluator() = default;

bool KernelEvaluator::selects_arch(const std::string& arch) const { return rules_->selects_arch(arch); }

const std::optional<NamedArchitecture>& KernelEvaluator::on() const { return rules_->on(); }

EvaluatedKernels KernelEvaluator::evaluate(FoundKernels& kernels) const { return rules_->evaluate(kernels); }

}  // namespace occcalc::cli
