/// Text that grows at its end, a few bytes at a time: a std::string checks and calls for each of them, this only once a
/// row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace occcalc::report {

class TextBuffer {
 public:
  [[nodiscard]] std::string_view view() const noexcept { return {text_.get(), size_}; }
  void clear() noexcept { size_ = 0; }

  void append(std::string_view text) {
    if (!text.empty()) {  // its data may be null
      std::memcpy(room(text.size()), text.data(), text.size());
      size_ += text.size();
    }
  }

  void append(char c) {
    *room(1) = c;
    ++size_;
  }

  /// A place for `size` bytes behind the text. What is written there belongs to the text once set_end() says so.
  [[nodiscard]] char* room(std::size_t size) {
    if (size_ + size > capacity_) {
      grow(size);
    }
    return text_.get() + size_;
  }
  void set_end(const char* end) noexcept { size_ = static_cast<std::size_t>(end - text_.get()); }

 private:
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
