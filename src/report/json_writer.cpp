#include "report/json_writer.hpp"

#include <algorithm>

#include "report/numbers.hpp"

namespace occcalc::report {

void JsonWriter::begin(char bracket) {
  separate();
  text_ += bracket;
  ++depth_;
  first_ = true;
}

void JsonWriter::end(char bracket) {
  const bool empty = first_;
  --depth_;
  if (!empty && depth_ < open_levels_) {
    new_line();
  }
  text_ += bracket;
  first_ = false;
}

void JsonWriter::key(std::string_view name) {
  separate();
  string(name);
  text_ += depth_ <= open_levels_ ? ": " : ":";
  after_key_ = true;
}

// Appends each type of a value.
struct JsonWriter::Append {
  JsonWriter& writer;
  void operator()(std::monostate) const { writer.text_ += "null"; }
  void operator()(bool flag) const { writer.text_ += flag ? "true" : "false"; }
  void operator()(std::int64_t number) const { writer.text_ += std::to_string(number); }
  void operator()(double number) const { writer.text_ += shortest(number); }
  void operator()(const std::string& text) const { writer.string(text); }
  void operator()(const Words& words) const {
    list(words, [this](std::string_view word) { writer.string(word); });
  }
  void operator()(const Numbers& numbers) const {
    list(numbers, [this](std::int64_t number) { writer.text_ += std::to_string(number); });
  }
  template <class List, class Write>
  void list(const List& items, const Write& write) const {
    writer.text_ += '[';
    const char* separator = "";
    for (const auto& item : items) {
      writer.text_ += separator;
      write(item);
      separator = ",";
    }
    writer.text_ += ']';
  }
};

void JsonWriter::value(const Value& value) {
  separate();
  std::visit(Append{*this}, value);
}

void JsonWriter::cell(const Field& field, const Row& row) {
  separate();
  TextBuffer value;
  {
    Cell cell(value, Cell::Format::Json);
    field.append(cell, row);
  }
  text_ += value.view();
}

void JsonWriter::raw(std::string_view json) {
  separate();
  text_ += json;
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (depth_ > 0) {
    text_ += first_ ? "" : ",";
    if (depth_ <= open_levels_) {
      new_line();
    }
  }
  first_ = false;
}

void JsonWriter::new_line() {
  text_ += '\n';
  text_.append(2 * static_cast<std::size_t>(depth_), ' ');
}

void JsonWriter::string(std::string_view text) { append_json_string(text_, text); }

void append_json_string(std::string& to, std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto is_plain = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '"' && c != '\\';
  };
  to += '"';
  while (!text.empty()) {
    const auto* const special = std::find_if_not(text.begin(), text.end(), is_plain);
    to.append(text.begin(), special);
    if (special == text.end()) {
      break;
    }
    const auto byte = static_cast<unsigned char>(*special);
    if (byte == '"' || byte == '\\') {
      to += '\\';
      to += *special;
    } else {
      to += "\\u00";
      to += digits[byte >> 4U];
      to += digits[byte & 15U];
    }
    text.remove_prefix(static_cast<std::size_t>(special - text.begin()) + 1);
  }
  to += '"';
}

std::string json_string(std::string_view text) {
  std::string quoted;
  append_json_string(quoted, text);
  return quoted;
}

}  // namespace occcalc::report
