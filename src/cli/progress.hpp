/// How far a long work is.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace occcalc::cli {

/// Says on standard error how far it is, once a second has passed, if that is a terminal.
class Progress {
 public:
  /// `whole`: all there is to do; nullopt if nobody knows. `unit`: "rows". `to_file`: they go to a file.
  Progress(std::optional<std::int64_t> whole, std::string_view unit, bool to_file);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  Progress(Progress&&) = delete;
  Progress& operator=(Progress&&) = delete;
  ~Progress();

  void show(std::int64_t done);

 private:
  std::optional<std::int64_t> whole_;
  std::string_view unit_;
  bool shown_;
  bool is_drawn_ = false;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
};

}  // namespace occcalc::cli
