/// Kernels that were found, as rows: which architecture, which block, which memory, and the answer.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/configuration.hpp"
#include "cli/kernel_inputs.hpp"

namespace occcalc::cli {

struct EvaluatedKernels {
  std::vector<report::Row> rows{};        ///< those that the filters select
  std::optional<NamedArchitecture> on{};  ///< of --on
  std::set<std::string> other_archs{};    ///< that --arch left out
  std::int64_t unnamed = 0;               ///< kernels without an architecture: they have no answer
  std::set<std::string> unknown_archs{};  ///< that the inputs name
};

/// Evaluates the kernels of `inputs`, which get what was decided of them. `inputs` must outlive the rows. Throws
/// InputError for options that mean nothing.
[[nodiscard]] EvaluatedKernels evaluate_kernels(const Arguments& arguments, const ArchCatalog& catalog,
                                                KernelInputs& inputs);

}  // namespace occcalc::cli
