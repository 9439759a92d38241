/// Cubins: device code as ELF, a kernel's resources in sections of NVIDIA's own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "input/bytes.hpp"
#include "occcalc/readers.hpp"

namespace occcalc::input {

/// Reads one cubin after the other in the same memory.
class CubinReader {
 public:
  using KernelUse = std::function<void(KernelRecord&& kernel)>;
  using Complaint = std::function<void(const Malformed& problem)>;

  /// Calls `use` for each kernel, in the order of the symbol table. `arch` is what its container says ("sm_90a");
  /// empty: the cubin's own. `complain` is told of kernels that cannot be read; Malformed is thrown where none can.
  void read(std::string_view cubin, std::string_view arch, const KernelUse& use, const Complaint& complain);

 private:
  class Module;

  struct Kernel {
    std::string_view name{};
    std::uint32_t symbol = 0;
    std::uint32_t text_section = 0;
    std::uint32_t info_section = 0;  // 0: none
    std::int64_t registers = -1;     // -1: not found
    std::int64_t stack_frame = -1;
  };
  struct Named {
    std::string_view name{};
    std::uint32_t index = 0;
  };

  // Kept from cubin to cubin for their memory.
  std::vector<Kernel> kernels_;
  std::vector<std::uint32_t> kernel_of_symbol_;  // 1 + index into kernels_; 0: none
  std::vector<std::uint32_t> info_of_section_;   // by .text section
  std::vector<Named> shared_;                    // sections of shared memory, by what follows ".nv.shared."
  std::vector<Named> names_;                     // symbols of kernels
};

}  // namespace occcalc::input
