/// Sweeps: options that hold several values.
#pragma once

#include "cli/arguments.hpp"
#include "cli/commands.hpp"

namespace occcalc::cli {

/// Some option holds a list, a range or `all`.
[[nodiscard]] bool is_sweep(const Arguments& arguments);

/// `occcalc [options]` with several configurations: streamed rows.
ExitStatus run_sweep(const Arguments& arguments);

}  // namespace occcalc::cli
