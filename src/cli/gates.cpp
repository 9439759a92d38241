#include "cli/gates.hpp"

#include <cmath>

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
  std::string text = row.arch + " block " + std::to_string(block.x);
  if (block.y != 1 || block.z != 1) {
    text += "x" + std::to_string(block.y) + (block.z == 1 ? "" : "x" + std::to_string(block.z));
  }
  if (row.kernel.registers_per_thread) {
    text += " regs " + std::to_string(*row.kernel.registers_per_thread);
  }
  text += " smem " + std::to_string(shared_memory_bytes(row.kernel, row.launch));
  return text + " (" + report::percent(row.occupancy.fraction()) + ")";
}

void say_not_met(const std::string& gate, std::int64_t failing, std::int64_t rows, const Chunk& counts) {
  std::string text = "occcalc: not met: " + gate + ": ";
  text += rows == 1 ? "" : report::grouped(failing) + " of " + report::grouped(rows) + " rows, the first ";
  for (const std::string& name : counts.first_failing) {
    text += (&name == counts.first_failing.data() ? "" : "; ") + name;
  }
  write_stderr(text);
}

}  // namespace

Gates::Gates(const Arguments& arguments) : launch_(arguments.has("--require-launch")) {
  if (const std::string* const text = arguments.value("--require-occupancy")) {
    occupancy_ = input::read_fraction("--require-occupancy", *text);
  }
}

void Gates::check(const report::Row& row, Chunk& counts) const {
  const bool no_launch = launch_ && !row.occupancy.launchable();
  const bool nothing_resident = occupancy_ && *occupancy_ > 0 && !row.occupancy.launchable();
  const bool below = nothing_resident || (occupancy_ && hundredths(row.occupancy.fraction()) < hundredths(*occupancy_));
  counts.rows_without_launch += no_launch ? 1 : 0;
  counts.rows_below_occupancy += below ? 1 : 0;
  if ((no_launch || below) && counts.first_failing.size() < most_named) {
    counts.first_failing.push_back(name_of(row));
  }
}

bool Gates::report(const Chunk& counts, std::int64_t rows) const {
  if (counts.rows_without_launch > 0) {
    say_not_met("--require-launch", counts.rows_without_launch, rows, counts);
  }
  if (counts.rows_below_occupancy > 0) {
    say_not_met("--require-occupancy " + report::percent(*occupancy_), counts.rows_below_occupancy, rows, counts);
  }
  return counts.rows_without_launch == 0 && counts.rows_below_occupancy == 0;
}

void Gates::warn_of_bound() const {
  if (occupancy_) {
    write_stderr("occcalc: note: --require-occupancy was held against an upper bound, because --regs was not given");
  }
}

}  // namespace occcalc::cli
