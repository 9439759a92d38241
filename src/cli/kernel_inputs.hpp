/// What `occcalc kernels` is pointed at: files, folders, standard input, found by content.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace occcalc::cli {

struct KernelInputs {
  std::deque<report::FoundKernel> kernels;  ///< in the order of the inputs; addresses stay
  std::int64_t problems = 0;                ///< said on standard error
};

/// Reads all inputs; `paths` may name folders, "-" is standard input. `tee` copies each input to standard error. What
/// is wrong with an input is said on standard error, and counted; the others are still read.
[[nodiscard]] KernelInputs read_kernel_inputs(const std::vector<std::string>& paths, bool tee);

}  // namespace occcalc::cli
