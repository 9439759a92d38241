/// Reads of bytes that nobody vouches for: offsets, sizes and counts are checked, by subtraction, before they are used.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace occcalc::input {

/// What is wrong with bytes, and where.
class Malformed : public std::runtime_error {
 public:
  Malformed(std::uint64_t at, const std::string& what) : std::runtime_error(what), at_(at) {}
  [[nodiscard]] std::uint64_t at() const noexcept { return at_; }  ///< bytes from the begin of what was read

 private:
  std::uint64_t at_;
};

/// The bytes of a file, or a part of it, little-endian. Reads behind the end throw Malformed; each names what was read.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] std::uint64_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] std::string_view view() const noexcept { return bytes_; }

  [[nodiscard]] bool holds(std::uint64_t at, std::uint64_t size) const noexcept {
    return at <= bytes_.size() && size <= bytes_.size() - at;
  }

  [[nodiscard]] std::uint8_t u8(std::uint64_t at, const char* what) const { return read<std::uint8_t>(at, what); }
  [[nodiscard]] std::uint16_t u16(std::uint64_t at, const char* what) const { return read<std::uint16_t>(at, what); }
  [[nodiscard]] std::uint32_t u32(std::uint64_t at, const char* what) const { return read<std::uint32_t>(at, what); }
  [[nodiscard]] std::uint64_t u64(std::uint64_t at, const char* what) const { return read<std::uint64_t>(at, what); }

  [[nodiscard]] Bytes part(std::uint64_t at, std::uint64_t size, const char* what) const {
    demand(at, size, what);
    return Bytes(bytes_.substr(at, size));
  }

  /// The text up to its NUL. Not of any length: many names may lie in one another.
  [[nodiscard]] std::string_view text(std::uint64_t at, const char* what) const {
    demand(at, 1, what);
    constexpr std::size_t most = std::size_t{1} << 16;
    const std::string_view text = bytes_.substr(at, most);
    const std::size_t end = text.find('\0');
    if (end == std::string_view::npos) {
      throw Malformed(at, std::string(what) + (text.size() < most ? " has no end" : " has more than 65535 bytes"));
    }
    return text.substr(0, end);
  }

 private:
  void demand(std::uint64_t at, std::uint64_t size, const char* what) const {
    if (!holds(at, size)) {
      throw Malformed(at, std::string(what) + " of " + std::to_string(size) + " bytes lies behind the end, " +
                              std::to_string(bytes_.size()));
    }
  }

  // Assembled byte by byte, in any alignment; compilers make one load of it.
  template <class Number>
  [[nodiscard]] Number read(std::uint64_t at, const char* what) const {
    demand(at, sizeof(Number), what);
    Number number = 0;
    for (std::size_t i = sizeof(Number); i > 0; --i) {
      number = static_cast<Number>(number << (sizeof(Number) > 1 ? 8U : 0U)) |
               static_cast<Number>(static_cast<unsigned char>(bytes_[at + i - 1]));
    }
    return number;
  }

  std::string_view bytes_;
};

}  // namespace occcalc::input
