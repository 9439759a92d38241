#include "cli/gates.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "cli/files.hpp"
#include "input/values.hpp"
#include "report/numbers.hpp"

namespace occcalc::cli {

namespace {

// Of a per cent, as reports print them: their own figure must pass.
double hundredths(double fraction) { return std::round(fraction * 10000); }

constexpr std::size_t most_named = 3;

std::string name_of(const report::Row& row) {
  if (row.kernel_found != nullptr) {
    const report::FoundKernel& kernel = *row.kernel_found;
    return kernel.names->name + " on " + row.arch + " (" + report::percent(row.occupancy.fraction()) + ")";
  }
  std::string text = row.line > 0 ? "line " + std::to_string(row.line) + ": " : "";
  text += row.arch + " block " + report::block_text(row.launch.block);
  if (row.kernel.registers_per_thread) {
    text += " regs " + std::to_string(*row.kernel.registers_per_thread);
  }
  text += " smem " + std::to_string(shared_memory_bytes(row.kernel, row.launch));
  return text + " (" + report::percent(row.occupancy.fraction()) + ")";
}

void add_if(bool fails, const report::Row& row, FailingRows& failing) {
  if (!fails) {
    return;
  }
  ++failing.count;
  if (failing.first.size() < most_named) {
    failing.first.push_back(name_of(row));
  }
}

void add_later(const FailingRows& later, FailingRows& failing) {
  failing.count += later.count;
  const std::size_t room = std::min(most_named - failing.first.size(), later.first.size());
  failing.first.insert(failing.first.end(), later.first.begin(),
                       later.first.begin() + static_cast<std::ptrdiff_t>(room));
}

// True if there was nothing to say.
bool is_met(const std::string& gate, const FailingRows& failing, std::int64_t rows, std::string_view unit) {
  if (failing.count == 0) {
    return true;
  }
  std::string text = "occcalc: not met: " + gate + ": ";
  text += rows == 1 ? ""
                    : report::grouped(failing.count) + " of " + report::grouped(rows) + " " + std::string(unit) +
                          ", the first ";
  for (const std::string& name : failing.first) {
    text += (&name == failing.first.data() ? "" : "; ") + name;
  }
  write_stderr(text);
  return false;
}

}  // namespace

void GateCounts::add(const GateCounts& later) {
  add_later(later.without_launch, without_launch);
  add_later(later.below_occupancy, below_occupancy);
  add_later(later.spilling, spilling);
  add_later(later.assumed, assumed);
  spills_unknown += later.spills_unknown;
  without_registers += later.without_registers;
}

Gates::Gates(const Arguments& arguments)
    : launch_(arguments.has("--require-launch")),
      no_spills_(arguments.has("--require-no-spills")),
      known_(arguments.has("--require-known")) {
  if (const std::string* const text = arguments.value("--require-occupancy")) {
    occupancy_ = input::read_fraction("--require-occupancy", *text);
  }
}

void Gates::hold_against(const report::Row& row, GateCounts& counts) const {
  const bool nothing_resident = occupancy_ && *occupancy_ > 0 && !row.occupancy.launchable();
  const bool below = nothing_resident || (occupancy_ && hundredths(row.occupancy.fraction()) < hundredths(*occupancy_));
  add_if(launch_ && !row.occupancy.launchable(), row, counts.without_launch);
  add_if(below, row, counts.below_occupancy);
  if (row.kernel_found != nullptr) {
    const report::FoundKernel& kernel = *row.kernel_found;
    counts.spills_unknown += kernel.record.knows_spills() ? 0 : 1;
    add_if(no_spills_ && kernel.record.spills(), row, counts.spilling);
    add_if(kernel.is_block_assumed() || kernel.is_memory_assumed(), row, counts.assumed);
  }
  counts.without_registers += row.kernel.registers_per_thread ? 0 : 1;
}

void Gates::note_guesses(const GateCounts& counts, std::int64_t rows, std::string_view unit) const {
  const auto of_rows = [&](std::int64_t count) {
    return rows == 1 ? "" : " in " + report::grouped(count) + " of " + report::grouped(rows) + " " + std::string(unit);
  };
  if (occupancy_ && counts.without_registers > 0) {
    write_stderr(
        "occcalc: note: --require-occupancy was held against an upper bound, because the registers were not given" +
        of_rows(counts.without_registers));
  }
  if ((occupancy_ || launch_) && counts.assumed.count > 0 && !known_) {
    write_stderr("occcalc: note: a block size or dynamic shared memory was assumed" + of_rows(counts.assumed.count) +
                 "; --require-known refuses that");
  }
  if (no_spills_ && counts.spills_unknown > 0) {
    write_stderr("occcalc: note: the input does not say what spills" + of_rows(counts.spills_unknown));
  }
}

bool Gates::judge(const GateCounts& counts, std::int64_t rows, std::string_view unit) const {
  const std::string occupancy = occupancy_ ? report::percent(*occupancy_) : "";
  bool met = is_met("--require-launch", counts.without_launch, rows, unit);
  met = is_met("--require-occupancy " + occupancy, counts.below_occupancy, rows, unit) && met;
  met = is_met("--require-no-spills", counts.spilling, rows, unit) && met;
  met = (!known_ || is_met("--require-known", counts.assumed, rows, unit)) && met;
  if (met) {
    note_guesses(counts, rows, unit);
  }
  return met;
}

}  // namespace occcalc::cli
