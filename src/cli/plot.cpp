#include "cli/plot.hpp"

#include <algorithm>

#include "occcalc/error.hpp"
#include "occcalc/occupancy_table.hpp"
#include "occcalc/sweep.hpp"
#include "report/numbers.hpp"

namespace occcalc::cli {

namespace {

using report::Axis;
using report::Panel;
using report::Row;

// A sweep of the configuration's own values, of which one becomes a list.
Sweep sweep_of(const Row& row) {
  Sweep sweep;
  sweep.parts = {{row.architecture, row.arch, {row.launch.carveout}}};
  sweep.shapes = {row.launch.block};
  sweep.threads = NumberList(-1);
  if (row.kernel.registers_per_thread) {
    sweep.registers = NumberList(*row.kernel.registers_per_thread);
  }
  sweep.static_memory = NumberList(row.kernel.static_shared_memory);
  sweep.dynamic_memory = NumberList(row.launch.dynamic_shared_memory);
  sweep.barriers = NumberList(row.kernel.barriers);
  sweep.kernel = row.kernel;
  sweep.launch = row.launch;
  return sweep;
}

std::vector<Row> rows_of(const Sweep& sweep) {
  const SweepRows numbers(sweep);
  const SweepPart& part = sweep.parts.front();
  const OccupancyTable table(part.architecture->limits);
  std::vector<Row> rows;
  SweepRows::Walker walker = numbers.from(0);
  for (std::int64_t i = 0; i < *numbers.size(); ++i, walker.next()) {
    Row& row = rows.emplace_back();
    row.arch = part.name;
    row.architecture = part.architecture;
    row.kernel = walker.row().kernel;
    row.launch = walker.row().launch;
    row.occupancy = table.compute(row.kernel, row.launch);
  }
  return rows;
}

NumberList range(std::int64_t first, std::int64_t last, std::int64_t step) {
  NumberList list;
  list.add(first, std::max(first, last), step);
  return list;
}

Panel curve(const Sweep& sweep, Axis axis, const Row& at_hand, std::optional<std::int64_t> x) {
  const std::vector<Row> rows = rows_of(sweep);
  Panel panel = report::panel_of(rows, {&axis, 1});
  if (x) {
    report::mark_current(panel, at_hand, *x);
  }
  return panel;
}

Panel block_curve(const Row& row) {
  Sweep sweep = sweep_of(row);
  sweep.threads = range(warp_size, row.architecture->limits.max_threads_per_block, warp_size);
  return curve(sweep, Axis::Block, row, row.occupancy.threads_per_block);
}

Panel register_curve(const Row& row) {
  Sweep sweep = sweep_of(row);
  sweep.registers = range(1, row.architecture->limits.max_registers_per_thread, 1);
  const auto& registers = row.kernel.registers_per_thread;
  return curve(sweep, Axis::Registers, row, registers ? std::optional(std::int64_t{*registers}) : std::nullopt);
}

// What is static stays; the dynamic part grows, a granule at a time.
Panel memory_curve(const Row& row) {
  const SmLimits& sm = row.architecture->limits;
  const std::int64_t most = row.launch.opt_in ? sm.max_shared_memory_per_block_optin : sm.max_shared_memory_per_block;
  const std::int64_t others = shared_memory_bytes(row.kernel, row.launch) - row.launch.dynamic_shared_memory;
  Sweep sweep = sweep_of(row);
  sweep.dynamic_memory = range(0, most - others, sm.shared_memory_allocation_unit);
  return curve(sweep, Axis::DynamicMemory, row, dynamic_bytes(row.launch));
}

std::string title_of(const Row& row) {
  std::string text = row.arch + ", blocks of " + report::block_text(row.launch.block) + " threads, ";
  text += row.kernel.registers_per_thread ? report::grouped(*row.kernel.registers_per_thread) + " registers"
                                          : "registers not given";
  return text + ", " + report::grouped(shared_memory_bytes(row.kernel, row.launch)) + " B shared memory, carveout " +
         report::kilobytes(row.occupancy.shared_memory_per_sm);
}

}  // namespace

report::Chart chart_of(const Row& row) {
  return {title_of(row), {block_curve(row), register_curve(row), memory_curve(row)}};
}

bool draws(const Arguments& arguments, const Output& output) {
  return arguments.has("--plot") || output.format == Format::Svg;
}

void check_plot(const Arguments& arguments, const Output& output) {
  if (!draws(arguments, output)) {
    return;
  }
  const std::string where = output.format == Format::Svg ? "--format svg" : "--plot";
  if (arguments.has("--from")) {
    throw InputError(where, "draws one configuration or a sweep, not the rows of a file");
  }
  if (arguments.has("--plot") && output.format != Format::Table && output.format != Format::Svg) {
    throw InputError("--plot",
                     "draws in the terminal, not in the format that --json, --csv, --get or --format asks for; a "
                     "file is drawn by --format svg -o FILE");
  }
  if (!output.columns.empty()) {
    throw InputError(where, "draws no columns; leave --columns out");
  }
  for (const std::string_view option : {"--sort", "--top"}) {
    if (arguments.has(option)) {
      throw InputError(std::string(option), "has no meaning for a chart, whose axes have an order of their own");
    }
  }
}

std::vector<Axis> chart_axes(const report::AxisSet& varying, double rows) {
  constexpr double most_rows = 100'000;
  if (rows > most_rows) {
    throw InputError("--plot", "draws up to 100,000 rows; this sweep has " +
                                   report::grouped(static_cast<std::int64_t>(rows)) + ": give its ranges larger steps");
  }
  std::vector<Axis> axes;
  for (std::size_t axis = 0; axis < report::axis_count; ++axis) {
    if (varying[axis]) {
      axes.push_back(static_cast<Axis>(axis));
    }
  }
  constexpr std::size_t most_axes = 2;
  if (axes.size() > most_axes) {
    throw InputError("--plot", "draws one or two options that hold several values; " + std::to_string(axes.size()) +
                                   " do here: give some of them one value");
  }
  return axes.empty() ? std::vector{Axis::Block} : axes;
}

}  // namespace occcalc::cli
