// A grid on the whole GPU, for people.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/fields.hpp"
#include "report/layout.hpp"
#include "report/numbers.hpp"
#include "report/sections.hpp"

namespace occcalc::report {

namespace {

// Two decimals, or three where two would hide that the last wave is not full.
std::string wave_count(const Waves& waves) {
  constexpr double thousandth = 0.001;
  if (waves.waves < thousandth) {
    return "less than 0.001";
  }
  std::string text = fmt::format("{:.2f}", waves.waves);
  const bool hides_tail = waves.waves != std::floor(waves.waves) && text.ends_with(".00");
  return hides_tail ? fmt::format("{:.3f}", waves.waves) : text;
}

std::string last_wave(const Tail& tail, std::int64_t blocks_per_wave) {
  if (tail.blocks == 0) {
    return "each of them full";
  }
  const std::string full =
      tail.full_waves == 0 ? "not one is full: " : counted(tail.full_waves, "full one", "full ones") + ", then ";
  const std::string idle =
      tail.idle_sms == 0 ? "" : ", " + counted(tail.idle_sms, "SM has", "SMs have") + " none of them";
  return full +
         fmt::format("{} where {} fit{}", counted(tail.blocks, "block", "blocks"), grouped(blocks_per_wave), idle);
}

std::string waves_lines(const Waves& waves) {
  if (!waves.tail) {
    return wrapped("At least " + wave_count(waves) +
                   " waves; how full the last one is, and which grids leave no tail, is not known while the clusters "
                   "are a bound.");
  }
  return wrapped(wave_count(waves) + " waves, " + last_wave(*waves.tail, waves.blocks_per_wave) + ".") +
         wrapped(fmt::format("Blocks take {} of the room in these waves, if all run equally long.",
                             percent(waves.tail->efficiency)));
}

// Less than this of the room in the waves is not worth a change.
constexpr double little = 0.01;

bool is_worth_a_change(const Tail& tail) { return tail.efficiency <= 1 - little; }

std::string grids_without_tail(const Waves& waves) {
  if (!waves.tail || waves.tail->blocks == 0) {
    return "";
  }
  const std::string smaller = waves.tail->smaller_grid > 0 ? grouped(waves.tail->smaller_grid) + " or " : "";
  return wrapped("Grids of equal blocks without a tail: " + smaller + grouped(waves.tail->larger_grid) +
                 ". A persistent kernel would launch " + grouped(waves.blocks_per_wave) + ".");
}

// What the tail is mended by; registers only move it.
std::string remedy(const Waves& waves) {
  if (waves.tail && waves.tail->blocks == 0) {
    return "";
  }
  return waves.tail && !is_worth_a_change(*waves.tail)
             ? wrapped("The tail leaves less than 1 % of that room empty: nothing to mend.")
             : wrapped(
                   "Registers and shared memory move the tail, they do not remove it: the grid does, a grid-stride "
                   "loop, or a persistent kernel.");
}

std::string average_line(const Waves& waves) {
  if (waves.tail && waves.tail->idle_sms == 0 &&
      percent(waves.average_occupancy_bound) == percent(waves.achieved_occupancy_bound)) {
    return wrapped(fmt::format("Average occupancy over the launch: {} at most (estimate); profilers call it achieved.",
                               percent(waves.average_occupancy_bound)));
  }
  return wrapped(
      fmt::format("Average occupancy over the launch: {} of all SMs; {} of those with blocks, which is what "
                  "profilers measure as achieved. Both at most (estimate).",
                  percent(waves.average_occupancy_bound), percent(waves.achieved_occupancy_bound)));
}

std::string fuller_blocks(const Report& report) {
  std::string text;
  for (const BlockWaves& block : report.fuller_blocks) {
    text +=
        (text.empty() ? "" : ", ") + fmt::format("{} ({} in {} waves, {})", grouped(block.threads_per_block),
                                                 counted(block.waves.grid_blocks, "block", "blocks"),
                                                 wave_count(block.waves), percent(block.waves.average_occupancy_bound));
  }
  return text.empty() ? ""
                      : wrapped(
                            "Block sizes with more warps resident over the launch, for as many threads, with as many "
                            "registers a thread and as much shared memory a block: " +
                                text + ".",
                            2);
}

// What waves explain of the distance between theory and measurement; the rest is named, not computed.
std::string achieved_lines(const Report& report) {
  if (!report.whole_gpu->achieved_occupancy) {
    return "";
  }
  const double achieved = *report.whole_gpu->achieved_occupancy;
  const double bound = report.whole_gpu->waves->achieved_occupancy_bound;
  const double theory = report.occupancy.fraction();
  constexpr double as_printed = 0.00005;  // of a hundredth of a per cent
  if (achieved > theory + as_printed) {
    return wrapped(fmt::format("Achieved {} is above the {} of a full wave: another carveout, or another launch.",
                               percent(achieved), percent(theory)));
  }
  if (achieved > bound + as_printed) {
    return wrapped(fmt::format(
        "Achieved {} is above the {} of SMs with blocks: blocks of unequal length, or a launch beside this one.",
        percent(achieved), percent(bound)));
  }
  if (achieved >= theory - as_printed) {
    return wrapped(fmt::format("Achieved {}: that of a full wave.", percent(achieved)));
  }
  const double rest = std::max(0.0, bound - achieved);
  const std::string below = fmt::format("Achieved {}: {} points below the {} of a full wave. The waves explain ",
                                        percent(achieved), percent_points(theory - achieved), percent(theory));
  if (rest <= as_printed) {
    return wrapped(below + "them all.");
  }
  return wrapped(below +
                 fmt::format("{} points; they do not explain the rest, {}: the start and end of the launch, imbalance "
                             "between blocks and warps, warps that end early.",
                             percent_points(theory - bound), percent_points(rest)));
}

std::string name_in_brackets(const Report& report) {
  const std::string& name = report.whole_gpu->part->name;
  return name.empty() ? "" : " (" + as_cell(name, Cell::Format::Plain) + ")";
}

// Without a grid: what the SMs that are named hold at a time.
std::string room_line(const Report& report) {
  const int sm_count = report.whole_gpu->part->sms.count;
  if (sm_count == 0 || !report.occupancy.launchable()) {
    return "";
  }
  return "\n" + wrapped(fmt::format(
                    "{}{} hold{} {} at a time, the grid of a persistent kernel.", counted(sm_count, "SM", "SMs"),
                    name_in_brackets(report), sm_count == 1 ? "s" : "",
                    counted(std::int64_t{sm_count} * report.occupancy.active_blocks_per_sm, "block", "blocks")));
}

}  // namespace

std::string waves_section(const Report& report, Style style) {
  if (!report.whole_gpu || !report.whole_gpu->waves) {
    return report.whole_gpu && !report.whole_gpu->grid && !report.whole_gpu->clusters ? room_line(report) : "";
  }
  const Waves& waves = *report.whole_gpu->waves;
  std::string text = "\n" +
                     bold(fmt::format("{} on {}{}, {}{} at a time", counted(waves.grid_blocks, "block", "blocks"),
                                      counted(waves.sm_count, "SM", "SMs"), name_in_brackets(report),
                                      waves.tail ? "" : "at most ", grouped(waves.blocks_per_wave)),
                          style) +
                     "\n";
  text += waves_lines(waves) + average_line(waves);
  return text + achieved_lines(report) + grids_without_tail(waves) + remedy(waves) +
         (waves.tail && is_worth_a_change(*waves.tail) ? fuller_blocks(report) : "");
}

}  // namespace occcalc::report
