// A grid on the whole GPU, for people.
#include <fmt/format.h>

#include <algorithm>

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
  const bool hides_tail = waves.tail_blocks > 0 && (text.ends_with(".00") || text == "0.00");
  return hides_tail ? fmt::format("{:.3f}", waves.waves) : text;
}

std::string last_wave(const Waves& waves) {
  if (waves.tail_blocks == 0) {
    return "each of them full";
  }
  const std::string full =
      waves.full_waves == 0 ? "not one is full: " : counted(waves.full_waves, "full one", "full ones") + ", then ";
  const std::string idle =
      waves.idle_sms == 0 ? "" : ", " + counted(waves.idle_sms, "SM has", "SMs have") + " none of them";
  return full + fmt::format("{} where {} fit{}", counted(waves.tail_blocks, "block", "blocks"),
                            grouped(waves.blocks_per_wave), idle);
}

// Less than this of the SM time is not worth a change.
constexpr double little = 0.01;

std::string grids_without_tail(const Waves& waves, bool is_bound) {
  if (waves.tail_blocks == 0) {
    return "";
  }
  if (is_bound) {
    return wrapped("Which grids leave no tail is not known where the clusters are a bound.");
  }
  const std::string smaller = waves.smaller_grid > 0 ? grouped(waves.smaller_grid) + " or " : "";
  return wrapped("Grids of equal blocks without a tail: " + smaller + grouped(waves.larger_grid) +
                 ". A persistent kernel would launch " + grouped(waves.blocks_per_wave) + ".");
}

// What the tail is mended by; registers only move it.
std::string remedy(const Waves& waves) {
  if (waves.tail_blocks == 0) {
    return "";
  }
  return waves.efficiency > 1 - little
             ? wrapped("The tail costs less than 1 % of the SM time: nothing to mend.")
             : wrapped(
                   "Registers and shared memory move the tail, they do not remove it: the grid does, a grid-stride "
                   "loop, or a persistent kernel.");
}

std::string average_line(const Waves& waves) {
  if (waves.idle_sms == 0 && percent(waves.average_occupancy_bound) == percent(waves.achieved_occupancy_bound)) {
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
    text += (text.empty() ? "" : ", ") + fmt::format("{} ({} x {} waves, {})", block.threads_per_block,
                                                     grouped(block.waves.grid_blocks), wave_count(block.waves),
                                                     percent(block.waves.average_occupancy_bound));
  }
  return text.empty()
             ? ""
             : wrapped(
                   "Block sizes with more warps resident over the launch, for as many threads of the same resources: " +
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
        "Achieved {} is above that bound: blocks of unequal length, or a launch beside this one.", percent(achieved)));
  }
  return wrapped(fmt::format(
      "Achieved {}: {} points below the {} of a full wave. The waves explain {} points; they do not explain "
      "the rest, {}: the start and end of the launch, imbalance between blocks and warps, warps that end "
      "early.",
      percent(achieved), percent_points(theory - achieved), percent(theory), percent_points(theory - bound),
      percent_points(std::max(0.0, bound - achieved))));
}

}  // namespace

std::string waves_section(const Report& report, Style style) {
  if (!report.whole_gpu || !report.whole_gpu->waves) {
    return "";
  }
  const Waves& waves = *report.whole_gpu->waves;
  const bool is_bound = report.whole_gpu->clusters && report.whole_gpu->clusters->is_bound;
  const std::string& name = report.whole_gpu->part->name;
  std::string text = "\n" +
                     bold(fmt::format("{} on {}{}, {}{} at a time", counted(waves.grid_blocks, "block", "blocks"),
                                      counted(waves.sm_count, "SM", "SMs"),
                                      name.empty() ? "" : " (" + as_cell(name, Cell::Format::Plain) + ")",
                                      is_bound ? "at most " : "", grouped(waves.blocks_per_wave)),
                          style) +
                     "\n";
  text += wrapped(fmt::format("{}{} waves, {}.", is_bound ? "At least " : "", wave_count(waves), last_wave(waves)));
  text += wrapped(fmt::format("{} of the SM time of these waves holds blocks, if all take equally long.",
                              percent(waves.efficiency)));
  text += average_line(waves);
  return text + achieved_lines(report) + grids_without_tail(waves, is_bound) + remedy(waves) +
         (waves.efficiency > 1 - little ? "" : fuller_blocks(report));
}

}  // namespace occcalc::report
