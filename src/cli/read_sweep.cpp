#include "cli/read_sweep.hpp"

#include <algorithm>
#include <climits>

#include "cli/configuration.hpp"
#include "input/lists.hpp"
#include "input/text.hpp"
#include "input/values.hpp"
#include "occcalc/error.hpp"

namespace occcalc::cli {

namespace {

NumberList one(std::int64_t value) {
  NumberList list;
  list.add(value);
  return list;
}

NumberList read_counts(const Arguments& arguments, const std::string& option, std::string_view what, int most) {
  return input::read_numbers(option, arguments.values(option), 1, [&](std::string_view text) {
    return std::int64_t{input::read_count(option, text, what, 0, most)};
  });
}

NumberList read_sizes(const Arguments& arguments, const std::string& option) {
  constexpr std::int64_t kilobyte = 1024;
  return input::read_numbers(option, arguments.values(option), kilobyte,
                             [&](std::string_view text) { return input::read_size(option, text); });
}

void read_memory(const Arguments& arguments, Sweep& sweep) {
  const std::string dynamic = dynamic_memory_option(arguments);
  sweep.static_memory = arguments.has("--smem-static") ? read_sizes(arguments, "--smem-static") : one(0);
  sweep.dynamic_memory = arguments.has(dynamic) ? read_sizes(arguments, dynamic) : one(0);
}

// `all` is every real part; the textbook's SM is none.
void add_all_parts(const ArchCatalog& catalog, Sweep& sweep) {
  for (const Architecture& architecture : catalog.architectures()) {
    if (architecture.name != "textbook") {
      sweep.parts.push_back({&architecture, std::string(architecture.name)});
    }
  }
}

void read_parts(const Arguments& arguments, const ArchCatalog& catalog, Sweep& sweep) {
  for (const std::string& item : input::split_items("--arch", arguments.values("--arch"))) {
    if (input::equal_ignoring_case(item, "all")) {
      add_all_parts(catalog, sweep);
    } else {
      NamedArchitecture named = find_named(catalog, "--arch", item);
      sweep.parts.push_back({named.architecture, std::move(named.name)});
    }
    const std::string& last = sweep.parts.back().name;
    if (std::count_if(sweep.parts.begin(), sweep.parts.end(),
                      [&](const SweepPart& part) { return part.name == last; }) > 1) {
      throw InputError("--arch", "'" + last + "' stands twice; name each once");
    }
  }
}

void read_carveouts(const Arguments& arguments, SweepPart& part) {
  const std::vector<std::string> texts = arguments.values("--carveout");
  if (texts.empty()) {
    part.carveouts.push_back({});
    return;
  }
  for (const std::string& item : input::split_items("--carveout", texts)) {
    if (input::equal_ignoring_case(item, "all")) {
      for (const std::int64_t size : part.architecture->limits.carveouts) {
        part.carveouts.push_back(Carveout::bytes(size));
      }
      continue;
    }
    const Carveout carveout = input::read_carveout("--carveout", item, *part.architecture);
    if (std::find(part.carveouts.begin(), part.carveouts.end(), carveout) != part.carveouts.end()) {
      throw InputError("--carveout", "'" + item + "' stands twice; name each once");
    }
    part.carveouts.push_back(carveout);
  }
}

}  // namespace

Sweep read_sweep(const Arguments& arguments, const ArchCatalog& catalog) {
  require_given(arguments, false);
  Sweep sweep;
  read_parts(arguments, catalog, sweep);
  input::read_blocks("--block", arguments.values("--block"), sweep);
  if (arguments.has("--regs")) {
    sweep.registers = read_counts(arguments, "--regs", "registers per thread", INT_MAX);
  }
  read_memory(arguments, sweep);
  constexpr int most_barriers = 16;
  sweep.barriers =
      arguments.has("--barriers") ? read_counts(arguments, "--barriers", "barriers", most_barriers) : one(1);
  for (SweepPart& part : sweep.parts) {
    read_carveouts(arguments, part);
  }
  read_constants(arguments, sweep.kernel, sweep.launch);
  return sweep;
}

}  // namespace occcalc::cli
