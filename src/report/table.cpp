#include <fmt/format.h>

#include <algorithm>

#include "report/fields.hpp"
#include "report/layout.hpp"
#include "report/numbers.hpp"
#include "report/report.hpp"
#include "report/sections.hpp"
#include "report/sentences.hpp"

namespace occcalc::report {

namespace {

std::string headline(const Report& report, Style style) {
  const Occupancy& answer = report.occupancy;
  if (!answer.launchable()) {
    return alarming(fmt::format("cannot launch on {}: 0 blocks per SM", report.arch), style) + "\n";
  }
  const std::string claim = fmt::format("{}{} occupancy on {}", report.kernel.registers_per_thread ? "" : "at most ",
                                        percent(answer.fraction()), report.arch);
  const std::string text = wrapped(
      fmt::format("{}: {} block{} = {} of {} warps per SM; {}", claim, grouped(answer.active_blocks_per_sm),
                  answer.active_blocks_per_sm == 1 ? "" : "s", answer.active_warps_per_sm, answer.max_warps_per_sm,
                  is_full(report) ? "nothing to gain" : binding_phrase(told_limiters(report))));
  return bold(claim, style) + text.substr(claim.size());  // emphasis has no width
}

// Sums stop at the end of 64 bits.
std::string at_least_grouped(std::int64_t number) { return (number == INT64_MAX ? ">= " : "") + grouped(number); }

std::string asked(const Ceiling& ceiling) {
  if (!ceiling.requested) {
    return "not given";
  }
  std::string amount = at_least_grouped(*ceiling.requested);
  switch (ceiling.resource) {
    case Resource::Warps: return amount + (*ceiling.requested == 1 ? " thread" : " threads");
    case Resource::Registers: return amount + " per thread";
    case Resource::SharedMemory: return amount + " B";
    default: return amount;
  }
}

std::string amount(const Ceiling& ceiling, std::optional<std::int64_t> number) {
  if (!number) {
    return "";
  }
  return at_least_grouped(*number) + (ceiling.resource == Resource::SharedMemory ? " B" : "");
}

std::vector<std::string> ceiling_row(const Ceiling& ceiling, int warps_per_block, bool launchable) {
  const int blocks = *ceiling.blocks_per_sm;
  return {ceiling.resource == Resource::VirtualResources ? "virtual res." : std::string(words_of(ceiling.resource)),
          asked(ceiling),
          amount(ceiling, ceiling.allocated_per_block),
          amount(ceiling, ceiling.available_per_sm),
          grouped(blocks),
          grouped(std::int64_t{blocks} * warps_per_block),
          ceiling.binds ? "binds"
          : launchable  ? "+" + grouped(*ceiling.slack_blocks)
                        : "fits"};
}

// One row for each ceiling that applies, the tightest first.
std::string ceiling_table(const Report& report, Style style) {
  std::vector<Ceiling> shown;
  for (const Ceiling& ceiling : report.ceilings) {
    if (ceiling.blocks_per_sm && (ceiling.resource != Resource::Barriers || report.show_barriers)) {
      shown.push_back(ceiling);
    }
  }
  std::stable_sort(shown.begin(), shown.end(),
                   [](const Ceiling& a, const Ceiling& b) { return *a.blocks_per_sm < *b.blocks_per_sm; });
  std::vector<std::vector<std::string>> rows = {
      {"ceiling", "asked", "charged/block", "per SM", "blocks", "warps", "slack"}};
  for (const Ceiling& ceiling : shown) {
    rows.push_back(ceiling_row(ceiling, report.occupancy.warps_per_block, report.occupancy.launchable()));
  }
  const std::vector<std::string> lines =
      aligned(rows, {Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Left});
  std::string text = bold(lines[0], style) + "\n";
  for (std::size_t i = 0; i < shown.size(); ++i) {
    text += (shown[i].binds ? marked(lines[i + 1], style) : lines[i + 1]) + "\n";
  }
  return text;
}

// The default is the largest but on 10.7, where a block can raise it.
std::string default_name(const Report& report) {
  const SmLimits& sm = report.architecture->limits;
  if (report.occupancy.shared_memory_per_sm > sm.default_carveout) {
    return "raised";
  }
  return sm.default_carveout == sm.shared_memory_per_sm ? "largest" : "default";
}

std::string carveout_name(const Report& report) {
  const Carveout& carveout = report.launch.carveout;
  switch (carveout.kind) {
    case Carveout::Kind::Default: return default_name(report);
    case Carveout::Kind::MaxL1: return "max-l1";
    case Carveout::Kind::MaxShared: return "max-shared";
    case Carveout::Kind::Equal: return "equal";
    case Carveout::Kind::Percent: return fmt::format("{}%", carveout.value);
    case Carveout::Kind::Bytes: return "as given";
  }
  return "";
}

// The capacity that was assumed, what it leaves to L1, and the smallest that would do.
std::string carveout_line(const Report& report) {
  const SmLimits& sm = report.architecture->limits;
  const Occupancy& answer = report.occupancy;
  if (sm.carveout_kind == CarveoutKind::Fixed || sm.l1_kind == L1Kind::Separate) {
    return "";
  }
  const std::int64_t in_force = answer.shared_memory_per_sm;
  std::string text = fmt::format("Carveout: {}, {} of {} (leaves {} L1).", carveout_name(report),
                                 in_force % 1024 == 0 ? grouped(in_force / 1024) : grouped(in_force) + " B",
                                 kilobytes(sm.l1_size), kilobytes(sm.l1_size - in_force));
  const std::int64_t enough = smallest_sufficient_carveout(sm, answer);
  if (enough < in_force) {
    text += fmt::format(" {} would do ({} L1).", kilobytes(enough), kilobytes(sm.l1_size - enough));
  }
  return wrapped(text);
}

bool is_said_elsewhere(NoteCode code) { return code == NoteCode::Full; }

std::string note_lines(const Report& report) {
  std::string text;
  for (const Note& note : report.notes) {
    if (!is_said_elsewhere(note.code)) {
      text += wrapped(fmt::format("Note: {}.", sentence(note, report)), 2);
    }
  }
  return text;
}

std::string verdict(const Report& report) {
  std::string text;
  for (const Reason& reason : report.reasons) {
    text += wrapped(fmt::format("Not possible: {}.", sentence(reason, report)), 2);
  }
  return text + remedy_lines(report);
}

// Which block size stands in for the one that was not given.
std::string suggestion_line(const Report& report) {
  constexpr int least = 128;
  const int threads = report.occupancy.threads_per_block;
  if (!report.occupancy.launchable()) {
    return fmt::format("No block size was given, and none launches; this is {} threads.\n", threads);
  }
  return fmt::format("No block size was given: {} threads, the best of {}, are taken.\n", threads,
                     threads >= least ? "128 to 512" : "all sizes");
}

std::string answer_lines(const Report& report, Style style) {
  return change_table(report, style) + "\n" + advice(report) + carveout_line(report);
}

}  // namespace

std::string write_table(const Report& report, Style style) {
  std::string text = report.block_was_suggested ? suggestion_line(report) : "";
  text += headline(report, style) + "\n" + ceiling_table(report, style) + "\n";
  text += report.occupancy.launchable() ? answer_lines(report, style) : verdict(report);
  return text + note_lines(report) + staircase_section(report, style) + budget_section(report, style) +
         target_section(report, style) + block_size_section(report, style) + clusters_section(report, style) +
         waves_section(report, style) + latency_section(report, style) + explain_section(report, style);
}

std::string write_columns(std::span<const Report> reports, std::span<const Field* const> fields) {
  std::vector<std::vector<std::string>> rows(1);
  std::vector<Align> aligns;
  for (const Field* const field : fields) {
    rows[0].emplace_back(field->name);
    const std::string sample = reports.empty() ? "" : plain_text(*field, reports.front());
    const bool is_text = !sample.empty() && (sample.front() < '0' || sample.front() > '9');
    aligns.push_back(is_text ? Align::Left : Align::Right);
  }
  for (const Report& report : reports) {
    rows.emplace_back();
    for (const Field* const field : fields) {
      const std::string text = plain_text(*field, report);
      rows.back().push_back(text.empty() ? "-" : text);
    }
  }
  std::string text;
  for (const std::string& line : aligned(rows, aligns)) {
    text += line + "\n";
  }
  return text;
}

}  // namespace occcalc::report
