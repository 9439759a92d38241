#include "input/payload.hpp"

#include <lz4.h>
#include <sys/mman.h>
#include <zstd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>

#include "input/bytes.hpp"

namespace occcalc::input {

namespace {

// The largest image in the libraries of CUDA 13.0 has 134 MB.
constexpr std::int64_t most_bytes = std::int64_t{1} << 30;
// LZ4 cannot do more than 255:1; the most that zstd does in those libraries is 134:1.
constexpr std::int64_t most_ratio_lz4 = 255;
constexpr std::int64_t most_ratio_zstd = 2048;

void check_size(const GpuImage& from) {
  if (from.size <= 0 || from.size > most_bytes) {
    throw Malformed(0, "would decompress to " + std::to_string(from.size) + " bytes; 1 to " +
                           std::to_string(most_bytes) + " are read");
  }
  const auto compressed = static_cast<std::int64_t>(from.payload.size());
  const bool is_lz4 = from.compression == GpuImage::Compression::Lz4;
  const std::int64_t ratio = is_lz4 ? most_ratio_lz4 : most_ratio_zstd;
  constexpr std::int64_t slack = 1 << 16;  // of the smallest
  if (from.size / ratio > compressed && from.size > slack) {
    throw Malformed(0, "would decompress from " + std::to_string(compressed) + " to " + std::to_string(from.size) +
                           " bytes, more than " + std::to_string(ratio) + ":1");
  }
}

// In huge pages where the system has them: images are written all over, and each page costs a fault.
char* allocate(std::size_t size) {
  constexpr std::size_t page = std::size_t{1} << 21;
  const std::size_t pages = (size + page - 1) / page;
  void* const memory = std::aligned_alloc(page, pages * page);
  if (memory == nullptr) {
    throw Malformed(0, "needs " + std::to_string(size) + " bytes of memory, more than there is");
  }
#ifdef MADV_HUGEPAGE
  static_cast<void>(::madvise(memory, size / page * page, MADV_HUGEPAGE));  // not of the last: it may be hardly used
#endif
  return static_cast<char*>(memory);
}

void lz4(std::string_view payload, char* to, std::size_t size) {
  constexpr std::size_t most = std::numeric_limits<int>::max();
  if (payload.size() > most || LZ4_decompress_safe(payload.data(), to, static_cast<int>(payload.size()),
                                                   static_cast<int>(size)) != static_cast<int>(size)) {
    throw Malformed(0, "is no LZ4 block of " + std::to_string(size) + " bytes");
  }
}

}  // namespace

void Decompressor::Free::operator()(ZSTD_DCtx_s* context) const noexcept { ZSTD_freeDCtx(context); }

void Decompressor::Free::operator()(char* memory) const noexcept { std::free(memory); }

Decompressor::Decompressor() : context_(ZSTD_createDCtx()) {
  if (!context_) {
    throw std::bad_alloc();
  }
}

std::string_view Decompressor::image(const GpuImage& from) {
  if (from.compression == GpuImage::Compression::None) {
    return from.payload;
  }
  check_size(from);
  const auto size = static_cast<std::size_t>(from.size);
  char* const to = room_for(size);
  if (from.compression == GpuImage::Compression::Lz4) {
    lz4(from.payload, to, size);
  } else {
    zstd(from.payload, to, size);
  }
  return {to, size};
}

char* Decompressor::room_for(std::size_t size) {
  if (size > capacity_) {
    const std::size_t grown = std::min(2 * capacity_, std::size_t{most_bytes});  // pages that are not used cost nothing
    buffer_.reset();  // before the larger one: memory holds one of them
    capacity_ = 0;
    const std::size_t capacity = std::max(size, grown);
    buffer_.reset(allocate(capacity));
    capacity_ = capacity;
  }
  return buffer_.get();
}

// Exactly one frame, which says the same size.
void Decompressor::zstd(std::string_view payload, char* to, std::size_t size) {
  if (ZSTD_getFrameContentSize(payload.data(), payload.size()) != size ||
      ZSTD_findFrameCompressedSize(payload.data(), payload.size()) != payload.size()) {
    throw Malformed(0, "is no zstd frame of " + std::to_string(size) + " bytes");
  }
  const std::size_t done = ZSTD_decompressDCtx(context_.get(), to, size, payload.data(), payload.size());
  if (ZSTD_isError(done) != 0 || done != size) {
    throw Malformed(0, "is a damaged zstd frame" +
                           (ZSTD_isError(done) != 0 ? ": " + std::string(ZSTD_getErrorName(done)) : std::string()));
  }
}

}  // namespace occcalc::input
