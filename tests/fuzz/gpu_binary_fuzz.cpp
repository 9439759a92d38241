// Any file that may hold GPU code: its images are found, and all that are not large are read.

#include <cstdint>
#include <string>
#include <utility>

#include "check_binary.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace occcalc;
  using test::demand;
  const std::string_view file = test::as_text(data, size);
  const auto check_problem = [](const std::string& what) { demand(what.find("at byte ") != std::string::npos); };
  const KernelSink kernels{[](KernelRecord&& kernel) { test::check_kernel(kernel); },
                           [&](std::int64_t line, const std::string& what) {
                             demand(line == 0);
                             check_problem(what);
                           }};
  static ImageReader reader;  // of one input after the other: nothing of the last one may be left
  const ImageSink images{[&](GpuImage&& image) {
                           test::check_image(image, file);
                           constexpr std::int64_t large = std::int64_t{1} << 20;
                           if (image.size <= large || image.size > large * large) {
                             reader.read(image, kernels);
                           }
                         },
                         check_problem, [](const std::string& /*name*/) {}};
  ImageFinder finder(file);
  std::int64_t position = 0;
  while (finder.advance(images)) {
    demand(finder.position() >= position && finder.position() <= static_cast<std::int64_t>(size));
    position = finder.position();
  }
  demand(finder.position() == static_cast<std::int64_t>(size));
  return 0;
}
