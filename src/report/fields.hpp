/// The fields of a configuration: one name everywhere, JSON key and CSV column alike.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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

/// Writes the value of one field at the end of a text. No value needs quotes in CSV: names are letters, digits, '_'.
class Cell {
 public:
  enum class Format : std::uint8_t { Plain, Json };  ///< Plain: CSV, --get, tables; what is null is empty

  Cell(TextBuffer& out, Format format) : out_(out), format_(format) {}

  void null();
  void flag(bool value) { out_.append(value ? "true" : "false"); }
  void number(std::int64_t value);
  template <class Number>
  void number(const std::optional<Number>& value) {
    value ? number(std::int64_t{*value}) : null();
  }
  void text(std::string_view value);
  void share(int part, int whole);  ///< as the shortest decimals; 0 of 0 is 0
  void words(const ResourceSet& resources);
  void codes(const std::vector<Reason>& reasons);

 private:
  template <class Names>
  void list(const Names& names);
  [[nodiscard]] bool is_json() const { return format_ == Format::Json; }

  TextBuffer& out_;
  Format format_;
};

struct Field {
  enum class Kind : std::uint8_t {
    Column,  ///< in CSV and JSON
    Key,     ///< in JSON; in CSV when asked for by name
    Tree,    ///< nested, in JSON only; `write` is null
  };
  std::string_view name;
  Kind kind = Kind::Column;
  void (*write)(Cell& cell, const Row& row) = nullptr;
};

/// The field's value as plain text.
[[nodiscard]] std::string plain_text(const Field& field, const Row& row);

/// Every field, in the order of JSON; those of Kind::Column are in the order of CSV.
[[nodiscard]] std::span<const Field> configuration_fields() noexcept;

/// The text of a value in CSV: empty, true, digits, shortest decimals, words joined with '+'.
[[nodiscard]] std::string to_text(const Value& value);

}  // namespace occcalc::report
