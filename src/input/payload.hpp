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

  // Whole pages, which go back to the system at once: heaps keep what they are given back.
  class Pages {
   public:
    Pages() = default;
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    Pages(Pages&&) = delete;
    Pages& operator=(Pages&&) = delete;
    ~Pages() { release(); }

    /// False if there is not so much.
    [[nodiscard]] bool take(std::size_t size) noexcept;
    void release() noexcept;
    [[nodiscard]] char* data() const noexcept { return static_cast<char*>(memory_); }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

   private:
    void* memory_ = nullptr;
    std::size_t size_ = 0;
  };
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const noexcept;
  };

  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
  Pages pages_;
};

}  // namespace occcalc::input
