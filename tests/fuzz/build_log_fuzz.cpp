// Build logs: every kernel that is found is looked at.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "occcalc/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::int64_t last_line = 1;
  for (const char c : text) {
    last_line += c == '\n' ? 1 : 0;
  }
  const auto demand = [](bool holds) {
    if (!holds) {
      std::abort();
    }
  };
  occcalc::read_build_log(text, {[&](occcalc::KernelRecord&& kernel) {
                                   demand(kernel.line >= 1 && kernel.line <= last_line);
                                   demand(!kernel.kernel.empty() && kernel.kernel.size() <= text.size());
                                   demand(kernel.registers_per_thread.value_or(0) >= 0);
                                   demand(kernel.static_shared_memory.value_or(0) >= 0);
                                   demand(kernel.stack_frame.value_or(0) >= 0);
                                 },
                                 [&](std::int64_t line, const std::string& what) {
                                   demand(line >= 1 && line <= last_line);
                                   demand(!what.empty() && what.size() < 1000);
                                 }});
  return 0;
}
