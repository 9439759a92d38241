/// Rows of the user's own, as CSV or JSON, read a block at a time: a file of any length in constant memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace occcalc::input {

/// The value of one column in one row.
struct RecordValue {
  bool is_missing = true;  ///< no such member, null, or an empty cell
  std::string text{};      ///< of a string without its quotes
  std::string json{};      ///< the value as JSON; of CSV empty
};

/// One row.
struct Record {
  std::int64_t line = 0;              ///< where it begins
  std::vector<RecordValue> values{};  ///< one a column
};

/// What the rows are written in.
enum class RecordSyntax : std::uint8_t {
  Csv,    ///< as in RFC 4180, with a header row
  Lines,  ///< one JSON object a line
  Items,  ///< JSON objects in an array, or over several lines
};

/// Some whole rows, not yet taken apart; or what is wrong with the rest of the input.
struct RecordBlock {
  std::string text{};
  std::int64_t line = 0;  ///< where it begins
  std::string error{};
};

/// The columns of a table, and its rows. read() is thread-safe, next() is called by one thread at a time.
class RecordReader {
 public:
  /// Puts up to `size` bytes at `to`; how many, 0 at the end.
  using Read = std::function<std::size_t(char* to, std::size_t size)>;

  /// Reads the header of CSV; of JSON the objects that begin within the first 64 KB, whose keys are the columns. Errors
  /// name `source`. Throws InputError where there is no header, or none of those objects can be read.
  RecordReader(Read read, std::string source);

  [[nodiscard]] const std::string& source() const noexcept { return source_; }
  [[nodiscard]] RecordSyntax syntax() const noexcept { return syntax_; }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept { return columns_; }
  /// An array without items: it has no columns.
  [[nodiscard]] bool is_empty() const noexcept { return syntax_ == RecordSyntax::Items && columns_.empty(); }

  /// The next rows, at most so many; nullopt at the end.
  [[nodiscard]] std::optional<RecordBlock> next(std::size_t most_rows);

  /// Calls `use` for each row of a block. What is wrong with a row, be it an InputError thrown by `use`, is appended to
  /// `errors`.
  void read(const RecordBlock& block, const std::function<void(const Record&)>& use,
            std::vector<std::string>& errors) const;

 private:
  // What comes next among the items.
  enum class Place : std::uint8_t { Anything, Item, ItemOrEnd, CommaOrEnd, End };

  void read_more();
  void read_on();
  void skip_blank_lines();
  void read_header();
  void find_syntax();
  void read_first_objects();
  void add_column(std::string name);
  [[nodiscard]] std::string at(std::int64_t line) const { return source_ + ":" + std::to_string(line); }
  [[nodiscard]] std::size_t row_begin(std::string_view text, std::size_t from) const;
  [[nodiscard]] std::size_t row_end(std::string_view text, std::size_t begin) const;
  [[nodiscard]] bool holds_first_rows() const;
  template <class Use>
  void for_each_row(std::string_view text, std::int64_t line, const Use& use) const;
  [[nodiscard]] Record parse(std::string_view text, std::int64_t line) const;
  [[nodiscard]] Record parse_csv(std::string_view text, std::int64_t line) const;
  [[nodiscard]] Record parse_object(std::string_view text, std::int64_t line) const;
  [[nodiscard]] std::size_t whole_rows(std::size_t most_rows) const;
  [[nodiscard]] std::size_t whole_items(std::size_t most_rows);
  [[nodiscard]] bool pass(char separator);
  [[nodiscard]] std::string expectation() const;
  [[nodiscard]] RecordBlock take(std::size_t size);
  [[nodiscard]] RecordBlock rest(const std::string& what);

  Read read_;
  std::string source_;
  RecordSyntax syntax_ = RecordSyntax::Csv;
  Place place_ = Place::Anything;
  std::vector<std::string> columns_;
  std::map<std::string, std::size_t, std::less<>> index_;  // of a column, by its name
  std::string text_;                                       // read, not yet given out
  std::int64_t line_ = 1;                                  // where text_ begins
  bool is_at_end_ = false;
};

}  // namespace occcalc::input
