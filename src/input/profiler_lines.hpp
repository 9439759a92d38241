/// The lines of a profiler's output, and rows of CSV among them. Nothing is copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace occcalc::input {

/// A longer line is no row of any profiler, and is not taken apart.
inline constexpr std::size_t most_line_bytes = 1 << 20;

/// Walks over the lines of a text, which outlives it.
class ProfilerLines {
 public:
  explicit ProfilerLines(std::string_view text);

  /// Goes to the next line; false at the end.
  bool next();

  /// The line without its end.
  [[nodiscard]] std::string_view line() const noexcept { return line_; }
  [[nodiscard]] std::int64_t number() const noexcept { return number_; }

  /// The row of CSV that begins with this line: more than one line where a quoted cell holds line ends. The next line
  /// is then the one behind the row.
  [[nodiscard]] std::string_view row();

 private:
  std::string_view text_;
  std::string_view line_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t searched_ = 0;  // no row that begins before this ends on a later line
  std::int64_t number_ = 0;
  std::int64_t further_lines_ = 0;  // of the row
};

/// One row of CSV, cut at its commas.
struct CutRow {
  std::vector<std::string_view> cells{};  ///< with their quotes
  bool is_cut = false;                    ///< a quoted cell does not end

  /// The cell without its quotes; empty where the row has none.
  [[nodiscard]] std::string cell(std::size_t index) const;
};

/// Takes a row apart, up to `most_cells`. As csv_cells(), but without a copy of each of the thousand cells that a row
/// of ncu's raw page may have, of which few are read.
[[nodiscard]] CutRow cut_row(std::string_view row, std::size_t most_cells);

/// Without blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Takes the text up to the next blank from the beginning of `rest`, and the blanks before it.
[[nodiscard]] std::string_view take_word(std::string_view& rest);

}  // namespace occcalc::input
