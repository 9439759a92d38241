#include "cli/selection.hpp"

#include <algorithm>

#include "occcalc/error.hpp"

namespace occcalc::cli {

namespace {

using report::Field;

bool is_json(Format format) { return format == Format::Json || format == Format::Jsonl; }

// The nested fields that a question adds, by the option that asks it; those of every single report have none.
bool was_asked(const Arguments& arguments, std::string_view field) {
  return field == "staircases"    ? arguments.has("--cliffs")
         : field == "budget"      ? arguments.has("--budget")
         : field == "target"      ? arguments.has("--target-blocks") || arguments.has("--target-occupancy")
         : field == "block_sizes" ? arguments.has("--suggest-block")
         : field == "explain"     ? arguments.has("--explain")
                                  : false;
}

bool is_question(std::string_view field) {
  return field == "staircases" || field == "budget" || field == "target" || field == "block_sizes" ||
         field == "explain";
}

// A single report tells its remedies only where it cannot launch; that is decided when it is written.
bool is_shown(const Field& field, const Output& output, const Arguments& arguments, bool is_single) {
  switch (field.kind) {
    case Field::Kind::Column: return true;
    case Field::Kind::Key: return is_json(output.format);
    case Field::Kind::Tree:
      return is_json(output.format) && (is_question(field.name) ? was_asked(arguments, field.name) : is_single);
  }
  return false;
}

std::vector<std::string_view> names_of(bool with_trees) {
  std::vector<std::string_view> names;
  for (const Field& field : report::configuration_fields()) {
    if (with_trees || field.kind != Field::Kind::Tree) {
      names.push_back(field.name);
    }
  }
  return names;
}

const Field* find(std::string_view name) {
  const auto all = report::configuration_fields();
  const auto match = std::find_if(all.begin(), all.end(), [name](const Field& field) { return field.name == name; });
  return match == all.end() ? nullptr : &*match;
}

}  // namespace

report::Fields choose_fields(const Output& output, const Arguments& arguments, bool is_single) {
  report::Fields fields;
  if (output.columns.empty()) {
    for (const Field& field : report::configuration_fields()) {
      if (is_shown(field, output, arguments, is_single)) {
        fields.push_back(&field);
      }
    }
    return fields;
  }
  require_columns(output, names_of(is_json(output.format)));
  for (const std::string& column : output.columns) {
    fields.push_back(find(column));
  }
  return fields;
}

void refuse_questions(const Arguments& arguments, const Output& output, bool is_single) {
  const bool can_answer =
      is_json(output.format) || (is_single && output.format == Format::Table && output.columns.empty());
  for (const std::string_view option :
       {"--cliffs", "--budget", "--target-blocks", "--target-occupancy", "--suggest-block", "--explain"}) {
    if (arguments.has(option) && !can_answer) {
      throw InputError(std::string(option), is_single ? "is answered in the report and with --json, not in this format"
                                                      : "is answered for each row of a sweep with --json only");
    }
  }
  if (arguments.has("--sms") && !arguments.has("--suggest-block")) {
    throw InputError("--sms", "goes with --suggest-block, whose minimum grids it sets");
  }
}

const Field& find_plain_field(const std::string& where, const std::string& name) {
  const Field* const field = find(name);
  if (field == nullptr || field->kind == Field::Kind::Tree) {
    std::string what = "no field '" + name + "'; accepted: ";
    for (const std::string_view known : names_of(false)) {
      what += known;
      what += known == "reasons" ? "" : ", ";
    }
    throw InputError(where, what);
  }
  return *field;
}

}  // namespace occcalc::cli
