#include "cli/output.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "cli/files.hpp"
#include "input/edit_distance.hpp"
#include "input/lists.hpp"
#include "input/text.hpp"
#include "input/values.hpp"
#include "occcalc/error.hpp"

namespace occcalc::cli {

namespace {

struct NamedFormat {
  std::string_view name;
  std::string_view ending;
  Format format;
};

constexpr std::array<NamedFormat, 6> formats = {{{"table", "", Format::Table},
                                                 {"json", ".json", Format::Json},
                                                 {"csv", ".csv", Format::Csv},
                                                 {"jsonl", ".jsonl", Format::Jsonl},
                                                 {"markdown", ".md", Format::Markdown},
                                                 {"svg", ".svg", Format::Svg}}};

Format format_named(const std::string& name) {
  for (const NamedFormat& named : formats) {
    if (input::equal_ignoring_case(name, named.name)) {
      return named.format;
    }
  }
  throw InputError("--format", "found '" + name + "'; accepted: table, json, jsonl, csv, markdown, svg");
}

Format format_of_path(const std::string& path) {
  for (const NamedFormat& named : formats) {
    const std::size_t size = named.ending.size();
    if (size > 0 && path.size() > size && input::equal_ignoring_case(path.substr(path.size() - size), named.ending)) {
      return named.format;
    }
  }
  return Format::Table;
}

// The option that chooses the format; the last resort is the ending of the output file.
Format read_format(const Arguments& arguments, const std::string& path) {
  std::string chosen_by;
  for (const std::string_view option : {"--format", "--json", "--csv", "--get"}) {
    if (!arguments.has(option)) {
      continue;
    }
    if (!chosen_by.empty()) {
      throw InputError(std::string(option), "cannot stand beside " + chosen_by + ": each chooses the format");
    }
    chosen_by = option;
  }
  if (chosen_by.empty()) {
    return format_of_path(path);
  }
  return chosen_by == "--format" ? format_named(*arguments.value("--format"))
         : chosen_by == "--json" ? Format::Json
         : chosen_by == "--csv"  ? Format::Csv
                                 : Format::Values;
}

// Whether letters beyond ASCII can be shown, as the locale says. (POSIX: the first of these that is set)
bool locale_is_unicode() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') {
      std::string locale(value);
      std::transform(locale.begin(), locale.end(), locale.begin(), input::lower);
      return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
    }
  }
  return false;
}

bool read_color(const Arguments& arguments, bool to_terminal) {
  const std::string* const when = arguments.value("--color");
  if (when == nullptr || *when == "auto") {
    return to_terminal && stdout_shows_color();
  }
  if (*when != "always" && *when != "never") {
    throw InputError("--color", "found '" + *when + "'; accepted: auto, always, never");
  }
  return *when == "always";
}

}  // namespace

Output read_output(const Arguments& arguments) {
  Output output;
  const std::string* const path = arguments.value("--output");
  output.path = path == nullptr ? "" : *path;
  output.format = read_format(arguments, output.path);
  if (arguments.has("--get") && arguments.has("--columns")) {
    throw InputError("--columns", "cannot stand beside --get: each picks fields");
  }
  const std::string picking = arguments.has("--get") ? "--get" : "--columns";
  output.columns = input::split_items(picking, arguments.values(picking));
  if (const std::string* const sort = arguments.value("--sort")) {
    const std::size_t colon = std::min(sort->find(':'), sort->size());
    output.sort = sort->substr(0, colon);
    const std::string order = sort->substr(colon);
    if (!order.empty() && order != ":desc" && order != ":asc") {
      throw InputError("--sort", "found '" + *sort + "'; accepted: a field, or a field and :desc");
    }
    output.descending = order == ":desc";
  }
  if (const std::string* const top = arguments.value("--top")) {
    output.top = input::read_count("--top", *top, "rows", 1, 1 << 24);
  }
  output.style.color = read_color(arguments, output.path.empty());
  output.style.width = output_width(output.path.empty());
  output.style.unicode = locale_is_unicode();
  for (const std::string_view option : {"--from", "--gpu-file", "--arch-file"}) {
    refuse_input_as_output(output, arguments.values(option));
  }
  return output;
}

void refuse_input_as_output(const Output& output, const std::vector<std::string>& inputs) {
  for (const std::string& path : inputs) {
    if (!output.path.empty() && path != "-" && regular_file_size(path) && is_same_file(path, output.path)) {
      throw InputError("--output", "'" + output.path + "' is an input, which would be lost; name another file");
    }
  }
}

void refuse_svg(const Output& output) {
  if (output.format == Format::Svg) {
    throw InputError("--format",
                     "svg draws one configuration or a sweep; accepted here: table, json, jsonl, csv, markdown");
  }
}

void deliver(const Output& output, const std::string& text) {
  OutputFile file(output.path);
  static_cast<void>(file.write(text));
  file.commit();
}

void refuse_field(const std::string& where, const std::string& name, const std::vector<std::string_view>& known) {
  std::string near;
  constexpr std::size_t most_wrong = 2;
  for (const std::string_view accepted : known) {
    const bool is_part = name.size() > most_wrong && accepted.find(name) != std::string_view::npos;
    if (is_part || input::edit_distance(name.substr(0, 2 * accepted.size()), accepted) <= most_wrong) {
      near += (near.empty() ? "; did you mean " : ", ") + std::string(accepted);
    }
  }
  std::string what = "no field " + input::abridged(name) + near + (near.empty() ? "" : "?") + "; accepted: ";
  for (const std::string_view accepted : known) {
    what += accepted;
    what += accepted == known.back() ? "" : ", ";
  }
  throw InputError(where, what);
}

void require_columns(const Output& output, const std::vector<std::string_view>& known) {
  const std::string option = output.format == Format::Values ? "--get" : "--columns";
  for (const std::string& column : output.columns) {
    if (std::find(known.begin(), known.end(), column) == known.end()) {
      refuse_field(option, column, known);
    }
    if (std::count(output.columns.begin(), output.columns.end(), column) > 1) {
      throw InputError(option, "the field '" + column + "' stands twice; name each once");
    }
  }
}

}  // namespace occcalc::cli
