/// JSON from untrusted bytes: a parse that names line and column, and a cursor that names the place of every complaint.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "occcalc/error.hpp"

namespace occcalc::input {

/// Parses a text of moderate size. Throws InputError at `source:line:column` for what is no JSON, and for keys that
/// stand twice in one object or nesting beyond 32 levels.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const std::string& source);

/// The same with the members of objects, at most 1,000, in the order written; the text begins at `first_line` of the
/// source, which every complaint names.
[[nodiscard]] nlohmann::ordered_json parse_ordered_json(std::string_view text, const std::string& source,
                                                        std::int64_t first_line);

/// A value and its place in the document. Every reader throws InputError with the place, what was found and what is
/// accepted.
class JsonCursor {
 public:
  JsonCursor(const nlohmann::json& value, std::string source) : value_(value), source_(std::move(source)) {}

  [[nodiscard]] const nlohmann::json& value() const noexcept { return value_; }
  [[nodiscard]] std::string where() const { return path_.empty() ? source_ : source_ + ": " + path_; }

  [[nodiscard]] bool has(const std::string& key) const { return value_.is_object() && value_.contains(key); }
  [[nodiscard]] JsonCursor at(const std::string& key) const;                      ///< the member; it must exist
  [[nodiscard]] std::vector<JsonCursor> items() const;                            ///< of an array
  [[nodiscard]] std::vector<std::pair<std::string, JsonCursor>> members() const;  ///< of an object

  [[nodiscard]] std::int64_t integer(std::int64_t least, std::int64_t most) const;
  [[nodiscard]] double number(double most) const;  ///< above 0
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::vector<std::string> texts() const;
  /// The index of the text among `accepted`.
  [[nodiscard]] std::size_t one_of(std::initializer_list<std::string_view> accepted) const;

  /// The value is an object without keys other than `known`.
  void require_keys(const std::vector<std::string_view>& known) const;

  [[noreturn]] void fail(const std::string& accepted) const;  ///< "found ...; accepted: ..."
  [[noreturn]] void complain(const std::string& what) const;

 private:
  JsonCursor(const nlohmann::json& value, std::string source, std::string path)
      : value_(value), source_(std::move(source)), path_(std::move(path)) {}

  const nlohmann::json& value_;
  std::string source_;
  std::string path_;
};

}  // namespace occcalc::input
