#include "cli/selection.hpp"

#include <algorithm>
#include <iterator>

#include "occcalc/error.hpp"

namespace occcalc::cli {

namespace {

using report::Field;

bool is_json(Format format) { return format == Format::Json || format == Format::Jsonl; }

// The nested field that a question adds, and the option that asks it. Those of every single report have none.
struct Question {
  std::string_view option;
  std::string_view field;
};

constexpr Question questions[] = {{"--cliffs", "staircases"},
                                  {"--budget", "budget"},
                                  {"--target-blocks", "target"},
                                  {"--target-occupancy", "target"},
                                  {"--suggest-block", "block_sizes"},
                                  {"--grid", "waves"},
                                  {"--explain", "explain"}};

bool was_asked(const Arguments& arguments, std::string_view field) {
  return std::any_of(std::begin(questions), std::end(questions), [&](const Question& question) {
    return question.field == field && arguments.has(question.option);
  });
}

bool is_question(std::string_view field) {
  return std::any_of(std::begin(questions), std::end(questions),
                     [&](const Question& question) { return question.field == field; });
}

// A single report tells its remedies only where it cannot launch; that is decided when it is written.
bool is_shown(const Field& field, const Output& output, const Arguments& arguments, bool is_single) {
  switch (field.kind) {
    case Field::Kind::Column:
    case Field::Kind::Passed: return true;
    case Field::Kind::Key: return is_json(output.format);
    case Field::Kind::Tree:
      return is_json(output.format) && (is_question(field.name) ? was_asked(arguments, field.name) : is_single);
  }
  return false;
}

std::vector<std::string_view> names_of(const report::Fields& fields, bool with_trees) {
  std::vector<std::string_view> names;
  for (const Field* const field : fields) {
    if (with_trees || field->kind != Field::Kind::Tree) {
      names.push_back(field->name);
    }
  }
  return names;
}

const Field* find(const report::Fields& fields, std::string_view name) {
  const auto match =
      std::find_if(fields.begin(), fields.end(), [name](const Field* field) { return field->name == name; });
  return match == fields.end() ? nullptr : *match;
}

}  // namespace

report::Fields all_fields(std::span<const Field> passed) {
  report::Fields fields;
  for (const Field& field : report::configuration_fields()) {
    const bool is_theirs =
        std::any_of(passed.begin(), passed.end(), [&](const Field& other) { return other.name == field.name; });
    if (!is_theirs) {
      fields.push_back(&field);
    }
  }
  for (const Field& field : passed) {
    fields.push_back(&field);
  }
  return fields;
}

report::Fields choose_fields(const Output& output, const Arguments& arguments, bool is_single,
                             const report::Fields& all) {
  if (!output.sort.empty()) {
    static_cast<void>(find_plain_field("--sort", output.sort, all));  // one configuration is in any order
  }
  report::Fields fields;
  if (output.columns.empty()) {
    std::copy_if(all.begin(), all.end(), std::back_inserter(fields),
                 [&](const Field* field) { return is_shown(*field, output, arguments, is_single); });
    return fields;
  }
  require_columns(output, names_of(all, is_json(output.format)));
  for (const std::string& column : output.columns) {
    fields.push_back(find(all, column));
  }
  return fields;
}

void refuse_questions(const Arguments& arguments, const Output& output, bool is_single) {
  const bool can_answer =
      is_json(output.format) || (is_single && output.format == Format::Table && output.columns.empty());
  for (const Question& question : questions) {
    if (arguments.has(question.option) && !can_answer) {
      throw InputError(std::string(question.option),
                       is_single ? "is answered in the report and with --json, not in this format"
                                 : "is answered for each row with --json, and for each kernel also with --report");
    }
  }
  if (arguments.has("--sms") && !arguments.has("--suggest-block") && !arguments.has("--grid")) {
    throw InputError("--sms", "goes with --grid, or with --suggest-block, whose minimum grids it sets");
  }
  if (arguments.has("--grid") && !arguments.has("--sms")) {
    throw InputError("--grid", "needs the number of SMs: give --gpu, as --gpu a100, or --sms");
  }
  if (arguments.has("--achieved") && !arguments.has("--grid")) {
    throw InputError("--achieved", "goes with --grid: it is compared with what the waves of a grid allow");
  }
}

const Field& find_plain_field(const std::string& where, const std::string& name, const report::Fields& all) {
  const Field* const field = find(all, name);
  if (field == nullptr || field->kind == Field::Kind::Tree) {
    refuse_field(where, name, names_of(all, false));
  }
  return *field;
}

}  // namespace occcalc::cli
