#include "cli/selection.hpp"

#include <algorithm>
#include <iterator>

#include "occcalc/error.hpp"

namespace occcalc::cli {

namespace {

using report::Field;

bool is_json(Format format) { return format == Format::Json || format == Format::Jsonl; }

// What a question adds, and the option that asks it. Those of every single report have none.
struct Question {
  std::string_view option;
  std::string_view field;
  bool has_columns = false;  // beside the nested field, or instead of it
};

constexpr Question questions[] = {{"--cliffs", "staircases"},
                                  {"--budget", "budget"},
                                  {"--target-blocks", "target"},
                                  {"--target-occupancy", "target"},
                                  {"--suggest-block", "block_sizes"},
                                  {"--explain", "explain"},
                                  {"--achieved", "waves"},
                                  {"--gpu", "gpu", true},
                                  {"--sms", "gpu", true},
                                  {"--gpcs", "gpu", true},
                                  {"--cluster", "clusters", true},
                                  {"--grid", "waves", true},
                                  {"--latency", "latency", true},
                                  {"--bytes-in-flight", "latency", true},
                                  {"--ilp", "latency", true}};

bool is_question(std::string_view field) {
  return std::any_of(std::begin(questions), std::end(questions),
                     [&](const Question& question) { return question.field == field; });
}

// A single report tells its remedies only where it cannot launch; that is decided when it is written.
bool is_shown(const Field& field, const Output& output, const Asked& asked, bool is_single) {
  const auto was_asked = [&asked](std::string_view question) {
    return std::find(asked.begin(), asked.end(), question) != asked.end();
  };
  switch (field.kind) {
    case Field::Kind::Column:
    case Field::Kind::Passed: return true;
    case Field::Kind::Key: return is_json(output.format);
    case Field::Kind::Tree:
      return is_json(output.format) && (is_question(field.name) ? was_asked(field.name) : is_single);
    case Field::Kind::Answer: return was_asked(field.question);
    case Field::Kind::TreeMember: return was_asked(field.question) && !is_json(output.format);
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

Asked asked_by(const Arguments& arguments) {
  Asked asked;
  for (const Question& question : questions) {
    if (arguments.has(question.option)) {
      asked.push_back(question.field);
    }
  }
  return asked;
}

report::Fields choose_fields(const Output& output, const Asked& asked, bool is_single, const report::Fields& all) {
  if (!output.sort.empty()) {
    static_cast<void>(find_plain_field("--sort", output.sort, all));  // one configuration is in any order
  }
  report::Fields fields;
  if (output.columns.empty()) {
    std::copy_if(all.begin(), all.end(), std::back_inserter(fields),
                 [&](const Field* field) { return is_shown(*field, output, asked, is_single); });
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
    if (arguments.has(question.option) && !can_answer && !question.has_columns) {
      throw InputError(std::string(question.option),
                       is_single ? "is answered in the report and with --json, not in this format"
                                 : "is answered for each row with --json, and for each kernel also with --report");
    }
  }
}

namespace {

bool has_any(const Arguments& arguments, std::initializer_list<std::string_view> options) {
  return std::any_of(options.begin(), options.end(),
                     [&arguments](std::string_view option) { return arguments.has(option); });
}

// A launch on a GPU of which something is not given.
void refuse_incomplete_launch(const Arguments& arguments) {
  if (arguments.has("--sms") &&
      !has_any(arguments, {"--from", "--suggest-block", "--grid", "--cluster", "--latency", "--bytes-in-flight"})) {
    throw InputError("--sms", "goes with --grid, --cluster, or with --suggest-block, whose minimum grids it sets");
  }
  if (arguments.has("--gpcs") && !has_any(arguments, {"--cluster", "--from"})) {
    throw InputError("--gpcs", "goes with --cluster: the blocks of a cluster share one GPC");
  }
  for (const std::string_view option : {"--grid", "--cluster"}) {
    if (arguments.has(option) && !has_any(arguments, {"--gpu", "--sms", "--gpcs"})) {
      throw InputError(std::string(option), "needs the number of SMs: give --gpu, as --gpu a100, or --sms");
    }
  }
  if (arguments.has("--achieved") && !has_any(arguments, {"--grid", "--from"})) {
    throw InputError("--achieved", "goes with --grid: it is compared with what the waves of a grid allow");
  }
}

}  // namespace

void refuse_what_is_not_known(const Arguments& arguments, bool inputs_have_launches) {
  if (!inputs_have_launches) {
    refuse_incomplete_launch(arguments);
  }
  for (const std::string_view option : {"--latency", "--bytes-in-flight"}) {
    if (arguments.has(option) && !has_any(arguments, {"--gpu", "--from"})) {
      throw InputError(std::string(option),
                       "needs the bandwidth, clock and SMs of a GPU: give --gpu, as --gpu \"a100 sxm4 40gb\"");
    }
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
