/// The fields of a GPU product.
#pragma once

#include "report/rows.hpp"

namespace occcalc::report {

/// In the order of JSON and CSV. Their rows are of products: Row::gpu is set.
[[nodiscard]] const Fields& gpu_fields();

}  // namespace occcalc::report
