// Cubins, as they stand and as the entry of a fatbin says what they are for.

#include <cstdint>
#include <string>
#include <vector>

#include "check_binary.hpp"
#include "input/bytes.hpp"
#include "input/cubin.hpp"

namespace {

using namespace occcalc;
using test::demand;

struct Read {
  std::vector<KernelRecord> kernels{};
  int problems = 0;
};

Read read(std::string_view cubin, const std::string& arch) {
  static input::CubinReader reader;  // of one input after the other
  Read found;
  try {
    reader.read(
        cubin, arch, [&found](KernelRecord&& kernel) { found.kernels.push_back(std::move(kernel)); },
        [&found](const input::Malformed& problem) {
          demand(std::string_view(problem.what()).starts_with("kernel '"));
          ++found.problems;
        });
  } catch (const input::Malformed& problem) {
    demand(found.kernels.empty() && found.problems == 0 && !std::string_view(problem.what()).empty());
    ++found.problems;
  }
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view cubin = test::as_text(data, size);
  const Read found = read(cubin, "");
  for (const KernelRecord& kernel : found.kernels) {
    test::check_kernel(kernel);
  }
  if (!found.kernels.empty()) {
    const Read again = read(cubin, found.kernels.front().arch);
    demand(again.kernels.size() == found.kernels.size() && again.problems == found.problems);
    demand(read(cubin, "sm_256").kernels.empty());  // which no header says
  }
  return 0;
}
