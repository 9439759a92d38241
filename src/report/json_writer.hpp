/// Writes JSON text piece by piece: a sweep streams millions of objects through it, for which a document tree of a
/// library would cost an allocation a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/fields.hpp"

namespace occcalc::report {

/// The text in quotes, escaped; appended.
void append_json_string(std::string& to, std::string_view text);
[[nodiscard]] std::string json_string(std::string_view text);

class JsonWriter {
 public:
  /// Objects and arrays down to this depth put each member on a line of its own.
  explicit JsonWriter(int open_levels) : open_levels_(open_levels) {}

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }
  void key(std::string_view name);
  void value(const Value& value);
  void cell(const Field& field, const Row& row);  ///< the value of a field
  void null() { value(Value()); }
  void raw(std::string_view json);  ///< text that is JSON already

  void member(std::string_view name, const Value& of) {
    key(name);
    value(of);
  }

  /// An array; `write` writes each item.
  template <class List, class Write>
  void array(const List& items, const Write& write) {
    begin_array();
    for (const auto& item : items) {
      write(item);
    }
    end_array();
  }

  [[nodiscard]] std::string take_inline() { return std::move(text_); }
  [[nodiscard]] std::string take() { return std::move(text_) + "\n"; }

 private:
  struct Append;

  void begin(char bracket);
  void end(char bracket);
  void separate();
  void new_line();
  void string(std::string_view text);

  std::string text_;
  int open_levels_;
  int depth_ = 0;
  bool first_ = true;  // no member yet at this depth
  bool after_key_ = false;
};

}  // namespace occcalc::report
