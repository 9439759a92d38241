// Whether more warps would hide more latency, for people.
#include <fmt/format.h>

#include <algorithm>

#include "report/layout.hpp"
#include "report/numbers.hpp"
#include "report/sections.hpp"

namespace occcalc::report {

namespace {

std::string warps_text(std::int64_t warps) { return counted(warps, "warp", "warps"); }

// Whether so many warps are resident, and what more of them could do.
std::string verdict(std::int64_t needed, const Occupancy& answer, const std::string& unless) {
  const int resident = answer.active_warps_per_sm;
  if (resident >= needed) {
    return fmt::format("{} cover{} it, {} {} resident: more occupancy will not help{}", warps_text(needed),
                       needed == 1 ? "s" : "", grouped(resident), resident == 1 ? "is" : "are", unless);
  }
  if (needed > answer.max_warps_per_sm) {
    return fmt::format("{} would cover it, more than the {} that an SM holds: no occupancy does alone",
                       warps_text(needed), answer.max_warps_per_sm);
  }
  return fmt::format("{} cover it, {} {} resident: short of {}", warps_text(needed), grouped(resident),
                     resident == 1 ? "is" : "are", warps_text(needed - resident));
}

// Load raises the latency of memory: how much of that the resident warps bear.
std::string margin_of(std::int64_t needed, const Occupancy& answer) {
  const std::int64_t tenths = 10 * std::int64_t{answer.active_warps_per_sm} / std::max<std::int64_t>(1, needed);
  return tenths > 10 ? fmt::format(" while load raises that latency to no more than {} times",
                                   shortest(static_cast<double>(tenths) / 10))
                     : " unless load raises that latency";
}

std::string short_verdict(const MemoryNeed& need, const Occupancy& answer) {
  return need.covered ? "covered"
         : need.warps_per_sm > answer.max_warps_per_sm
             ? "more than an SM holds"
             : "short of " + grouped(need.warps_per_sm - answer.active_warps_per_sm);
}

std::string unknown(const Report& report, const MemorySystem& memory) {
  if (report.whole_gpu->part->name.empty()) {
    return "unknown without a GPU (--gpu names a product)";
  }
  if (!memory.dram_latency_cycles) {
    return "unknown for " + report.arch + ": nobody measured its DRAM latency";
  }
  std::string missing;
  const auto add = [&missing](bool is_known, std::string_view what) {
    missing += is_known ? "" : (missing.empty() ? "" : ", ") + std::string(what);
  };
  add(memory.sm_count.has_value(), "SMs");
  add(memory.clock_mhz.has_value(), "clock");
  add(memory.bandwidth_gbs.has_value(), "bandwidth");
  return report.whole_gpu->part->is_several ? "the products of that name differ in " + missing + ": name one of them"
                                            : "unknown: no source for " + missing;
}

std::string usual_table(const LatencyEstimate& latency, const Occupancy& answer) {
  std::vector<std::vector<std::string>> rows = {{"in flight per thread", "warps", "resident", ""}};
  for (const std::optional<MemoryNeed>& need : latency.usual_needs) {
    if (need) {
      rows.push_back({grouped(need->bytes_in_flight_per_thread) + " B", grouped(need->warps_per_sm),
                      grouped(answer.active_warps_per_sm), short_verdict(*need, answer)});
    }
  }
  std::string text;
  for (const std::string& line : aligned(rows, {Align::Right, Align::Right, Align::Right, Align::Left})) {
    text += line + "\n";
  }
  return text;
}

std::string memory_lines(const Report& report, const LatencyEstimate& latency) {
  const MemorySystem& memory = report.whole_gpu->part->memory;
  if (!latency.bytes_in_flight_per_sm) {
    return wrapped("Memory: " + unknown(report, memory) + ".");
  }
  std::string text = wrapped(fmt::format(
      "Memory: {} B in flight per SM keep {} GB/s busy ({} MHz, {}, {} cycles of latency, {}).",
      grouped(*latency.bytes_in_flight_per_sm), shortest(*memory.bandwidth_gbs), shortest(*memory.clock_mhz),
      counted(*memory.sm_count, "SM", "SMs"), grouped(*memory.dram_latency_cycles),
      report.whole_gpu->part->has_own_latency ? "measured on this product"
                                              : "from measurements of other products of " + report.arch));
  const int part_sms = report.whole_gpu->part->sms.count;
  text += part_sms > 0 && part_sms != *memory.sm_count
              ? wrapped(fmt::format("That is the share of one of all {}; a part of the GPU may have another.",
                                    counted(*memory.sm_count, "SM", "SMs")))
              : "";
  if (const auto& need = latency.asked_need) {
    return text + wrapped(fmt::format(
                      "With {} B in flight per thread {}.", grouped(need->bytes_in_flight_per_thread),
                      verdict(need->warps_per_sm, report.occupancy, margin_of(need->warps_per_sm, report.occupancy))));
  }
  return text + usual_table(latency, report.occupancy);
}

std::string arithmetic_lines(const Report& report, const LatencyEstimate& latency) {
  if (!latency.fma_warps_per_sm) {
    const bool knows_latency = report.architecture->latencies.fma_latency_cycles.has_value();
    return wrapped("Arithmetic: unknown for " + report.arch + ": no source for " +
                   (knows_latency ? "how often a scheduler starts an FMA." : "the latency of its FMAs."));
  }
  const std::string chains =
      latency.ilp == 1 ? "each FMA waiting for the last" : grouped(latency.ilp) + " independent FMAs in each thread";
  return wrapped(fmt::format(
      "Arithmetic, {} ({} cycles): {} a scheduler; {}.", chains, *report.architecture->latencies.fma_latency_cycles,
      warps_text(*latency.fma_warps_per_scheduler), verdict(*latency.fma_warps_per_sm, report.occupancy, " the FMAs")));
}

// What a profiler measured: few eligible warps, and memory that most of them wait for, are the one sign that more
// occupancy could help. (NVIDIA's Kernel Profiling Guide, scheduler and warp state statistics)
std::string measured_lines(const ReportedLaunch& reported) {
  const std::optional<double>& eligible = reported.eligible_warps_per_scheduler;
  if (!eligible || !reported.long_scoreboard_cycles || !reported.warp_cycles_per_issue ||
      *reported.warp_cycles_per_issue <= 0) {
    return "";
  }
  const double share = std::min(1.0, *reported.long_scoreboard_cycles / *reported.warp_cycles_per_issue);
  constexpr double half = 0.5;
  const std::string_view meaning =
      *eligible >= 1  ? "at least one warp is ready at any time: more occupancy will not help"
      : share >= half ? "schedulers run dry while most warps wait for memory, the one sign that more occupancy can help"
                      : "schedulers run dry, but memory is not what most warps wait for: more occupancy may not help";
  return wrapped(
      fmt::format("Measured: {} eligible warps a scheduler; {} of the {} cycles between two instructions of "
                  "a warp it waits for memory (long scoreboard): {}.",
                  shortest(*eligible), percent(share), shortest(*reported.warp_cycles_per_issue), meaning));
}

}  // namespace

std::string latency_section(const Report& report, Style style) {
  const std::string measured =
      report.kernel_found != nullptr ? measured_lines(report.kernel_found->record.reported) : "";
  const bool is_asked = report.whole_gpu && report.whole_gpu->latency && report.occupancy.launchable();
  if (!is_asked && measured.empty()) {
    return "";
  }
  const std::string title = "\n" + bold("Would more warps hide more latency?", style) + "\n";
  if (!is_asked) {
    return title + measured;
  }
  const LatencyEstimate& latency = *report.whole_gpu->latency;
  const bool is_known = latency.bytes_in_flight_per_sm || latency.fma_warps_per_sm;
  return title + measured + memory_lines(report, latency) + arithmetic_lines(report, latency) +
         (!is_known ? ""
                    : wrapped("Estimates: latencies are those without load, so that these are the fewest warps. "
                              "Independent work in a thread does what warps do."));
}

}  // namespace occcalc::report
