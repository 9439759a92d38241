/// Charts: of one configuration, and which axes of a sweep make one.
#pragma once

#include <vector>

#include "cli/arguments.hpp"
#include "cli/output.hpp"
#include "report/chart.hpp"

namespace occcalc::cli {

/// The three curves of a configuration, over the sizes of its block, its registers and its shared memory.
[[nodiscard]] report::Chart chart_of(const report::Row& row);

/// Whether a chart is asked for, on the terminal or as a file.
[[nodiscard]] bool draws(const Arguments& arguments, const Output& output);

/// Throws InputError where --plot stands beside what is no chart.
void check_plot(const Arguments& arguments, const Output& output);

/// The axes of a chart, in their order: those that vary. Throws InputError where they are more than a chart has, or the
/// rows too many.
[[nodiscard]] std::vector<report::Axis> chart_axes(const report::AxisSet& varying, double rows);

}  // namespace occcalc::cli
