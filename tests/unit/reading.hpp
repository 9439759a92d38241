/// What the tests of the readers share.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "occcalc/readers.hpp"

namespace occcalc::test {

/// What a reader found.
struct Found {
  std::vector<KernelRecord> kernels{};
  std::vector<std::string> problems{};  ///< "line: what"
};

using Reader = void (*)(std::string_view text, const KernelSink& sink);

inline Found read_with(Reader reader, std::string_view text) {
  Found found;
  reader(text, {[&found](KernelRecord&& kernel) { found.kernels.push_back(std::move(kernel)); },
                [&found](std::int64_t line, const std::string& what) {
                  found.problems.push_back(std::to_string(line) + ": " + what);
                }});
  return found;
}

/// A file below tests/, such as "traces/kineto.json".
inline std::string sample_text(const std::string& name) {
  std::ifstream file(std::string(OCCCALC_TEST_FILES) + "/" + name, std::ios::binary);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline std::string repeated(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) {
    text += part;
  }
  return text;
}

}  // namespace occcalc::test
