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
  const Dim3 block = row.launch.block;
  std::string text = row.line > 0 ? "line " + std::to_string(row.line) + ": " : "";
  text += row.arch + " block " + std::to_string(block.x);
  if (block.y != 1 || block.z != 1) {
    text += "x" + std::to_string(block.y) + (block.z == 1 ? "" : "x" + std::to_string(block.z));
  }
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
bool is_met(const std::string& gate, const FailingRows& failing, std::int64_t rows) {
  if (failing.count == 0) {
    return true;
  }
  std::string text = "occcalc: not met: " + gate + ": ";
  text += rows == 1 ? "" : report::grouped(failing.count) + " of " + report::grouped(rows) + " rows, the first ";
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
  without_registers += later.without_registers;
}

Gates::Gates(const Arguments& arguments) : launch_(arguments.has("--require-launch")) {
  if (const std::string* const text = arguments.value("--require-occupancy")) {
    occupancy_ = input::read_fraction("--require-occupancy", *text);
  }
}

void Gates::hold_against(const report::Row& row, GateCounts& counts) const {
  const bool nothing_resident = occupancy_ && *occupancy_ > 0 && !row.occupancy.launchable();
  const bool below = nothing_resident || (occupancy_ && hundredths(row.occupancy.fraction()) < hundredths(*occupancy_));
  add_if(launch_ && !row.occupancy.launchable(), row, counts.without_launch);
  add_if(below, row, counts.below_occupancy);
  counts.without_registers += row.kernel.registers_per_thread ? 0 : 1;
}

bool Gates::judge(const GateCounts& counts, std::int64_t rows) const {
  const bool launches = is_met("--require-launch", counts.without_launch, rows);
  const std::string occupancy = occupancy_ ? report::percent(*occupancy_) : "";
  const bool met = is_met("--require-occupancy " + occupancy, counts.below_occupancy, rows) && launches;
  if (met && occupancy_ && counts.without_registers > 0) {
    const std::string of_rows =
        rows == 1 ? "" : " in " + report::grouped(counts.without_registers) + " of " + report::grouped(rows) + " rows";
    write_stderr(
        "occcalc: note: --require-occupancy was held against an upper bound, because the registers were not given" +
        of_rows);
  }
  return met;
}

}  // namespace occcalc::cli
