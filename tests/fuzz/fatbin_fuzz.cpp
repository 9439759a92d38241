// Lists of a fatbin's entries. Bytes that do not begin as one are taken for what is behind the begin.

#include <cstdint>
#include <string>

#include "check_binary.hpp"
#include "input/bytes.hpp"
#include "input/fatbin.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace occcalc;
  using test::demand;
  std::string file(test::as_text(data, size));
  if (!file.starts_with(input::fatbin_magic)) {
    file.insert(0, input::fatbin_magic);
  }
  const input::Fatbin fatbin = input::read_fatbin(input::Bytes(file));
  demand(fatbin.size <= file.size());
  demand(fatbin.size >= input::fatbin_header_size || fatbin.problem);
  std::int64_t end = input::fatbin_header_size;
  for (const GpuImage& image : fatbin.images) {
    test::check_image(image, file);
    demand(image.offset >= end);
    constexpr std::int64_t least_header = 64;
    end = image.offset + least_header + static_cast<std::int64_t>(image.payload.size());
  }
  demand(fatbin.images.empty() || end <= static_cast<std::int64_t>(fatbin.size));
  demand(!fatbin.problem || fatbin.problem->at() == fatbin.size);
  return 0;
}
