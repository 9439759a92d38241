#include "cli/option_table.hpp"

#include <algorithm>
#include <array>

#include "input/edit_distance.hpp"

namespace occcalc::cli {

namespace {

constexpr Option options[] = {
    {"--arch", "", "A", Group::Configuration, Help::Short, Calculator | Kernels | Gpus,
     "sm_80, 9.0, 100a, all; of kernels, gpus: only these"},
    {"--gpu", "", "NAME", Group::Configuration, Help::Full, Calculator | Kernels,
     "a product, for --arch and --sms: a100, \"RTX 4090\""},
    {"--block", "", "N", Group::Configuration, Help::Short, Calculator | Kernels,
     "threads per block: 256, 16x16, 64,128, 32:1024, all"},
    {"--regs", "", "N", Group::Configuration, Help::Short, Calculator,
     "registers per thread, as ptxas -v prints them; 24:64:8"},
    {"--smem", "", "SIZE", Group::Configuration, Help::Short, Calculator,
     "shared memory per block, static + dynamic: 8192, 8K"},
    {"--smem-static", "", "SIZE", Group::Configuration, Help::Full, Calculator, "its static part, given apart"},
    {"--smem-dynamic", "", "SIZE", Group::Configuration, Help::Full, Calculator | Kernels,
     "its dynamic part, given apart"},
    {"--smem-per-thread", "", "SIZE", Group::Configuration, Help::Full, Calculator,
     "dynamic memory that grows with the block"},
    {"--barriers", "", "N", Group::Configuration, Help::Full, Calculator | Kernels,
     "named barriers per block, 0 to 16; 1 if left out"},
    {"--carveout", "", "C", Group::Configuration, Help::Short, Calculator | Kernels,
     "shared memory of the SM: default, max-l1, 50%, 64K"},
    {"--no-opt-in", "", "", Group::Configuration, Help::Full, Calculator | Kernels,
     "hold blocks to the 48 KB that need no opt-in"},
    {"--gpu-file", "", "FILE", Group::Configuration, Help::Full, Gpus | Calculator | Kernels,
     "add or replace GPU products from JSON"},
    {"--arch-file", "", "FILE", Group::Configuration, Help::Full, All,
     "add or replace architectures from JSON (- for stdin)"},
    {"--global-caching", "", "MODE", Group::Configuration, Help::Full, Calculator | Kernels,
     "off, on, strict (5.2, 5.3, 6.1, 6.2)"},
    {"--virtual-resources", "", "N", Group::Configuration, Help::Full, Calculator,
     "units held by tensor-memory kernels (10.x to 12.x)"},
    {"--from", "", "FILE", Group::Configuration, Help::Full, Calculator,
     "rows from CSV or JSON, with our fields as columns"},

    {"--cliffs", "", "", Group::Questions, Help::Named, Calculator | Kernels, "the whole staircase of every input"},
    {"--budget", "", "", Group::Questions, Help::Named, Calculator | Kernels,
     "what N resident blocks allow, for every N"},
    {"--target-blocks", "", "N", Group::Questions, Help::Named, Calculator | Kernels, "what N resident blocks take"},
    {"--target-occupancy", "", "P", Group::Questions, Help::Full, Calculator | Kernels,
     "what an occupancy takes: 75%, 0.75"},
    {"--suggest-block", "", "", Group::Questions, Help::Named, Calculator | Kernels,
     "block sizes, ranked; --block may be left out"},
    {"--explain", "", "", Group::Questions, Help::Named, Calculator | Kernels, "the working, step by step"},
    {"--plot", "", "", Group::Questions, Help::Named, Calculator, "charts in the terminal; --format svg for a file"},
    {"--grid", "", "G", Group::Questions, Help::Named, Calculator | Kernels,
     "blocks of the launch: 1000, 100x8, 1:500; its waves"},
    {"--sms", "", "N", Group::Questions, Help::Full, Calculator | Kernels,
     "SMs of the GPU, or of the part that is used"},
    {"--cluster", "", "C", Group::Questions, Help::Full, Calculator | Kernels,
     "blocks of a cluster, from 9.0 on: 8, 2x4; how many run"},
    {"--gpcs", "", "LIST", Group::Questions, Help::Full, Calculator | Kernels,
     "SMs of each GPC, for clusters: 16,16,18,18"},
    {"--achieved", "", "P", Group::Questions, Help::Full, Calculator | Kernels,
     "as a profiler measured it: what waves explain of it"},
    {"--latency", "", "", Group::Questions, Help::Full, Calculator | Kernels,
     "would more warps hide more latency? with --gpu"},
    {"--bytes-in-flight", "", "SIZE", Group::Questions, Help::Full, Calculator | Kernels,
     "the same for so many bytes per thread"},
    {"--ilp", "", "N", Group::Questions, Help::Full, Calculator | Kernels,
     "the same for N independent FMAs per thread"},

    {"--kernel", "-k", "REGEX", Group::Kernels, Help::Full, Kernels, "whose name, mangled or not, matches"},
    {"--limited-by", "", "RESOURCE", Group::Kernels, Help::Full, Kernels, "where that binds: registers, warps ..."},
    {"--spilling", "", "", Group::Kernels, Help::Full, Kernels, "that spill registers to local memory"},
    {"--report", "", "", Group::Kernels, Help::Full, Kernels, "the full report of each, with what is asked of it"},
    {"--on", "", "ARCH", Group::Kernels, Help::Full, Kernels, "evaluated on another architecture"},
    {"--ptx", "", "", Group::Kernels, Help::Full, Kernels, "PTX too where cubins are: bounds, no registers"},
    {"--tee", "", "", Group::Kernels, Help::Full, Kernels, "the input copied to standard error"},

    {"--require-launch", "", "", Group::Gates, Help::Named, Calculator | Kernels,
     "status 1 if the configuration cannot launch"},
    {"--require-occupancy", "", "P", Group::Gates, Help::Named, Calculator | Kernels, "status 1 below P: 50%, 0.5"},
    {"--require-no-spills", "", "", Group::Gates, Help::Full, Kernels, "status 1 if a kernel spills"},
    {"--require-known", "", "", Group::Gates, Help::Full, Kernels, "status 1 if a block or memory is assumed"},

    {"--format", "", "F", Group::Output, Help::Full, All, "table, json, jsonl, csv, markdown, svg"},
    {"--json", "", "", Group::Output, Help::Short, All, "JSON: an object, or an array for a sweep"},
    {"--csv", "", "", Group::Output, Help::Short, All, "CSV: a header row, one row a configuration"},
    {"--output", "-o", "FILE", Group::Output, Help::Short, All, "to a file, whole or not at all; its ending sets it"},
    {"--columns", "", "a,b,c", Group::Output, Help::Full, All, "pick and order fields, in every format"},
    {"--get", "", "FIELD", Group::Output, Help::Short, All, "bare values: --get occupancy,limiters"},
    {"--sort", "", "COLUMN", Group::Output, Help::Full, Calculator | Kernels | Gpus,
     "order the rows of a sweep; COLUMN:desc"},
    {"--top", "", "N", Group::Output, Help::Full, Calculator | Kernels | Gpus, "the first N rows of a sweep"},
    {"--color", "", "WHEN", Group::Output, Help::Full, All, "auto, always, never"},

    {"--help", "-h", "", Group::General, Help::Full, All, "this, in short"},
    {"--help-all", "", "", Group::General, Help::Short, All, "every option"},
    {"--version", "-V", "", Group::General, Help::Full, All, "version, and the day of the data"},
};

struct Synonym {
  std::string_view written;
  std::string_view meant;
};

constexpr Synonym synonyms[] = {
    {"--threads", "--block"},
    {"--block-size", "--block"},
    {"--blocksize", "--block"},
    {"--registers", "--regs"},
    {"--maxrregcount", "--regs"},
    {"-maxrregcount", "--regs"},
    {"--shared", "--smem"},
    {"--shared-memory", "--smem"},
    {"--cc", "--arch"},
    {"-mcpu", "--arch"},
    {"--mcpu", "--arch"},
    {"--gpu-arch", "--arch"},
    {"--gpu-architecture", "--arch"},
    {"-r", "--regs"},
    {"-b", "--block"},
};

constexpr std::string_view example = "occcalc --regs 40 --smem 8K --block 256 --arch sm_80";

std::string line_of(const Option& option) {
  std::string left = "  ";
  left += option.letter.empty() ? "" : std::string(option.letter) + ", ";
  left += option.name;
  left += option.value.empty() ? "" : " " + std::string(option.value);
  constexpr std::size_t column = 26;
  left.append(left.size() < column ? column - left.size() : 1, ' ');
  return left + std::string(option.text) + "\n";
}

// Options that -h only names.
std::string named_line(Group group) {
  std::string names;
  for (const Option& option : options) {
    if (option.group == group && option.help == Help::Named) {
      names += (names.empty() ? "  " : " ") + std::string(option.name);
    }
  }
  return names.empty() ? "" : names + "\n";
}

std::string_view title_of(Group group) {
  constexpr std::array<std::string_view, 6> titles = {"Configuration", "Questions", "Kernels",
                                                      "Gates",         "Output",    "General"};
  return titles[static_cast<std::size_t>(group)];
}

}  // namespace

std::span<const Option> all_options() noexcept { return options; }

const Option* find_option(std::string_view name) noexcept {
  const auto* const match = std::find_if(std::begin(options), std::end(options), [name](const Option& option) {
    return option.name == name || (!option.letter.empty() && option.letter == name);
  });
  return match == std::end(options) ? nullptr : match;
}

std::string_view instead_of(std::string_view unknown) noexcept {
  for (const Synonym& synonym : synonyms) {
    if (synonym.written == unknown) {
      return synonym.meant;
    }
  }
  constexpr std::size_t near = 2;
  constexpr std::size_t longest = 40;
  std::string_view best;
  std::size_t least = near + 1;
  for (const Option& option : options) {
    if (unknown.size() > longest || option.help == Help::Later) {
      continue;
    }
    const std::size_t distance = input::edit_distance(unknown, option.name);
    if (distance < least) {
      least = distance;
      best = option.name;
    }
  }
  return best;
}

std::string usage() {
  return std::string(example) +
         "\n\nHow many blocks of a CUDA kernel fit on one SM, and which resource binds.\n"
         "--block and --arch are needed. `occcalc -h` lists the options, `occcalc archs`\nthe architectures.\n";
}

std::string help(Commands command, bool full) {
  const bool calculator = command == Calculator;
  const bool all = full || !calculator;  // the other command has few
  std::string text =
      calculator ? std::string(example) + "\n" +
                       (full ? "" : "Commands: kernels (of binaries, logs, profiles), gpus, archs; each has its -h\n")
      : command == Kernels ? "nvcc -Xptxas -v -c kernels.cu 2>&1 | occcalc kernels\n"
                             "occcalc kernels libkernels.so\n"
                           : "";
  const Commands shown_commands = calculator && full ? Calculator | Kernels : command;
  text += all ? "occcalc kernels [FILE...] kernels in GPU binaries, compiler logs, profiles\n"
                "occcalc archs [ARCH...]   the limits of each architecture, with their sources\n"
                "occcalc gpus [NAME...]    GPU products: SMs, clock, bandwidth, with sources\n"
              : "";
  for (const Group group :
       {Group::Configuration, Group::Questions, Group::Kernels, Group::Gates, Group::Output, Group::General}) {
    std::string lines;
    for (const Option& option : options) {
      const bool shown = option.help == Help::Short || (all && option.help != Help::Later);
      lines += option.group == group && shown && (option.commands & shown_commands) != 0 ? line_of(option) : "";
    }
    lines += all ? "" : named_line(group);
    if (!lines.empty()) {
      text += all ? "\n" : "";
      text += all || group != Group::General ? std::string(title_of(group)) + "\n" : "";
      text += lines;
    }
  }
  return text;
}

}  // namespace occcalc::cli
