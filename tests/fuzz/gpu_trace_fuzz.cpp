// Traces of Nsight Systems and nvprof. Lines are those of the input.

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "occcalc/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::int64_t lines = 1 + std::count(text.begin(), text.end(), '\n');
  const auto check = [lines](std::int64_t line) {
    if (line < 1 || line > lines) {
      std::abort();
    }
  };
  const occcalc::KernelSink sink{[&check](occcalc::KernelRecord&& kernel) { check(kernel.line); },
                                 [&check](std::int64_t line, const std::string& what) {
                                   check(line);
                                   if (what.empty()) {
                                     std::abort();
                                   }
                                 }};
  occcalc::read_gpu_trace(text, sink);
  return 0;
}
