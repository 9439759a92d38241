/// Rows of the user's own: --from.
#pragma once

#include "cli/arguments.hpp"
#include "cli/commands.hpp"

namespace occcalc::cli {

/// `occcalc --from FILE [options]`: rows in, rows out.
ExitStatus run_given_rows(const Arguments& arguments);

}  // namespace occcalc::cli
