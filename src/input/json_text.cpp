#include "input/json_text.hpp"

#include <algorithm>
#include <set>

namespace occcalc::input {

namespace {

using nlohmann::json;

constexpr std::size_t most_levels = 32;

// Refuses what the parser itself would let pass, in a pass of its own: nesting beyond measure, keys that stand twice.
class Guard : public nlohmann::json_sax<json> {
 public:
  Guard(std::string source, std::size_t most_keys) : source_(std::move(source)), most_keys_(most_keys) {}

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*size*/) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*size*/) override { return open(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    levels_.back().last = name;
    if (levels_.back().keys.size() == most_keys_) {
      throw InputError(source_, "an object has more than " + std::to_string(most_keys_) + " keys");
    }
    if (!levels_.back().keys.insert(name).second) {
      throw InputError(source_ + ": " + path(), "this key stands twice in one object");
    }
    return true;
  }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/, const json::exception& /*error*/) override {
    return false;  // the parser will say it better
  }

 private:
  struct Level {
    std::set<std::string> keys;
    std::string last;
  };

  bool open() {
    if (levels_.size() >= most_levels) {
      throw InputError(source_, "nested deeper than " + std::to_string(most_levels) + " levels");
    }
    levels_.emplace_back();
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }
  [[nodiscard]] std::string path() const {
    std::string path;
    for (const Level& level : levels_) {
      path += path.empty() || level.last.empty() ? "" : ".";
      path += level.last;
    }
    return path;
  }

  std::string source_;
  std::size_t most_keys_;
  std::vector<Level> levels_;
};

std::string line_and_column(std::string_view text, std::size_t byte, std::int64_t first_line) {
  const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const auto line = first_line + std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? before.size() + 1 : before.size() - newline;
  return std::to_string(line) + ":" + std::to_string(column);
}

// The library's message without its own prefix: "[json...] parse error at line 1, column 2: ".
std::string bare_message(std::string_view what) {
  for (const std::string_view mark : {"] ", ": "}) {
    const std::size_t at = what.find(mark);
    if (at != std::string_view::npos && (mark == "] " || what.starts_with("parse error"))) {
      what.remove_prefix(at + mark.size());
    }
  }
  return std::string(what);
}

std::string found(const json& value) {
  if (value.is_object()) {
    return "an object";
  }
  if (value.is_array()) {
    return value.empty() ? "an empty array" : "an array";
  }
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  constexpr std::size_t most = 40;
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) {
    text += text.empty() ? "" : ", ";
    text += word;
  }
  return text;
}

// `place`: where an error is that has no line of its own.
template <class Json>
Json parse(std::string_view text, const std::string& source, std::int64_t first_line, const std::string& place,
           std::size_t most_keys) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw InputError(source, "is empty; accepted: JSON");
  }
  try {
    Guard guard(place, most_keys);
    static_cast<void>(json::sax_parse(text.begin(), text.end(), &guard));
    return Json::parse(text.begin(), text.end());
  } catch (const json::parse_error& error) {
    throw InputError(source + ":" + line_and_column(text, error.byte, first_line),
                     "is no JSON: " + bare_message(error.what()));
  } catch (const json::exception& error) {
    throw InputError(place, bare_message(error.what()));
  }
}

}  // namespace

json parse_json(std::string_view text, const std::string& source) {
  return parse<json>(text, source, 1, source, SIZE_MAX);
}

nlohmann::ordered_json parse_ordered_json(std::string_view text, const std::string& source, std::int64_t first_line) {
  constexpr std::size_t most_keys = 1000;  // each is looked for among the others
  return parse<nlohmann::ordered_json>(text, source, first_line, source + ":" + std::to_string(first_line), most_keys);
}

JsonCursor JsonCursor::at(const std::string& key) const {
  if (!value_.is_object()) {
    fail("an object");
  }
  if (!value_.contains(key)) {
    complain("the key \"" + key + "\" is missing");
  }
  return {value_.at(key), source_, path_.empty() ? key : path_ + "." + key};
}

std::vector<JsonCursor> JsonCursor::items() const {
  if (!value_.is_array()) {
    fail("an array");
  }
  std::vector<JsonCursor> items;
  for (const json& item : value_) {
    items.push_back({item, source_, path_ + "[" + std::to_string(items.size()) + "]"});
  }
  return items;
}

std::vector<std::pair<std::string, JsonCursor>> JsonCursor::members() const {
  if (!value_.is_object()) {
    fail("an object");
  }
  std::vector<std::pair<std::string, JsonCursor>> members;
  for (const auto& member : value_.items()) {
    if (std::any_of(member.key().begin(), member.key().end(), is_control)) {
      complain("the key \"" + member.key() + "\" has control characters");
    }
    members.emplace_back(member.key(), at(member.key()));
  }
  return members;
}

std::int64_t JsonCursor::integer(std::int64_t least, std::int64_t most) const {
  const std::string accepted = "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  if (!value_.is_number_integer() || (value_.is_number_unsigned() && value_.get<std::uint64_t>() > INT64_MAX)) {
    fail(accepted);
  }
  const auto number = value_.get<std::int64_t>();
  if (number < least || number > most) {
    fail(accepted);
  }
  return number;
}

double JsonCursor::number(double most) const {
  const double number = value_.is_number() ? value_.get<double>() : 0;
  if (!(number > 0) || number > most) {
    fail("a number above 0");
  }
  return number;
}

bool JsonCursor::boolean() const {
  if (!value_.is_boolean()) {
    fail("true or false");
  }
  return value_.get<bool>();
}

std::string JsonCursor::text() const {
  if (!value_.is_string()) {
    fail("a string");
  }
  auto text = value_.get<std::string>();
  if (std::any_of(text.begin(), text.end(), is_control)) {
    fail("a string without control characters");  // it goes to terminals
  }
  return text;
}

std::vector<std::string> JsonCursor::texts() const {
  std::vector<std::string> texts;
  for (const JsonCursor& item : items()) {
    texts.push_back(item.text());
  }
  return texts;
}

std::size_t JsonCursor::one_of(std::initializer_list<std::string_view> accepted) const {
  const auto* const match = std::find(accepted.begin(), accepted.end(), value_.is_string() ? text() : "");
  if (match == accepted.end()) {
    fail(joined(accepted));
  }
  return static_cast<std::size_t>(match - accepted.begin());
}

void JsonCursor::require_keys(const std::vector<std::string_view>& known) const {
  for (const auto& [key, cursor] : members()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      complain("unknown key \"" + key + "\"; accepted: " + joined(known));
    }
  }
}

void JsonCursor::fail(const std::string& accepted) const {
  complain("found " + found(value_) + "; accepted: " + accepted);
}

void JsonCursor::complain(const std::string& what) const {
  std::string printable = what;  // a key may hold anything
  std::replace_if(printable.begin(), printable.end(), is_control, '?');
  throw InputError(where(), printable);
}

}  // namespace occcalc::input
