/// Payloads of fatbin entries, decompressed in memory that is used again.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "occcalc/gpu_binaries.hpp"

struct ZSTD_DCtx_s;

namespace occcalc::input {

class Decompressor {
 public:
  Decompressor();

  /// The image: the payload itself where it is not compressed, otherwise bytes that stay until the next call. Sizes are
  /// checked before memory is taken. Throws Malformed.
  [[nodiscard]] std::string_view image(const GpuImage& from);

 private:
  [[nodiscard]] char* room_for(std::size_t size);
  void zstd(std::string_view payload, char* to, std::size_t size);

  struct Free {
    void operator()(ZSTD_DCtx_s* context) const noexcept;
    void operator()(char* memory) const noexcept;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
  std::unique_ptr<char, Free> buffer_;
  std::size_t capacity_ = 0;
};

}  // namespace occcalc::input
