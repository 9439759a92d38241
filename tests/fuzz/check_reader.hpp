/// What every reader of kernels must keep to, whatever it reads: the lines it names are lines of the input, and a
/// problem has words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "occcalc/readers.hpp"

namespace occcalc::test {

inline void check_reader(void (*reader)(std::string_view text, const KernelSink& sink), const std::uint8_t* data,
                         std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::int64_t lines = 1 + std::count(text.begin(), text.end(), '\n');
  const auto check = [lines](std::int64_t line) {
    if (line < 1 || line > lines) {
      std::abort();
    }
  };
  const KernelSink sink{[&check](KernelRecord&& kernel) { check(kernel.line); },
                        [&check](std::int64_t line, const std::string& what) {
                          check(line);
                          if (what.empty()) {
                            std::abort();
                          }
                        }};
  reader(text, sink);
}

}  // namespace occcalc::test
