/// The fields of a kernel: its own, then those of its configuration.
#pragma once

#include "report/rows.hpp"

namespace occcalc::report {

/// In the order of JSON and CSV. Their rows are of kernels: Row::kernel_found is set.
[[nodiscard]] const Fields& kernel_fields();

}  // namespace occcalc::report
