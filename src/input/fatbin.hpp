/// Fatbins: a list of entries, each an image for one architecture.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "input/bytes.hpp"
#include "occcalc/gpu_binaries.hpp"

namespace occcalc::input {

/// Magic, version 1, header of 16 bytes. The magic alone also occurs as a number in code.
inline constexpr std::string_view fatbin_magic = std::string_view("\x50\xed\x55\xba\x01\x00\x10\x00", 8);
inline constexpr std::uint64_t fatbin_header_size = 16;

/// What is at a fatbin's begin.
struct Fatbin {
  std::vector<GpuImage> images{};                   ///< without member; offsets from the begin of the fatbin
  std::uint64_t size = 0;                           ///< bytes, header included, up to what is malformed
  std::optional<Malformed> problem = std::nullopt;  ///< why there are no more
};

/// Reads the list. `bytes` begins with fatbin_magic, and more may follow. Entries before what is malformed are kept.
[[nodiscard]] Fatbin read_fatbin(Bytes bytes);

}  // namespace occcalc::input
