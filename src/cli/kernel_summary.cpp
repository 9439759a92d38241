#include "cli/kernel_summary.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/numbers.hpp"

namespace occcalc::cli {

namespace {

using report::FoundKernel;
using report::Row;

// What the words of the table's column `profiler` mean.
struct Difference {
  std::string_view word;
  std::string_view meaning;
};

constexpr std::array<Difference, 5> differences = {{
    {"option", "an option changed the launch"},
    {"carveout", "the input does not say which capacity the driver chose (give --carveout)"},
    {"rounded", "the input rounds sizes (export with --print-units base)"},
    {"estimate", "PyTorch's profiler counts the grid, and no opt-in to more than 48 KB"},
    {"differs", "the profiler reports other ceilings than ours, and nothing here explains it"},
}};

// Of how many rows things are true: all in one walk, because many rows are more than caches hold.
struct Counts {
  std::array<std::int64_t, all_resources.size()> binding{};
  std::array<std::int64_t, differences.size()> different{};
  std::int64_t impossible = 0;  // launches
  std::int64_t unlinked = 0;
  std::int64_t spilling = 0;
  std::int64_t spills_unknown = 0;
  std::int64_t assumed_blocks = 0;
  std::int64_t assumed_memory = 0;
  std::int64_t rounded = 0;
  std::int64_t ptx = 0;
  std::int64_t without_registers = 0;
  std::set<std::string, std::less<>> archs{};
  std::set<std::string, std::less<>> compiled_archs{};
  std::string_view last_arch{};
  std::string_view last_compiled{};

  void add(const Row& row) {
    const FoundKernel& kernel = *row.kernel_found;
    impossible += row.occupancy.launchable() ? 0 : 1;
    unlinked += kernel.record.linked.value_or(true) ? 0 : 1;
    for (std::size_t i = 0; i < binding.size(); ++i) {
      binding[i] += row.occupancy.launchable() && row.occupancy.limiters.contains(all_resources[i]) ? 1 : 0;
    }
    for (std::size_t i = 0; i < different.size(); ++i) {
      different[i] += kernel.difference == differences[i].word ? 1 : 0;
    }
    spilling += kernel.record.spills() ? 1 : 0;
    spills_unknown += kernel.record.knows_spills() ? 0 : 1;
    assumed_blocks += kernel.is_block_assumed() ? 1 : 0;
    assumed_memory += kernel.is_memory_assumed() ? 1 : 0;
    rounded += kernel.record.rounded_bytes ? 1 : 0;
    ptx += kernel.record.is_ptx ? 1 : 0;
    without_registers += row.kernel.registers_per_thread ? 0 : 1;
    if (row.arch != last_arch || kernel.compiled_arch != last_compiled) {  // many in a row are of the same
      last_arch = *archs.insert(row.arch).first;
      last_compiled = *compiled_archs.insert(kernel.compiled_arch).first;
    }
  }
};

// "registers 9", the most frequent first.
std::vector<std::string> binding_texts(const Counts& counts) {
  std::vector<std::pair<std::int64_t, std::string>> binding;
  for (std::size_t i = 0; i < all_resources.size(); ++i) {
    if (counts.binding[i] > 0) {
      std::string name(to_string(all_resources[i]));
      std::replace(name.begin(), name.end(), '_', ' ');
      binding.emplace_back(counts.binding[i], std::move(name));
    }
  }
  std::stable_sort(binding.begin(), binding.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> texts;
  texts.reserve(binding.size());
  for (const auto& [count, name] : binding) {
    texts.push_back(name + " " + report::grouped(count));
  }
  return texts;
}

// Of how many kernels something is true, as a remark; nothing is said of none.
void remark(report::KernelSummary& summary, std::int64_t count, std::string_view one, std::string_view many,
            std::string_view what) {
  if (count > 0) {
    summary.remarks.push_back(report::counted(count, one, many) + std::string(what));
  }
}

void add_remarks(const Counts& counts, const HeldKernelRows& held, report::KernelSummary& summary) {
  if (counts.rounded > 0) {
    summary.remarks.emplace_back("~ the input rounds sizes: the nearest likely number of bytes is taken");
  }
  for (std::size_t i = 0; i < differences.size(); ++i) {
    if (counts.different[i] > 0) {
      summary.remarks.push_back(std::string(differences[i].word) + ": " + std::string(differences[i].meaning));
    }
  }
  remark(summary, counts.ptx, "kernel is PTX", "kernels are PTX", ": no registers, compile it (ptxas -v)");
  if (counts.without_registers > 0) {
    summary.remarks.emplace_back("regs -: unknown, and the occupancy is at most what is shown");
  }
  remark(summary, counts.unlinked, "kernel is", "kernels are",
         " not linked yet: registers and shared memory of what is called are not in it");
  remark(summary, held.superseded, "kernel was", "kernels were",
         " read before the link too, and left out here (in JSON and CSV: linked is false)");
  remark(summary, held.unread.lto_ir, "entry of LTO-IR is", "entries of LTO-IR are",
         " left out: no kernels before the link");
  remark(summary, held.unread.unknown, "entry is", "entries are", " of an unknown kind and left out");
}

std::string compiled_names(const Counts& counts) {
  std::string names;
  for (const std::string& arch : counts.compiled_archs) {
    names += (names.empty() || arch.empty() ? "" : ", ") + arch;
  }
  return names.empty() ? "unknown" : names;
}

}  // namespace

std::set<std::string> others_of(const EvaluatedKernels& kernels, const Unread& unread) {
  std::set<std::string> others = kernels.other_archs;
  others.insert(unread.archs.begin(), unread.archs.end());
  return others;
}

report::KernelSummary summary_of(const HeldKernelRows& held, const std::optional<NamedArchitecture>& on) {
  Counts counts;
  for (const Row& row : held.kernels.rows) {
    counts.add(row);
  }
  report::KernelSummary summary;
  summary.kernels = static_cast<std::int64_t>(held.kernels.rows.size());
  summary.architectures = static_cast<std::int64_t>(counts.archs.size());
  summary.others = static_cast<std::int64_t>(others_of(held.kernels, held.unread).size());
  summary.impossible = counts.impossible;
  summary.compiled_architectures = on ? static_cast<std::int64_t>(counts.compiled_archs.size()) : 0;
  summary.spilling = counts.spilling;
  summary.spills_unknown = counts.spills_unknown;
  summary.assumed_blocks = counts.assumed_blocks;
  summary.assumed_memory = counts.assumed_memory;
  summary.binding = binding_texts(counts);
  add_remarks(counts, held, summary);
  if (on) {
    summary.remarks.push_back("Evaluated on " + on->name + "; registers are from the " + compiled_names(counts) +
                              " compile");
  }
  return summary;
}

}  // namespace occcalc::cli
