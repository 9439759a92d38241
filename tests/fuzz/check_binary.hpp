/// What readers of binaries must keep to, whatever they read.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "occcalc/gpu_binaries.hpp"

namespace occcalc::test {

inline void demand(bool holds) {
  if (!holds) {
    std::abort();
  }
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline bool lies_within(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

inline void check_image(const GpuImage& image, std::string_view file) {
  demand(lies_within(image.payload, file));
  demand(image.offset >= 0 && image.offset <= static_cast<std::int64_t>(file.size()));
  demand(image.size >= 0);
  demand(image.compression != GpuImage::Compression::None ||
         image.size == static_cast<std::int64_t>(image.payload.size()));
  demand(image.arch.empty() || image.arch.starts_with("sm_"));
}

inline void check_kernel(const KernelRecord& kernel) {
  demand(!kernel.kernel.empty() && kernel.line == 0);
  if (kernel.is_ptx) {
    return;
  }
  demand(kernel.arch.starts_with("sm_") && kernel.linked.has_value());
  const int registers = kernel.registers_per_thread.value_or(0);
  demand(registers >= 1 && registers <= 255);
  demand(kernel.static_shared_memory.value_or(-1) >= 0);
  demand(kernel.barriers.value_or(-1) >= 0);
  demand(kernel.stack_frame.value_or(0) >= 0 && kernel.spill_instructions.value_or(0) >= 0);
  demand(kernel.max_threads_per_block.value_or(1) >= 1);
  demand(thread_count(kernel.required_block.value_or(Dim3{1, 1, 1})) >= 1);
  demand(thread_count(kernel.cluster.value_or(Dim3{1, 1, 1})) >= 1);
}

}  // namespace occcalc::test
