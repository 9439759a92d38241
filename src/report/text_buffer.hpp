/// Text that grows at its end, a few bytes at a time: a std::string checks and calls for each of them, this only once a
/// field.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace occcalc::report {

class TextBuffer {
 public:
  [[nodiscard]] std::string_view view() const noexcept { return {text_.get(), size_}; }
  void clear() noexcept { size_ = 0; }

  void append(std::string_view text) {
    if (text.empty()) {
      return;  // its data may be null
    }
    reserve(text.size());
    std::memcpy(text_.get() + size_, text.data(), text.size());
    size_ += text.size();
  }

  void append(char c) {
    reserve(1);
    text_[size_++] = c;
  }

  void append_number(std::int64_t number) {
    constexpr std::size_t most_digits = 20;
    reserve(most_digits);
    char* const at = text_.get() + size_;
    if (number >= 0 && number < 10) {  // most of them
      *at = static_cast<char>('0' + number);
      ++size_;
      return;
    }
    size_ = static_cast<std::size_t>(std::to_chars(at, at + most_digits, number).ptr - text_.get());
  }

 private:
  void reserve(std::size_t more) {
    if (size_ + more > capacity_) {
      grow(more);
    }
  }

  void grow(std::size_t more) {
    constexpr std::size_t least = 4096;
    const std::size_t capacity = std::max({least, 2 * capacity_, size_ + more});
    std::unique_ptr<char[]> text(new char[capacity]);
    if (size_ > 0) {
      std::copy_n(text_.get(), size_, text.get());
    }
    text_ = std::move(text);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> text_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace occcalc::report
