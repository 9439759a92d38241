#include "cli/progress.hpp"

#include <algorithm>
#include <utility>

#include "cli/files.hpp"
#include "report/numbers.hpp"

namespace occcalc::cli {

Progress::Progress(Whole whole, std::string_view unit, bool shown) : whole_(whole), unit_(unit), shown_(shown) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (std::exchange(is_drawn_, false)) {
    write_stderr_text("\r\x1b[K");
  }
}

void Progress::show(std::int64_t rows, std::int64_t bytes) {
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || now < next_) {
    return;
  }
  next_ = now + std::chrono::milliseconds(200);
  is_drawn_ = true;
  write_stderr_text("\r\x1b[K" + text(rows, bytes) + " " + std::string(unit_));
}

std::string Progress::text(std::int64_t rows, std::int64_t bytes) const {
  if (whole_.bytes > 0) {
    constexpr std::size_t width = 24;
    const double part = std::min(1.0, static_cast<double>(bytes) / static_cast<double>(whole_.bytes));
    const auto filled = static_cast<std::size_t>(part * width);
    return "[" + std::string(filled, '#') + std::string(width - filled, '.') + "] " +
           std::to_string(static_cast<int>(part * 100)) + " % of " + report::megabytes(whole_.bytes) + ", " +
           report::grouped(rows);
  }
  if (whole_.rows && *whole_.rows > 0) {
    return std::to_string(rows * 100 / *whole_.rows) + " % of " + report::grouped(*whole_.rows);
  }
  return report::grouped(rows);
}

}  // namespace occcalc::cli
