#include "cli/progress.hpp"

#include <string>

#include "cli/files.hpp"
#include "report/numbers.hpp"

namespace occcalc::cli {

Progress::Progress(std::optional<std::int64_t> whole, std::string_view unit, bool to_file)
    : whole_(whole), unit_(unit), shown_(can_show_progress(to_file)) {}

Progress::~Progress() {
  if (is_drawn_) {
    write_stderr_text("\r\x1b[K");
  }
}

void Progress::show(std::int64_t done) {
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || now < next_) {
    return;
  }
  next_ = now + std::chrono::milliseconds(200);
  is_drawn_ = true;
  const std::string text =
      whole_ ? std::to_string(done * 100 / *whole_) + " % of " + report::grouped(*whole_) : report::grouped(done);
  write_stderr_text("\r\x1b[K" + text + " " + std::string(unit_));
}

}  // namespace occcalc::cli
