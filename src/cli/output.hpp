/// Where the answer goes and how it is written.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.hpp"
#include "report/report.hpp"

namespace occcalc::cli {

enum class Format : std::uint8_t { Table, Json, Jsonl, Csv, Markdown, Values, Svg };

/// The output options, read and checked against each other.
struct Output {
  Format format = Format::Table;
  std::vector<std::string> columns;  ///< of --columns or --get; empty: all
  std::string path;                  ///< empty: standard output
  std::string sort;                  ///< the field of --sort; empty: as they come
  bool descending = false;
  std::optional<int> top;  ///< of --top
  report::Style style;
};

[[nodiscard]] Output read_output(const Arguments& arguments);

/// Throws InputError where a picture is asked of what has none.
void refuse_svg(const Output& output);

/// None of the files that are read is the one that is written. Throws InputError.
void refuse_input_as_output(const Output& output, const std::vector<std::string>& inputs);

/// Writes the answer. A reader that is gone is no error.
void deliver(const Output& output, const std::string& text);

/// Throws InputError: `name` is none of the fields `known`.
[[noreturn]] void refuse_field(const std::string& where, const std::string& name,
                               const std::vector<std::string_view>& known);

/// Throws InputError unless every one of `columns` is among `known`.
void require_columns(const Output& output, const std::vector<std::string_view>& known);

}  // namespace occcalc::cli
