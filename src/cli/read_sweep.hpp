/// The lists and ranges of the command line.
#pragma once

#include "cli/arguments.hpp"
#include "occcalc/sweep.hpp"

namespace occcalc::cli {

/// Reads every axis. `catalog` must outlive the sweep. Throws InputError.
[[nodiscard]] Sweep read_sweep(const Arguments& arguments, const ArchCatalog& catalog);

}  // namespace occcalc::cli
