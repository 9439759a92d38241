/// Identical kernels as one line of a table.
#pragma once

#include <deque>
#include <vector>

#include "report/report.hpp"

namespace occcalc::cli {

/// Kernels that no column of the table tells apart become one line, that of the first of them, which counts them.
/// `groups` holds what the lines of several kernels point to.
[[nodiscard]] std::vector<report::Row> grouped_rows(std::vector<report::Row> rows,
                                                    std::deque<report::FoundKernel>& groups);

}  // namespace occcalc::cli
