/// The lists and ranges of the command line.
#pragma once

#include "cli/arguments.hpp"
#include "occcalc/sweep.hpp"

namespace occcalc::cli {

/// Reads the axes that are given; of an architecture or a block that is not there is none. `catalog` must outlive the
/// sweep. Throws InputError.
[[nodiscard]] Sweep read_lists(const Arguments& arguments, const ArchCatalog& catalog);

/// The carveouts of --carveout on a part. Throws InputError.
void read_carveouts(const Arguments& arguments, SweepPart& part);

/// Reads every axis; --arch and --block must be given. `catalog` must outlive the sweep. Throws InputError.
[[nodiscard]] Sweep read_sweep(const Arguments& arguments, const ArchCatalog& catalog);

}  // namespace occcalc::cli
