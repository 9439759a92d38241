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

struct Field {
  enum class Kind : std::uint8_t {
    Column,  ///< in CSV and JSON
    Key,     ///< in JSON; in CSV when asked for by name
    Tree,    ///< nested, in JSON only; `get` is null
  };
  std::string_view name;
  Kind kind = Kind::Column;
  Value (*get)(const Report& report) = nullptr;
};

/// Every field, in the order of JSON; those of Kind::Column are in the order of CSV.
[[nodiscard]] std::span<const Field> configuration_fields() noexcept;

/// The text of a value in CSV and for --get: empty, true, digits, shortest decimals, words joined with '+'.
[[nodiscard]] std::string to_text(const Value& value);

}  // namespace occcalc::report
