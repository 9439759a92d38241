#include "cli/configuration.hpp"

#include <algorithm>
#include <climits>

#include "cli/files.hpp"
#include "cli/gpu_parts.hpp"
#include "cli/whole_gpu.hpp"
#include "input/text.hpp"
#include "input/values.hpp"
#include "occcalc/error.hpp"

namespace occcalc::cli {

namespace {

constexpr std::string_view example = "occcalc --regs 40 --smem 8K --block 256 --arch sm_80";

std::string names_of(const ArchCatalog& catalog, std::string_view generation) {
  std::string names;
  for (const Architecture& architecture : catalog.architectures()) {
    if (generation.empty() || input::equal_ignoring_case(architecture.generation, generation)) {
      names += (names.empty() ? "" : ", ") + std::string(architecture.name);
    }
  }
  return names;
}

// "products with that name are of sm_80": the architectures whose products, chips or own name hold the word.
std::string parts_with(const ArchCatalog& catalog, const std::string& word) {
  constexpr std::size_t least = 3;
  if (word.size() < least) {
    return "";
  }
  std::string names;
  for (const Architecture& part : catalog.architectures()) {
    const auto holds = [&word](std::string_view text) {
      return std::search(text.begin(), text.end(), word.begin(), word.end(),
                         [](char a, char b) { return input::lower(a) == input::lower(b); }) != text.end();
    };
    if (part.compute_capability && (holds(part.products) || holds(part.chips) || holds(part.architecture))) {
      names += (names.empty() ? "" : ", ") + std::string(part.name);
    }
  }
  return names.empty() ? "" : "it is found among the products of " + names + ": give that architecture";
}

[[noreturn]] void refuse_arch(const ArchCatalog& catalog, const std::string& where, const std::string& text) {
  if (input::equal_ignoring_case(text, "native")) {
    throw InputError(where,
                     "'native' needs a GPU, which this program never asks; `nvidia-smi --query-gpu=compute_cap "
                     "--format=csv,noheader` prints the number to give here");
  }
  if (input::equal_ignoring_case(text, "all") || text.find(',') != std::string::npos) {
    throw InputError(where, "'" + text + "' names several; give one architecture here");
  }
  const std::string members = names_of(catalog, text);
  if (!text.empty() && !members.empty()) {
    throw InputError(where, "'" + text + "' is a generation; its members are " + members);
  }
  if (const std::string part = parts_with(catalog, text); !part.empty()) {
    throw InputError(where, "unknown architecture '" + text + "'; " + part);
  }
  if (const std::string underscored = "sm_" + text.substr(std::min<std::size_t>(text.size(), 2));
      input::starts_with_ignoring_case(text, "sm") && catalog.find(underscored) != nullptr) {
    throw InputError(where, "unknown architecture '" + text + "'; write " + underscored);
  }
  const std::optional<ArchName> target = parse_arch_name(text);
  if (target && target->suffix != '\0' && catalog.find(to_string(ArchName{target->compute_capability})) != nullptr) {
    throw InputError(where, "'" + text + "' is no target: " + to_string(ArchName{target->compute_capability}) +
                                " has no suffix '" + target->suffix + "'");
  }
  throw InputError(where, "unknown architecture '" + text + "'; known are " + names_of(catalog, ""));
}

std::int64_t size_or(const Arguments& arguments, const std::string& option, std::int64_t otherwise) {
  const std::string* const text = arguments.value(option);
  return text == nullptr ? otherwise : input::read_size(option, *text);
}

int count_or(const Arguments& arguments, const std::string& option, std::string_view what, int most, int otherwise) {
  const std::string* const text = arguments.value(option);
  return text == nullptr ? otherwise : input::read_count(option, *text, what, 0, most);
}

KernelResources read_kernel(const Arguments& arguments) {
  KernelResources kernel;
  if (const std::string* const registers = arguments.value("--regs")) {
    kernel.registers_per_thread = input::read_count("--regs", *registers, "registers per thread", 0, INT_MAX);
  }
  kernel.static_shared_memory = size_or(arguments, "--smem-static", 0);
  constexpr int most_barriers = 16;
  kernel.barriers = count_or(arguments, "--barriers", "barriers", most_barriers, 1);
  return kernel;
}

LaunchConfig read_launch(const Arguments& arguments, const Architecture& architecture) {
  LaunchConfig launch;
  if (const std::string* const block = arguments.value("--block")) {
    launch.block = input::read_block("--block", *block);
  }
  launch.dynamic_shared_memory = size_or(arguments, dynamic_memory_option(arguments), 0);
  if (const std::string* const carveout = arguments.value("--carveout")) {
    launch.carveout = input::read_carveout("--carveout", *carveout, architecture);
  }
  return launch;
}

// What every single report tells.
void answer_standing_questions(report::Report& report) {
  const SmLimits& sm = report.architecture->limits;
  report.cliffs = find_cliffs(sm, report.kernel, report.launch);
  for (const Input input : all_inputs) {
    report.gains[static_cast<std::size_t>(input)] = find_nearest_gain(sm, report.kernel, report.launch, input);
  }
  report.joint_cliff = find_joint_cliff(sm, report.kernel, report.launch);
  report.remedies = find_remedies(sm, report.kernel, report.launch);
}

// What --target-blocks or --target-occupancy asks for; nothing where neither is given.
struct AskedTarget {
  std::optional<int> blocks = std::nullopt;
  std::optional<double> share = std::nullopt;
};

AskedTarget read_target(const Arguments& arguments) {
  const std::string* const blocks = arguments.value("--target-blocks");
  const std::string* const occupancy = arguments.value("--target-occupancy");
  if (blocks != nullptr && occupancy != nullptr) {
    throw InputError("--target-blocks", "cannot stand beside --target-occupancy: give one target");
  }
  constexpr int most = 1 << 20;
  AskedTarget target;
  if (blocks != nullptr) {
    target.blocks = input::read_count("--target-blocks", *blocks, "blocks per SM", 1, most);
  } else if (occupancy != nullptr) {
    target.share = input::read_fraction("--target-occupancy", *occupancy);
  }
  return target;
}

// Block sizes with more warps resident on average over the launch, where its last wave is not full.
void answer_waves(report::Report& report) {
  const report::WholeGpu* const whole = report.whole_gpu.get();
  if (whole != nullptr && whole->waves && whole->waves->tail && whole->waves->tail->blocks > 0) {
    constexpr std::size_t most = 3;
    report.fuller_blocks = find_fuller_blocks(report.architecture->limits, report.kernel, report.launch, *whole->waves,
                                              whole->part->sms, whole->cluster.value_or(Dim3{}), most);
  }
}

void answer_questions(const Arguments& arguments, report::Report& report) {
  const SmLimits& sm = report.architecture->limits;
  if (arguments.has("--cliffs")) {
    report.staircases = find_staircases(sm, report.kernel, report.launch);
  }
  if (arguments.has("--budget")) {
    report.budget = find_budget(sm, report.kernel, report.launch);
  }
  const AskedTarget asked = read_target(arguments);
  if (asked.blocks || asked.share) {
    const int blocks = asked.blocks ? *asked.blocks : blocks_for_occupancy(sm, report.launch, *asked.share);
    report.target = find_target(sm, report.kernel, report.launch, blocks);
  }
  if (arguments.has("--suggest-block")) {
    report.block_sizes = rank_block_sizes(sm, report.kernel, report.launch);
  }
  answer_waves(report);
  report.explain = arguments.has("--explain");
  if (report.target || report.budget || report.explain) {
    const Target* const target = report.target ? &*report.target : nullptr;
    const std::vector<Note> judgements =
        find_judgements(*report.architecture, report.kernel, report.launch, report.occupancy, target);
    report.notes.insert(report.notes.end(), judgements.begin(), judgements.end());
  }
}

}  // namespace

void refuse_stdin_twice(const Arguments& arguments, const std::string& where, const std::vector<std::string>& paths) {
  std::vector<std::string> all = arguments.values("--arch-file");
  const std::vector<std::string> gpu_files = arguments.values("--gpu-file");
  all.insert(all.end(), gpu_files.begin(), gpu_files.end());
  all.insert(all.end(), paths.begin(), paths.end());
  if (std::count(all.begin(), all.end(), "-") > 1) {
    throw InputError(where, "standard input, -, can be read once; give the other a file");
  }
}

void require_given(const Arguments& arguments, bool block_may_be_suggested) {
  std::string missing;
  for (const std::string_view option : {"--arch", "--block"}) {
    const bool optional = option == "--block" && block_may_be_suggested && arguments.has("--suggest-block");
    if (!arguments.has(option) && !optional) {
      missing += (missing.empty() ? "" : " and ") + std::string(option);
    }
  }
  if (!missing.empty()) {
    const bool several = missing.find(' ') != std::string::npos;
    throw InputError(missing,
                     (several ? "are missing; for example: " : "is missing; for example: ") + std::string(example));
  }
}

std::string dynamic_memory_option(const Arguments& arguments) {
  const bool apart = arguments.has("--smem-static") || arguments.has("--smem-dynamic");
  if (arguments.has("--smem") && apart) {
    throw InputError("--smem",
                     "stands for static and dynamic memory together; give it alone, or --smem-static and "
                     "--smem-dynamic");
  }
  return arguments.has("--smem") ? "--smem" : "--smem-dynamic";
}

void read_constants(const Arguments& arguments, KernelResources& kernel, LaunchConfig& launch) {
  kernel.virtual_resources = count_or(arguments, "--virtual-resources", "virtual resources", INT_MAX, 0);
  launch.dynamic_shared_memory_per_thread = size_or(arguments, "--smem-per-thread", 0);
  launch.opt_in = !arguments.has("--no-opt-in");
  if (const std::string* const caching = arguments.value("--global-caching")) {
    launch.global_caching = input::read_global_caching("--global-caching", *caching);
  }
}

ArchCatalog read_catalog(const Arguments& arguments) {
  constexpr std::size_t most_bytes = 16 << 20;
  refuse_stdin_twice(arguments, "--gpu-file", {});
  ArchCatalog catalog;
  for (const std::string& path : arguments.values("--arch-file")) {
    catalog.add_json(read_file(path, most_bytes), path);
  }
  return catalog;
}

NamedArchitecture find_named(const ArchCatalog& catalog, const std::string& where, const std::string& text) {
  const Architecture* const architecture = catalog.find(text);
  if (architecture == nullptr) {
    refuse_arch(catalog, where, text);
  }
  std::string name(architecture->name);
  const std::optional<ArchName> target = parse_arch_name(text);
  if (target && target->suffix != '\0' && !input::equal_ignoring_case(name, text)) {
    name += target->suffix;
  }
  return {architecture, std::move(name)};
}

void check_questions(const Arguments& arguments) { static_cast<void>(read_target(arguments)); }

report::Report complete_report(const Arguments& arguments, const report::Row& row) {
  report::Report report;
  static_cast<report::Row&>(report) = row;
  report.show_barriers = arguments.has("--barriers");
  report.block_was_suggested = row.kernel_found != nullptr
                                   ? row.kernel_found->block_source == report::BlockSource::Suggested
                                   : !arguments.has("--block") && row.line == 0;
  const SmLimits& sm = row.architecture->limits;
  report.ceilings = describe_ceilings(sm, row.kernel, row.launch, row.occupancy);
  report.notes = find_notes(*row.architecture, row.kernel, row.launch, row.occupancy);
  if (row.whole_gpu && row.whole_gpu->cluster) {
    const std::vector<Note> notes = find_cluster_notes(sm, *row.whole_gpu->cluster);
    report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
  }
  answer_standing_questions(report);
  answer_questions(arguments, report);
  return report;
}

report::Report read_configuration(const Arguments& arguments, const ArchCatalog& catalog) {
  const std::vector<NamedPart> parts = read_gpu_parts(arguments, catalog);
  const Arguments resolved = with_archs(arguments, parts);
  require_given(resolved, true);
  NamedArchitecture named = find_named(catalog, "--arch", *resolved.value("--arch"));
  report::Row row;
  row.arch = std::move(named.name);
  row.architecture = named.architecture;
  row.kernel = read_kernel(arguments);
  row.launch = read_launch(arguments, *named.architecture);
  read_constants(arguments, row.kernel, row.launch);
  const SmLimits& sm = named.architecture->limits;
  if (!arguments.has("--block")) {
    row.launch.block = {std::max(usual_block_size(sm, row.kernel, row.launch), warp_size)};
  }
  row.occupancy = compute_occupancy(sm, row.kernel, row.launch);
  row.reasons = find_reasons(sm, row.kernel, row.launch, row.occupancy);
  const WholeGpuQuestions questions(arguments);
  if (questions.has_any()) {
    questions.answer(questions.launch(0, {}), parts.front().part, row);
  }
  return complete_report(arguments, row);
}

}  // namespace occcalc::cli
