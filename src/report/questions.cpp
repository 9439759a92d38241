#include <fmt/format.h>

#include <algorithm>

#include "report/layout.hpp"
#include "report/numbers.hpp"
#include "report/sections.hpp"
#include "report/sentences.hpp"

namespace occcalc::report {

namespace {

using Rows = std::vector<std::vector<std::string>>;

template <class Number>
std::string or_dash(std::optional<Number> number) {
  return number ? grouped(*number) : "-";
}

std::string number_of(std::int64_t count, std::string_view what) {
  return grouped(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

// A heading, a head row, rows; the rows that `is_marked` stand out in colour as well.
template <class IsMarked>
std::string section(const std::string& title, const Rows& rows, const std::vector<Align>& aligns, Style style,
                    const IsMarked& is_marked) {
  const std::vector<std::string> lines = aligned(rows, aligns);
  std::string text = "\n" + wrapped(title) + bold(lines[0], style) + "\n";
  for (std::size_t i = 1; i < lines.size(); ++i) {
    text += (is_marked(i - 1) ? marked(lines[i], style) : lines[i]) + "\n";
  }
  return text;
}

std::string row_remark(const BudgetRow& row) {
  if (!row.reachable) {
    return "no: " + joined_words(row.limiters);
  }
  return row.current ? "now" : "";
}

// Which choices a size is: "*+".
std::string choice_marks(int threads, int by_api, int usual) {
  return std::string(threads == by_api ? "*" : "") + (threads == usual ? "+" : "");
}

std::string change_line(const Report& report, const Change& change, int blocks) {
  const std::int64_t by = change.to - change.from;
  switch (change.input) {
    case Input::RegistersPerThread:
      return fmt::format("registers: {} -> {} or fewer per thread ({}): __launch_bounds__({}, {})", change.from,
                         change.to, by, report.occupancy.threads_per_block, blocks);
    case Input::SharedMemory:
      return fmt::format("shared memory: {} B -> {} B or less ({} B)", grouped(change.from), grouped(change.to),
                         grouped(by));
    case Input::Barriers: return fmt::format("barriers: {} -> {} or fewer ({})", change.from, change.to, by);
    default: return "";
  }
}

// What already holds for the target, and up to where it would.
std::string holding_lines(const Report& report, const Target& target) {
  const auto must_change = [&target](Input input) {
    return std::any_of(target.changes.begin(), target.changes.end(),
                       [input](const Change& change) { return change.input == input; });
  };
  std::string text;
  if (!report.kernel.registers_per_thread) {
    text += wrapped(
        fmt::format("- registers: not given; {} or fewer per thread", or_dash(target.row.max_registers_per_thread)), 2);
  }
  if (report.kernel.registers_per_thread && !must_change(Input::RegistersPerThread)) {
    text += wrapped(fmt::format("- registers: {} hold, up to {} would", grouped(*report.kernel.registers_per_thread),
                                or_dash(target.row.max_registers_per_thread)),
                    2);
  }
  if (!must_change(Input::SharedMemory)) {
    const std::int64_t fixed = report.kernel.static_shared_memory;
    text += wrapped(fmt::format("- shared memory: {} B hold, up to {} B would",
                                grouped(shared_memory_bytes(report.kernel, report.launch)),
                                grouped(target.row.max_dynamic_shared_memory.value_or(0) + fixed)),
                    2);
  }
  return text;
}

// What each supported capacity leaves to L1, and how many blocks it allows now.
std::string carveout_section(const Report& report, Style style) {
  const SmLimits& sm = report.architecture->limits;
  if (!report.budget || sm.carveout_kind == CarveoutKind::Fixed || sm.l1_kind == L1Kind::Separate) {
    return "";
  }
  Rows rows = {{"carveout", "L1 left", "blocks", "warps", "L1/warp", ""}};
  std::vector<bool> is_now;
  for (const std::int64_t size : sm.carveouts) {
    LaunchConfig launch = report.launch;
    launch.carveout = Carveout::bytes(size);
    const Occupancy answer = compute_occupancy(sm, report.kernel, launch);
    const std::int64_t left = sm.l1_size - answer.shared_memory_per_sm;
    const bool raised = answer.shared_memory_per_sm != size;
    is_now.push_back(size == report.occupancy.shared_memory_per_sm);
    rows.push_back({kilobytes(size), kilobytes(left), grouped(answer.active_blocks_per_sm),
                    grouped(answer.active_warps_per_sm),
                    answer.launchable() ? grouped(left / answer.active_warps_per_sm) + " B" : "-",
                    raised          ? "raised to " + kilobytes(answer.shared_memory_per_sm)
                    : is_now.back() ? "now"
                                    : ""});
  }
  return section("What each carveout leaves to L1", rows,
                 {Align::Right, Align::Right, Align::Right, Align::Right, Align::Right, Align::Left}, style,
                 [&is_now](std::size_t row) { return is_now[row]; });
}

std::string why_not_reachable(const Report& report, const Target& target) {
  const Occupancy& answer = report.occupancy;
  if (target.row.limiters.empty()) {
    return "The dimensions of the block do not fit.\n";
  }
  const int whole = answer.max_warps_per_sm / std::max(answer.warps_per_block, 1);
  const bool beyond_slots = target.row.active_blocks_per_sm > whole;
  return wrapped(fmt::format(
      "Forbidden by {}: no registers, dynamic shared memory or barriers give so many blocks of this "
      "size{}.",
      joined_words(target.row.limiters),
      beyond_slots ? fmt::format("; {} reach at most {}", number_of(whole, "whole block"),
                                 percent(static_cast<double>(whole * answer.warps_per_block) / answer.max_warps_per_sm))
                   : ""));
}

// Where nothing must change.
std::string standing(const Report& report, int blocks) {
  const bool known = report.kernel.registers_per_thread.has_value();
  return blocks == report.occupancy.active_blocks_per_sm
             ? (known ? ": resident now" : ": resident now, if the registers allow it")
             : ": exceeded now";
}

}  // namespace

std::string budget_section(const Report& report, Style style) {
  if (!report.budget) {
    return "";
  }
  if (report.budget->empty()) {
    return "\nBudget: no block of this size fits, whatever else it uses.\n";
  }
  const bool barriers = report.show_barriers;
  Rows rows = {{"blocks", "occupancy", "regs", "dynamic smem", "carveout", "L1 left", "L1/warp", ""}};
  std::vector<Align> aligns(rows[0].size(), Align::Right);
  aligns.back() = Align::Left;
  if (barriers) {
    rows[0].insert(rows[0].begin() + 4, "barr.");
    aligns.push_back(Align::Left);
    aligns[aligns.size() - 2] = Align::Right;
  }
  for (const BudgetRow& row : *report.budget) {
    const std::int64_t warps = std::int64_t{row.active_blocks_per_sm} * report.occupancy.warps_per_block;
    const std::string smem = row.max_dynamic_shared_memory ? grouped(*row.max_dynamic_shared_memory) + " B" : "-";
    rows.push_back({grouped(row.active_blocks_per_sm), percent(row.occupancy), or_dash(row.max_registers_per_thread),
                    smem, row.min_carveout ? kilobytes(*row.min_carveout) : "-", kilobytes(row.l1_left),
                    grouped(row.l1_left / warps) + " B", row_remark(row)});
    if (barriers) {
      rows.back().insert(rows.back().begin() + 4, or_dash(row.max_barriers));
    }
  }
  const auto& budget = *report.budget;
  return section(
             fmt::format("Budget of N blocks of {} threads: the most registers and dynamic shared memory, the least "
                         "carveout for the present shared memory",
                         grouped(report.occupancy.threads_per_block)),
             rows, aligns, style, [&budget](std::size_t row) { return budget[row].current; }) +
         wrapped(fmt::format(
             "regs: __launch_bounds__({}, N) lets ptxas choose so many; it ignores an N that the SM's "
             "threads cannot hold. -maxrregcount=R is ignored by kernels with __launch_bounds__, and raised "
             "to 24 below that.",
             report.occupancy.threads_per_block)) +
         carveout_section(report, style);
}

std::string target_section(const Report& report, Style style) {
  if (!report.target) {
    return "";
  }
  const Target& target = *report.target;
  const int blocks = target.row.active_blocks_per_sm;
  const std::int64_t warps = std::int64_t{blocks} * report.occupancy.warps_per_block;
  std::string text = "\n" + bold(fmt::format("Target: {} = {}, {}", number_of(blocks, "block"),
                                             number_of(warps, "warp"), percent(target.row.occupancy)),
                                 style);
  if (!target.row.reachable) {
    return text + ": not reachable\n" + why_not_reachable(report, target);
  }
  text += target.changes.empty() ? standing(report, blocks) + "\n" : "\n";
  for (const Change& change : target.changes) {
    text += wrapped("- " + change_line(report, change, blocks), 2);
  }
  text += holding_lines(report, target);
  if (target.padding_shared_memory.value_or(0) > 0) {
    text += wrapped(fmt::format("For exactly {}: {} B more of dynamic shared memory as padding.",
                                number_of(blocks, "block"), grouped(*target.padding_shared_memory)));
  }
  return text;
}

std::string block_size_section(const Report& report, Style style) {
  if (!report.block_sizes) {
    return "";
  }
  const auto& sizes = *report.block_sizes;
  if (sizes.empty()) {
    return "\nBlock sizes: none launches with these resources.\n";
  }
  const SmLimits& sm = report.architecture->limits;
  const int by_api = potential_block_size(sm, report.kernel, report.launch);
  const int usual = usual_block_size(sm, report.kernel, report.launch);
  const std::optional<int> sm_count = report.sm_count();
  Rows rows = {{"", "threads", "blocks", "warps", "occupancy", "left", "min grid", "binds"}};
  int warps_before = -1;
  for (const BlockSize& size : sizes) {
    const Occupancy& answer = size.occupancy;
    const bool tied = answer.active_warps_per_sm == warps_before;
    warps_before = answer.active_warps_per_sm;
    rows.push_back({choice_marks(size.threads_per_block, by_api, usual), grouped(size.threads_per_block),
                    grouped(answer.active_blocks_per_sm), grouped(answer.active_warps_per_sm),
                    tied ? "\"" : percent(answer.fraction()), grouped(answer.max_warps_per_sm % answer.warps_per_block),
                    sm_count ? grouped(std::int64_t{*sm_count} * answer.active_blocks_per_sm) : "",
                    joined_words(answer.limiters)});
  }
  std::vector<Align> aligns(rows[0].size(), Align::Right);
  aligns.back() = Align::Left;
  if (!sm_count) {
    constexpr std::ptrdiff_t grid_column = 6;
    aligns.erase(aligns.begin() + grid_column);
    for (auto& row : rows) {
      row.erase(row.begin() + grid_column);
    }
  }
  return section("Block sizes, most resident warps first", rows, aligns, style,
                 [&](std::size_t row) {
                   return sizes[row].threads_per_block == by_api || sizes[row].threads_per_block == usual;
                 }) +
         wrapped(
             "* what cudaOccupancyMaxPotentialBlockSize chooses, + the best of 128 to 512 threads; left: warp slots "
             "that "
             "blocks of this size cannot fill; \" as above.") +
         "A starting point, not an answer: measure.\n";
}

std::string explain_section(const Report& report, Style style) {
  if (!report.explain) {
    return "";
  }
  std::string text = "\n" + bold("The working", style) + "\n";
  std::string_view document;
  std::size_t number = 1;
  for (const Step& step : explain(report)) {
    if (step.document != document) {
      text += document.empty() ? "" : "   [" + std::string(document) + "]\n";
      document = step.document;
    }
    text += wrapped(fmt::format("{:>2} {}", number++, step.text), 3);
  }
  text += "   [" + std::string(document) + "]\n";
  return text + "Occupancy counts resident warps: it is not utilisation, and not speed.\n";
}

}  // namespace occcalc::report
