#include "input/payload.hpp"

#include <lz4.h>
#include <sys/mman.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include "input/bytes.hpp"

namespace occcalc::input {

namespace {

// The largest image in the libraries of CUDA 13.0 has 134 MB.
constexpr std::int64_t most_bytes = std::int64_t{1} << 30;
// As the formats allow: a byte of LZ4 stands for 255 at most, and zstd's blocks of 128 KiB have 4 bytes at least. A
// table that is mostly zeros comes near to either.
constexpr std::int64_t most_ratio_lz4 = 255;
constexpr std::int64_t most_ratio_zstd = 32768;

void check_size(const GpuImage& from) {
  if (from.size <= 0 || from.size > most_bytes) {
    throw Malformed(0, "would decompress to " + std::to_string(from.size) + " bytes; 1 to " +
                           std::to_string(most_bytes) + " are read");
  }
  const auto compressed = static_cast<std::int64_t>(from.payload.size());
  const bool is_lz4 = from.compression == GpuImage::Compression::Lz4;
  const std::int64_t ratio = is_lz4 ? most_ratio_lz4 : most_ratio_zstd;
  if (from.size / ratio > compressed) {
    throw Malformed(0, "would decompress from " + std::to_string(compressed) + " to " + std::to_string(from.size) +
                           " bytes, more than " + std::to_string(ratio) + ":1");
  }
}

void lz4(std::string_view payload, char* to, std::size_t size) {
  constexpr std::size_t most = std::numeric_limits<int>::max();
  if (payload.size() > most || LZ4_decompress_safe(payload.data(), to, static_cast<int>(payload.size()),
                                                   static_cast<int>(size)) != static_cast<int>(size)) {
    throw Malformed(0, "is no LZ4 block of " + std::to_string(size) + " bytes");
  }
}

// Exactly one frame, which says the same size.
void check_frame(std::string_view payload, std::size_t size) {
  if (ZSTD_getFrameContentSize(payload.data(), payload.size()) != size ||
      ZSTD_findFrameCompressedSize(payload.data(), payload.size()) != payload.size()) {
    throw Malformed(0, "is no zstd frame of " + std::to_string(size) + " bytes");
  }
}

}  // namespace

void Decompressor::Free::operator()(ZSTD_DCtx_s* context) const noexcept { ZSTD_freeDCtx(context); }

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
  if (from.compression == GpuImage::Compression::Lz4) {
    lz4(from.payload, room_for(size), size);
  } else {
    check_frame(from.payload, size);
    zstd(from.payload, room_for(size), size);
  }
  return {pages_.data(), size};
}

char* Decompressor::room_for(std::size_t size) {
  if (size > pages_.size()) {
    const std::size_t grown = std::min(2 * pages_.size(), std::size_t{most_bytes});  // unused pages cost nothing
    pages_.release();  // before the larger ones: memory holds one of them
    if (!pages_.take(std::max(size, grown)) && !pages_.take(size)) {
      throw Malformed(0, "needs " + std::to_string(size) + " bytes of memory, more than there is");
    }
  }
  return pages_.data();
}

// Huge ones where the system has them: images are written all over, and each page costs a fault.
bool Decompressor::Pages::take(std::size_t size) noexcept {
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return false;
  }
  memory_ = memory;
  size_ = size;
#ifdef MADV_HUGEPAGE
  static_cast<void>(::madvise(memory_, size_, MADV_HUGEPAGE));
#endif
  return true;
}

void Decompressor::Pages::release() noexcept {
  if (memory_ != nullptr) {
    ::munmap(memory_, size_);
  }
  memory_ = nullptr;
  size_ = 0;
}

void Decompressor::zstd(std::string_view payload, char* to, std::size_t size) {
  const std::size_t done = ZSTD_decompressDCtx(context_.get(), to, size, payload.data(), payload.size());
  if (ZSTD_isError(done) != 0 || done != size) {
    throw Malformed(0, "is a damaged zstd frame" +
                           (ZSTD_isError(done) != 0 ? ": " + std::string(ZSTD_getErrorName(done)) : std::string()));
  }
}

}  // namespace occcalc::input
