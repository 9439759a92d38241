/// How far a long work is.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace occcalc::cli {

/// Says on standard error how far it is, once a second has passed.
class Progress {
 public:
  /// All there is to do; nullopt if nobody knows.
  struct Whole {
    std::optional<std::int64_t> rows = std::nullopt;
    std::int64_t bytes = 0;  ///< of input; where that is known, they are shown as a bar
  };

  /// `unit`: "rows". `shown`: there is a terminal for it.
  Progress(Whole whole, std::string_view unit, bool shown);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  Progress(Progress&&) = delete;
  Progress& operator=(Progress&&) = delete;
  ~Progress();

  void show(std::int64_t rows, std::int64_t bytes = 0);
  /// Makes room for another line.
  void clear();

 private:
  [[nodiscard]] std::string text(std::int64_t rows, std::int64_t bytes) const;

  Whole whole_;
  std::string_view unit_;
  bool shown_;
  bool is_drawn_ = false;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
};

}  // namespace occcalc::cli
