// Compressed payloads: how they are compressed, 8 bytes of what they are said to hold, and the payload; or the bytes
// that are to be compressed, after which one byte may be changed.

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "check_binary.hpp"
#include "input/bytes.hpp"
#include "input/payload.hpp"

namespace {

using namespace occcalc;
using test::demand;

std::string compressed(const std::string& bytes, bool is_lz4) {
  const int size = static_cast<int>(bytes.size());
  std::string to(std::max(ZSTD_compressBound(bytes.size()), std::size_t(LZ4_compressBound(size))), '\0');
  to.resize(is_lz4 ? std::size_t(LZ4_compress_default(bytes.data(), to.data(), size, static_cast<int>(to.size())))
                   : ZSTD_compress(to.data(), to.size(), bytes.data(), bytes.size(), 1));
  return to;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t head = 9;
  if (size <= head) {
    return 0;
  }
  const bool is_lz4 = (data[0] & 1U) != 0;
  const bool is_plain = (data[0] & 2U) != 0;
  const bool is_damaged = (data[0] & 4U) != 0;
  const std::uint64_t number = input::Bytes(test::as_text(data, size)).u64(1, "a size");
  const std::string_view given = test::as_text(data + head, size - head);
  std::string payload(given);
  GpuImage image;
  image.compression = is_lz4 ? GpuImage::Compression::Lz4 : GpuImage::Compression::Zstd;
  constexpr std::uint64_t most = std::uint64_t{1} << 20;  // a run stays fast; those above 1,024 times that are refused
  image.size = static_cast<std::int64_t>(is_plain ? payload.size() : number <= 1024 * most ? number % most : number);
  payload = is_plain ? compressed(payload, is_lz4) : payload;
  if (is_damaged) {
    payload[number % payload.size()] = static_cast<char>(number >> 56U);
  }
  image.payload = payload;
  static input::Decompressor decompressor;  // of one payload after the other
  try {
    const std::string_view bytes = decompressor.image(image);
    demand(bytes.size() == static_cast<std::size_t>(image.size) &&
           std::count(bytes.begin(), bytes.end(), '\0') <= image.size);
    demand(!is_plain || is_damaged || bytes == given);
  } catch (const input::Malformed&) {
    demand(!is_plain || is_damaged);
  }
  return 0;
}
