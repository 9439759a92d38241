/// What `occcalc kernels` is pointed at: files, folders, standard input, found by content.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/chunks.hpp"
#include "report/report.hpp"

namespace occcalc::cli {

using FoundKernels = std::vector<report::FoundKernel>;

/// What of binaries was left unread.
struct Unread {
  std::set<std::string> archs{};  ///< architectures that were not asked for
  std::int64_t lto_ir = 0;        ///< entries that hold no kernel before the link
  std::int64_t unknown = 0;       ///< entries of kinds that nobody here knows
};

/// Reads inputs in pieces, on several threads.
class KernelInputs {
 public:
  struct Options {
    bool tee = false;  ///< copies each input to standard error
    bool ptx = false;  ///< reads PTX also where there is a cubin
    /// Whether code for "sm_90a" is asked for; what is not is not even decompressed.
    std::function<bool(const std::string& arch)> selects_arch;
  };
  /// Takes the kernels of one piece, in their order; what it cannot do with them goes to the chunk. Thread-safe.
  using Use = std::function<void(FoundKernels kernels, Chunk& chunk)>;

  /// `paths` may name folders; "-" is standard input.
  KernelInputs(std::vector<std::string> paths, Options options);
  KernelInputs(const KernelInputs&) = delete;
  KernelInputs& operator=(const KernelInputs&) = delete;
  KernelInputs(KernelInputs&&) = delete;
  KernelInputs& operator=(KernelInputs&&) = delete;
  ~KernelInputs();

  /// Reads all inputs. What is wrong with one stands in its chunk's errors; the others are still read.
  [[nodiscard]] TaskSource tasks(Use use);
  /// Bytes of all inputs that are files; 0 where there is another.
  [[nodiscard]] std::int64_t bytes() const;
  /// Once all tasks are done: gives back the memory that only reading took.
  void end();
  /// Once all tasks are done.
  [[nodiscard]] const Unread& unread() const;

 private:
  class Reading;
  std::unique_ptr<Reading> reading_;
};

}  // namespace occcalc::cli
