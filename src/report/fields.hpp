/// The fields of a configuration: one name everywhere, JSON key and CSV column alike.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "report/digits.hpp"
#include "report/report.hpp"
#include "report/text_buffer.hpp"

namespace occcalc::report {

/// Words that CSV joins with '+' and JSON lists.
using Words = std::vector<std::string_view>;

using Numbers = std::vector<std::int64_t>;

/// The machine names of the resources of a set, in the order of all_resources.
[[nodiscard]] Words words(const ResourceSet& resources);

/// What a field holds; monostate: does not apply or is unknown.
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, Words, Numbers>;

template <class Number>
[[nodiscard]] Value optional_value(const std::optional<Number>& number) {
  return number ? Value(std::int64_t{*number}) : Value();
}

[[nodiscard]] inline Value optional_real(const std::optional<double>& number) {
  return number ? Value(*number) : Value();
}

/// Writes values of one row at the end of a text. No value of ours needs quotes in CSV: names are
/// letters, digits, '_'.
class Cell {
 public:
  enum class Format : std::uint8_t { Plain, Csv, Markdown, Json };  ///< what is null is empty but in JSON

  Cell(TextBuffer& out, Format format) : out_(out), format_(format), at_(out.room(row_room)) {}
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;
  Cell(Cell&&) = delete;
  Cell& operator=(Cell&&) = delete;
  ~Cell() { out_.set_end(at_); }

  void null() {
    if (is_json()) {
      literal("null");
    }
  }
  void flag(bool value) { value ? literal("true") : literal("false"); }
  void number(std::int64_t value) { at_ = append_number(at_, value); }
  template <class Number>
  void number(const std::optional<Number>& value) {
    value ? number(std::int64_t{*value}) : null();
  }
  void text(std::string_view value) {
    const std::string_view quote = is_json() ? "\"" : "";
    raw(quote);
    raw(value);
    raw(quote);
  }
  void share(int part, int whole);  ///< as the shortest decimals; 0 of 0 is 0
  void words(const ResourceSet& resources);
  void reasons(const Row& row);  ///< their codes; in JSON in full
  void passed(const PassedValue& value);
  void foreign(std::string_view text);                 ///< a text that is not ours: escaped as the format needs
  void texts(const std::vector<std::string>& values);  ///< foreign ones: a list in JSON, else joined with "; "
  void dimensions(const std::optional<Dim3>& size);    ///< 16x16x1, or [16,16,1]
  void dimensions(const std::optional<Grid>& size);
  void real(const std::optional<double>& value);  ///< as the shortest decimals

  /// Text that is written as it stands: what is between the values.
  void raw(std::string_view text) {
    if (text.size() > most_bytes) {
      raw_long(text);
      return;
    }
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  template <std::size_t size>
  void literal(const char (&text)[size]) {
    std::memcpy(at_, text, size - 1);
    at_ += size - 1;
  }

 private:
  static constexpr std::size_t most_bytes = 128;            // of a value; what is longer makes room for itself
  static constexpr std::size_t row_room = 96 * most_bytes;  // more values and texts between them than a row has

  void raw_long(std::string_view text);
  [[nodiscard]] bool is_json() const { return format_ == Format::Json; }

  TextBuffer& out_;
  Format format_;
  char* at_;
};

struct Field {
  enum class Kind : std::uint8_t {
    Column,      ///< in CSV and JSON
    Key,         ///< in JSON; in CSV when asked for by name
    Tree,        ///< nested, in JSON only; `write` is null
    Answer,      ///< in CSV and JSON where its question is asked, or when asked for by name
    TreeMember,  ///< the same, but nested in the question's tree in JSON
    Passed,      ///< a column of the user's; `write` is null
  };
  std::string_view name;
  Kind kind = Kind::Column;
  void (*write)(Cell& cell, const Row& row) = nullptr;
  std::string_view question{};  ///< of an answer: the tree that it belongs to, or "gpu"
  std::size_t index = 0;        ///< of a passed one in its row

  void append(Cell& cell, const Row& row) const {
    kind == Kind::Passed ? cell.passed(row.passed[index]) : write(cell, row);
  }
};

/// A text of the user's as a cell of a format other than JSON.
[[nodiscard]] std::string as_cell(std::string_view text, Cell::Format format);

/// The field's value as plain text.
[[nodiscard]] std::string plain_text(const Field& field, const Row& row);

/// Every field, in the order of JSON; those of Kind::Column are in the order of CSV.
[[nodiscard]] std::span<const Field> configuration_fields() noexcept;

/// Appends a row of CSV without its line end, or an object of JSON without nested fields, with every field that belongs
/// to it: the same text as field by field, in a third of the time.
void append_csv(TextBuffer& out, const Row& row);
void append_json(TextBuffer& out, const Row& row);

/// The text of a value in CSV: empty, true, digits, shortest decimals, words joined with '+'.
[[nodiscard]] std::string to_text(const Value& value);

}  // namespace occcalc::report
