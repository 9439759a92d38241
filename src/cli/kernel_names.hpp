/// The names of kernels, each demangled and held once.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "report/report.hpp"

namespace occcalc::cli {

/// Libraries hold a kernel once for each architecture. Thread-safe.
class KernelNames {
 public:
  /// The names of a kernel, of which an input says one; bytes that are no UTF-8 are replaced, control
  /// characters written out.
  [[nodiscard]] std::shared_ptr<const report::KernelName> find(const std::string& kernel);

 private:
  // Threads seldom meet in the same part.
  struct Part {
    std::mutex mutex;
    std::unordered_map<std::string_view, std::shared_ptr<const report::KernelName>> names;
    std::size_t bytes = 0;
  };

  std::array<Part, 16> parts_;
};

}  // namespace occcalc::cli
