#include <fmt/format.h>

#include <algorithm>

#include "report/layout.hpp"
#include "report/numbers.hpp"
#include "report/sections.hpp"
#include "report/sentences.hpp"

namespace occcalc::report {

namespace {

std::string_view name_of(Input input) {
  constexpr std::array<std::string_view, all_inputs.size()> names = {"registers", "shared memory", "block size",
                                                                     "barriers", "carveout"};
  return names[static_cast<std::size_t>(input)];
}

std::string value_text(Input input, std::int64_t value) {
  switch (input) {
    case Input::SharedMemory: return grouped(value) + " B";
    case Input::Carveout: return kilobytes(value);
    default: return grouped(value);
  }
}

std::string blocks_text(int blocks) {
  return blocks == 0 ? "no launch" : grouped(blocks) + (blocks == 1 ? " block" : " blocks");
}

// Of a block size the warps tell, of everything else the blocks.
std::string answer_text(Input input, const Occupancy& answer) {
  return input == Input::ThreadsPerBlock && answer.launchable()
             ? grouped(answer.active_warps_per_sm) + (answer.active_warps_per_sm == 1 ? " warp" : " warps")
             : blocks_text(answer.active_blocks_per_sm);
}

const Cliff* find(const Report& report, Input input, bool up) {
  const auto match = std::find_if(report.cliffs.begin(), report.cliffs.end(),
                                  [&](const Cliff& cliff) { return cliff.input == input && (cliff.change > 0) == up; });
  return match == report.cliffs.end() ? nullptr : &*match;
}

const std::optional<Cliff>& gain_of(const Report& report, Input input) {
  return report.gains[static_cast<std::size_t>(input)];
}

// The end of the values that cost the same as the current one.
std::int64_t same_up_to(const Report& report, Input input) {
  const std::int64_t current = *current_value(report.kernel, report.launch, report.occupancy, input);
  const Cliff* const next = find(report, input, true);
  const SmLimits& sm = report.architecture->limits;
  switch (input) {
    case Input::RegistersPerThread:
      return next != nullptr ? next->value - 1 : std::max<std::int64_t>(sm.max_registers_per_thread, current);
    case Input::SharedMemory: return next != nullptr ? next->value - 1 : current;
    case Input::ThreadsPerBlock:
      return next != nullptr ? std::max(next->value - warp_size, current)
                             : std::max<std::int64_t>(sm.max_threads_per_block, current);
    case Input::Barriers: return next != nullptr ? next->value - 1 : sm.max_barriers_per_block;
    case Input::Carveout: return next != nullptr ? current : sm.shared_memory_per_sm;
  }
  return current;
}

// Both sides where both lose; the unit stands once.
std::string loss_text(const Report& report, Input input) {
  std::string text;
  for (const bool up : {false, true}) {
    const Cliff* const cliff = find(report, input, up);
    if (cliff == nullptr || cliff->gain) {
      continue;
    }
    const std::string value = up && input == Input::SharedMemory ? "+1 B" : value_text(input, cliff->value);
    if (text.ends_with(" warps")) {
      text.erase(text.rfind(' '));
    }
    text += (text.empty() ? "" : ", ") + value + ": " + answer_text(input, cliff->occupancy);
  }
  return text.empty() ? "-" : text;
}

std::string gain_text(const Report& report, Input input) {
  const std::optional<Cliff>& gain = gain_of(report, input);
  if (!gain) {
    const ResourceSet limiters = told_limiters(report);
    const bool one_binds = std::count_if(all_resources.begin(), all_resources.end(),
                                         [&limiters](Resource resource) { return limiters.contains(resource); }) == 1;
    return is_full(report) ? "none, full" : one_binds ? "none, " + binding_phrase(limiters) : "none alone";
  }
  return fmt::format("{}: {}, {}", value_text(input, gain->value), answer_text(input, gain->occupancy),
                     percent(gain->occupancy.fraction()));
}

bool is_shown(const Report& report, Input input) {
  switch (input) {
    case Input::RegistersPerThread: return report.kernel.registers_per_thread.has_value();
    case Input::Barriers: return report.show_barriers && report.architecture->limits.barriers_per_sm;
    case Input::Carveout:
      return gain_of(report, input).has_value() || (report.launch.carveout.kind != Carveout::Kind::Default &&
                                                    report.architecture->limits.carveout_kind != CarveoutKind::Fixed);
    default: return true;
  }
}

}  // namespace

bool is_full(const Report& report) {
  return report.kernel.registers_per_thread && report.occupancy.launchable() &&
         report.occupancy.active_warps_per_sm == report.occupancy.max_warps_per_sm;
}

ResourceSet told_limiters(const Report& report) {
  ResourceSet told;
  for (const Resource resource : all_resources) {
    const bool hidden = resource == Resource::Barriers && !report.show_barriers;
    told.insert_if(report.occupancy.limiters.contains(resource) && !hidden, resource);
  }
  return told.empty() ? report.occupancy.limiters : told;
}

std::string binding_phrase(const ResourceSet& limiters) {
  const bool singular = limiters == ResourceSet().with(Resource::SharedMemory);
  return joined_words(limiters) + (singular ? " binds" : " bind");
}

std::string change_table(const Report& report, Style style) {
  std::vector<std::vector<std::string>> rows = {{"change", "same up to", "then lose", "nearest gain"}};
  for (const Input input : all_inputs) {
    if (is_shown(report, input)) {
      rows.push_back({std::string(name_of(input)), value_text(input, same_up_to(report, input)),
                      loss_text(report, input), gain_text(report, input)});
    }
  }
  const std::vector<std::string> lines = aligned(rows, {Align::Left, Align::Left, Align::Left, Align::Left});
  std::string text = bold(lines[0], style) + "\n";
  for (std::size_t i = 1; i < lines.size(); ++i) {
    text += lines[i] + "\n";
  }
  return text;
}

std::string staircase_section(const Report& report, Style style) {
  if (!report.staircases) {
    return "";
  }
  std::string text;
  for (const Staircase& staircase : *report.staircases) {
    std::vector<std::vector<std::string>> rows = {
        {std::string(name_of(staircase.input)), "blocks", "warps", "occupancy", "binds"}};
    for (const Stair& stair : staircase.stairs) {
      const std::string from = value_text(staircase.input, stair.from);
      const std::string to = value_text(staircase.input, stair.to);
      rows.push_back({from == to ? from : fmt::format("{} to {}", from, to),
                      grouped(stair.occupancy.active_blocks_per_sm), grouped(stair.occupancy.active_warps_per_sm),
                      percent(stair.occupancy.fraction()), joined_words(stair.occupancy.limiters)});
    }
    const std::vector<std::string> lines =
        aligned(rows, {Align::Left, Align::Right, Align::Right, Align::Right, Align::Left});
    text += "\n" + bold(lines[0], style) + "\n";
    for (std::size_t i = 1; i < lines.size(); ++i) {
      text += lines[i] + "\n";
    }
  }
  return text;
}

}  // namespace occcalc::report
