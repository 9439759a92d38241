// A grid on the whole GPU, for people.
#include <fmt/format.h>

#include "report/layout.hpp"
#include "report/numbers.hpp"
#include "report/sections.hpp"

namespace occcalc::report {

namespace {

std::string wave_count(double waves) {
  constexpr double hundredth = 0.01;
  return waves < hundredth ? "less than 0.01" : fmt::format("{:.2f}", waves);
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

std::string grids_without_tail(const Waves& waves) {
  if (waves.tail_blocks == 0) {
    return "";
  }
  const std::string smaller = waves.smaller_grid > 0 ? grouped(waves.smaller_grid) + " or " : "";
  return wrapped("Grids of equal blocks without a rest: " + smaller + grouped(waves.larger_grid) +
                 "; of a persistent kernel " + grouped(waves.blocks_per_wave) + ".");
}

std::string fuller_blocks(const Report& report) {
  std::string text;
  for (const BlockWaves& block : report.fuller_blocks) {
    text += (text.empty() ? "" : ", ") + fmt::format("{} ({} x {} waves, {})", block.threads_per_block,
                                                     grouped(block.waves.grid_blocks), wave_count(block.waves.waves),
                                                     percent(block.waves.average_occupancy_bound));
  }
  return text.empty() ? "" : wrapped("Block sizes that fill the waves better, for as many threads: " + text + ".", 2);
}

// What waves explain of the distance between theory and measurement; the rest is named, not computed.
std::string achieved_lines(const Report& report) {
  if (!report.whole_gpu->achieved_occupancy) {
    return "";
  }
  const double achieved = *report.whole_gpu->achieved_occupancy;
  const double bound = report.whole_gpu->waves->average_occupancy_bound;
  const double theory = report.occupancy.fraction();
  if (achieved > bound) {
    return wrapped(
        fmt::format("Achieved {} is above that bound: blocks of unequal length, another carveout or launch, "
                    "or a profiler that leaves idle SMs out.",
                    percent(achieved)));
  }
  return wrapped(
      fmt::format("Achieved {}: {} points below the {} of a full wave. The waves explain {} points; the rest, "
                  "{}, is the start and end of the launch, and imbalance between blocks and warps.",
                  percent(achieved), percent_points(theory - achieved), percent(theory), percent_points(theory - bound),
                  percent_points(bound - achieved)));
}

}  // namespace

std::string waves_section(const Report& report, Style style) {
  if (!report.whole_gpu || !report.whole_gpu->waves) {
    return "";
  }
  const Waves& waves = *report.whole_gpu->waves;
  std::string text = "\n" +
                     bold(fmt::format("{} on {}, {} at a time", counted(waves.grid_blocks, "block", "blocks"),
                                      counted(waves.sm_count, "SM", "SMs"), grouped(waves.blocks_per_wave)),
                          style) +
                     "\n";
  text += wrapped(fmt::format("{} waves, {}.", wave_count(waves.waves), last_wave(waves)));
  text +=
      wrapped(fmt::format("{} of the SM time of these waves holds blocks, if all take equally long; over the launch "
                          "{} occupancy on average, at most (estimate).",
                          percent(waves.efficiency), percent(waves.average_occupancy_bound)));
  text += achieved_lines(report) + grids_without_tail(waves) + fuller_blocks(report);
  return text + (waves.tail_blocks == 0
                     ? ""
                     : "No change of registers or shared memory mends this: the grid does, or\na grid-stride loop.\n");
}

}  // namespace occcalc::report
