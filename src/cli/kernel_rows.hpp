/// Kernels that were found, as rows: which architecture, which block, which memory, and the answer.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/configuration.hpp"
#include "cli/kernel_inputs.hpp"

namespace occcalc::cli {

struct EvaluatedKernels {
  std::vector<report::Row> rows{};                ///< those that the filters select
  std::set<std::string> other_archs{};            ///< that --arch left out
  std::map<std::string, std::int64_t> unnamed{};  ///< by file: kernels without an architecture, which have no answer
  /// By file and name: architectures that nobody knows, and the first line that names each; 0 where there are no lines.
  std::map<std::pair<std::string, std::string>, std::int64_t> unknown_archs{};

  /// Adds those of a later piece.
  void add(EvaluatedKernels&& later);
};

/// Reads the options first, so that what is wrong with them is said before an input is read.
class KernelEvaluator {
 public:
  /// `arguments` and `catalog` must outlive it. Throws InputError.
  KernelEvaluator(const Arguments& arguments, const ArchCatalog& catalog);
  KernelEvaluator(const KernelEvaluator&) = delete;
  KernelEvaluator& operator=(const KernelEvaluator&) = delete;
  KernelEvaluator(KernelEvaluator&&) = delete;
  KernelEvaluator& operator=(KernelEvaluator&&) = delete;
  ~KernelEvaluator();

  /// Whether kernels for this architecture are asked for.
  [[nodiscard]] bool selects_arch(const std::string& arch) const;
  /// The architecture of --on.
  [[nodiscard]] const std::optional<NamedArchitecture>& on() const;

  /// Evaluates kernels, which get what was decided of them and must outlive the rows. Throws InputError for a carveout
  /// that a part does not have. Thread-safe.
  [[nodiscard]] EvaluatedKernels evaluate(FoundKernels& kernels) const;

 private:
  class Rules;
  std::unique_ptr<Rules> rules_;
};

}  // namespace occcalc::cli
