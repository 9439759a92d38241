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
  sweep.static_memory = arguments.has("--smem-static") ? read_sizes(arguments, "--smem-static") : NumberList(0);
  sweep.dynamic_memory = arguments.has(dynamic) ? read_sizes(arguments, dynamic) : NumberList(0);
}

// Of --gpu several may have the same architecture.
void add_part(const Architecture& architecture, std::string name, bool once, Sweep& sweep) {
  for (const SweepPart& part : sweep.parts) {
    if (once && part.name == name) {
      throw InputError("--arch", "'" + name + "' stands twice; name each once");
    }
  }
  sweep.parts.push_back({&architecture, std::move(name)});
}

void read_parts(const Arguments& arguments, const ArchCatalog& catalog, Sweep& sweep) {
  const bool once = !arguments.has("--gpu");
  for (const std::string& item : input::split_items("--arch", arguments.values("--arch"))) {
    if (!input::equal_ignoring_case(item, "all")) {
      NamedArchitecture named = find_named(catalog, "--arch", item);
      add_part(*named.architecture, std::move(named.name), once, sweep);
      continue;
    }
    for (const Architecture& architecture : catalog.architectures()) {
      if (architecture.name != "textbook") {  // whose SM is that of no real part
        add_part(architecture, std::string(architecture.name), once, sweep);
      }
    }
  }
}

void add_carveout(const Carveout& carveout, const std::string& item, SweepPart& part) {
  if (std::find(part.carveouts.begin(), part.carveouts.end(), carveout) != part.carveouts.end()) {
    throw InputError("--carveout", "'" + item + "' stands twice; name each once");
  }
  part.carveouts.push_back(carveout);
}

}  // namespace

void read_carveouts(const Arguments& arguments, SweepPart& part) {
  part.carveouts.clear();
  const std::vector<std::string> texts = arguments.values("--carveout");
  if (texts.empty()) {
    part.carveouts.push_back({});
    return;
  }
  for (const std::string& item : input::split_items("--carveout", texts)) {
    if (input::equal_ignoring_case(item, "all")) {
      for (const std::int64_t size : part.architecture->limits.carveouts) {
        add_carveout(Carveout::bytes(size), std::to_string(size), part);
      }
      continue;
    }
    if (item.find(':') != std::string::npos) {
      throw InputError("--carveout", "'" + item + "' is a range; name the sizes one by one, or write all");
    }
    add_carveout(input::read_carveout("--carveout", item, *part.architecture), item, part);
  }
}

Sweep read_lists(const Arguments& arguments, const ArchCatalog& catalog) {
  Sweep sweep;
  if (arguments.has("--arch")) {
    read_parts(arguments, catalog, sweep);
  }
  if (arguments.has("--block")) {
    input::read_blocks("--block", arguments.values("--block"), sweep);
  }
  if (arguments.has("--regs")) {
    sweep.registers = read_counts(arguments, "--regs", "registers per thread", INT_MAX);
  }
  read_memory(arguments, sweep);
  constexpr int most_barriers = 16;
  sweep.barriers =
      arguments.has("--barriers") ? read_counts(arguments, "--barriers", "barriers", most_barriers) : NumberList(1);
  for (SweepPart& part : sweep.parts) {
    read_carveouts(arguments, part);
  }
  read_constants(arguments, sweep.kernel, sweep.launch);
  return sweep;
}

Sweep read_sweep(const Arguments& arguments, const ArchCatalog& catalog) {
  require_given(arguments, false);
  return read_lists(arguments, catalog);
}

}  // namespace occcalc::cli
