#include <fmt/format.h>

#include <algorithm>

#include "report/layout.hpp"
#include "report/numbers.hpp"
#include "report/sections.hpp"
#include "report/sentences.hpp"

namespace occcalc::report {

namespace {

const std::optional<Cliff>& gain_of(const Report& report, Input input) {
  return report.gains[static_cast<std::size_t>(input)];
}

std::string joined(const std::vector<std::string>& words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : i + 1 == words.size() ? " " + std::string(last) + " " : ", ";
    text += words[i];
  }
  return text;
}

// Changes that people would try, and that would gain nothing.
std::vector<std::string> changes_of_nothing(const Report& report) {
  std::vector<std::string> nothing;
  const std::int64_t bytes = shared_memory_bytes(report.kernel, report.launch);
  if (report.kernel.registers_per_thread.value_or(0) > 0 && !gain_of(report, Input::RegistersPerThread)) {
    nothing.emplace_back("fewer registers");
  }
  if (bytes > 0 && !gain_of(report, Input::SharedMemory)) {
    nothing.emplace_back("a smaller tile");
  }
  if (!gain_of(report, Input::ThreadsPerBlock)) {
    nothing.emplace_back("another block size");
  }
  return nothing;
}

std::string blocks_and_share(const Occupancy& answer) {
  return fmt::format("{} block{} ({})", grouped(answer.active_blocks_per_sm),
                     answer.active_blocks_per_sm == 1 ? "" : "s", percent(answer.fraction()));
}

// The lever of a ceiling that binds: what to change, to what, for how much.
std::string lever(const Report& report, Input input) {
  const Cliff& gain = *gain_of(report, input);
  const int blocks = gain.occupancy.active_blocks_per_sm;
  const std::string reached = blocks_and_share(gain.occupancy);
  switch (input) {
    case Input::RegistersPerThread:
      return fmt::format("For {}: __launch_bounds__({}, {}), {} registers; then check for spills.", reached,
                         report.occupancy.threads_per_block, blocks, gain.value);
    case Input::SharedMemory:
      return fmt::format("For {}: {} B of shared memory {}.", reached, grouped(gain.value),
                         gain.change < 0 ? "or less, a smaller tile" : "or more, which raises the carveout");
    case Input::ThreadsPerBlock:
      return fmt::format("Blocks of {} threads: {} warps, {}.", gain.value, gain.occupancy.active_warps_per_sm,
                         percent(gain.occupancy.fraction()));
    case Input::Barriers: return fmt::format("For {}: {} named barriers or fewer.", reached, gain.value);
    case Input::Carveout: return fmt::format("For {}: a carveout of {}.", reached, kilobytes(gain.value));
  }
  return "";
}

std::string joint_text(const JointCliff& joint) {
  std::vector<std::string> parts;
  if (joint.max_registers_per_thread) {
    parts.push_back(fmt::format("<= {} registers", *joint.max_registers_per_thread));
  }
  if (joint.max_shared_memory) {
    parts.push_back(fmt::format("<= {} B shared", grouped(*joint.max_shared_memory)));
  }
  if (joint.max_barriers) {
    parts.push_back(fmt::format("<= {} barriers", *joint.max_barriers));
  }
  return fmt::format("{} blocks ({}) need {}, together.", joint.active_blocks_per_sm, percent(joint.occupancy),
                     joined(parts, "and"));
}

// The gains worth a line: of what binds first, then of the block size and the carveout.
std::vector<Input> levers(const Report& report) {
  std::vector<Input> inputs;
  for (const Input input :
       {Input::RegistersPerThread, Input::SharedMemory, Input::Barriers, Input::Carveout, Input::ThreadsPerBlock}) {
    if (gain_of(report, input)) {
      inputs.push_back(input);
    }
  }
  constexpr std::size_t most = 2;
  inputs.resize(std::min(inputs.size(), most));
  return inputs;
}

// The threads of the block that launches: fewer where the block itself must change.
std::int64_t threads_to_launch(const Report& report) {
  for (const Change& change : report.remedies.changes) {
    if (report.remedies.together && change.input == Input::ThreadsPerBlock) {
      return change.to;
    }
  }
  return report.occupancy.threads_per_block;
}

std::string change_text(const Report& report, const Change& change) {
  const std::int64_t by = change.from - change.to;
  switch (change.input) {
    case Input::RegistersPerThread:
      return fmt::format("{} registers per thread or fewer (-{}; __launch_bounds__({}))", change.to, grouped(by),
                         threads_to_launch(report));
    case Input::SharedMemory:
      return fmt::format("{} B of shared memory or less (-{} B)", grouped(change.to), grouped(by));
    case Input::ThreadsPerBlock: return fmt::format("blocks of {} threads or fewer (-{})", change.to, grouped(by));
    case Input::Barriers: return fmt::format("{} barriers or fewer (-{})", change.to, by);
    case Input::Carveout: break;
  }
  return "";
}

// A dimension that is too large has a remedy of its own.
std::string dimension_line(const Report& report) {
  const Dim3 most = report.architecture->limits.max_block_dim;
  const Dim3 block = report.launch.block;
  const bool fits = block.x <= most.x && block.y <= most.y && block.z <= most.z;
  const bool is_flat = block.y == 1 && block.z == 1;  // then its threads are too many, and that is said
  return fits || is_flat
             ? ""
             : wrapped(fmt::format("To launch: dimensions of at most {} x {} x {}.", most.x, most.y, most.z), 2);
}

}  // namespace

std::string advice(const Report& report) {
  if (is_full(report)) {
    return wrapped("All warp slots are taken: no change of resources gains occupancy.");
  }
  const std::vector<std::string> nothing = changes_of_nothing(report);
  std::string text = capitalized(binding_phrase(told_limiters(report)));
  if (!nothing.empty()) {
    text += ": " + joined(nothing, "or") +
            (nothing.size() > 1                ? " alone changes nothing"
             : nothing[0] == "fewer registers" ? " change nothing"
                                               : " changes nothing");
  }
  std::string lines = wrapped(text + ".");
  if (report.joint_cliff) {
    lines += wrapped(joint_text(*report.joint_cliff));
  }
  for (const Input input : levers(report)) {
    lines += wrapped(lever(report, input));
  }
  return lines;
}

std::string remedy_lines(const Report& report) {
  const std::vector<Change>& changes = report.remedies.changes;
  std::string dimensions = dimension_line(report);
  if (changes.empty()) {
    return dimensions;
  }
  std::vector<std::string> texts;
  texts.reserve(changes.size());
  for (const Change& change : changes) {
    texts.push_back(change_text(report, change));
  }
  return dimensions + wrapped("To launch: " + joined(texts, report.remedies.together ? "and" : "or") + ".", 2);
}

}  // namespace occcalc::report
