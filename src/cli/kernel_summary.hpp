/// What a table says of all kernels together, below them.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>

#include "cli/configuration.hpp"
#include "cli/kernel_inputs.hpp"
#include "cli/kernel_rows.hpp"
#include "report/kernel_table.hpp"

namespace occcalc::cli {

/// All kernels of all inputs, where they are needed together: to sort them, for a table, against a gate.
struct HeldKernelRows {
  std::deque<FoundKernels> pieces{};  ///< what the rows point to
  EvaluatedKernels kernels{};
  std::int64_t superseded = 0;  ///< kernels that were left out for their linked form
  Unread unread{};
};

/// The architectures that were left out.
[[nodiscard]] std::set<std::string> others_of(const EvaluatedKernels& kernels, const Unread& unread);

/// `on`: the architecture of --on.
[[nodiscard]] report::KernelSummary summary_of(const HeldKernelRows& held, const std::optional<NamedArchitecture>& on);

}  // namespace occcalc::cli
