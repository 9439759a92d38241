#include "cli/given_columns.hpp"

#include <algorithm>

#include "cli/files.hpp"
#include "input/text.hpp"
#include "occcalc/error.hpp"

namespace occcalc::cli {

namespace {

// What users call the fields, beside their names: such columns are passed through, which is hardly what was meant.
struct OtherName {
  std::string_view name;
  Given field;
};

constexpr OtherName other_names[] = {
    {"sm", Given::Arch},
    {"gpu_arch", Given::Arch},
    {"block", Given::Block},
    {"block_size", Given::Block},
    {"threads", Given::Block},
    {"regs", Given::Registers},
    {"registers", Given::Registers},
    {"smem", Given::DynamicMemory},
    {"smem_dynamic", Given::DynamicMemory},
    {"shared_memory", Given::DynamicMemory},
    {"smem_static", Given::StaticMemory},
    {"carveout", Given::Capacity},
};

std::optional<Given> field_named(std::string_view name) {
  const auto* const match = std::find(given_names.begin(), given_names.end(), name);
  return match == given_names.end() ? std::nullopt : std::optional(static_cast<Given>(match - given_names.begin()));
}

std::optional<Given> field_meant(std::string_view name) {
  const std::size_t first = std::min(name.find_first_not_of(' '), name.size());
  name = name.substr(first, name.find_last_not_of(' ') + 1 - first);
  for (std::size_t i = 0; i < given_names.size(); ++i) {
    if (input::equal_ignoring_case(name, given_names[i])) {
      return static_cast<Given>(i);
    }
  }
  for (const OtherName& other : other_names) {
    if (input::equal_ignoring_case(name, other.name)) {
      return other.field;
    }
  }
  return std::nullopt;
}

// Nested fields are ours in JSON only: a column of CSV that is named `notes` is the user's. So is one that is named as
// an answer about a GPU, where there is none.
bool is_ours(std::string_view name, bool is_json, bool has_gpu) {
  const auto fields = report::configuration_fields();
  return std::any_of(fields.begin(), fields.end(), [&](const report::Field& field) {
    return field.name == name && (field.question.empty() || has_gpu) &&
           (is_json || field.kind != report::Field::Kind::Tree);
  });
}

// A grid or a cluster is an input where there is a GPU to put it on, which the options or the columns say.
bool is_input(Given field, bool has_gpu) { return (field != Given::Grid && field != Given::Cluster) || has_gpu; }

bool names_gpu(const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [](const std::string& name) { return name == "gpu" || name == "sm_count"; });
}

std::string accepted_columns() {
  std::string names;
  for (const std::string_view name : given_names) {
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names;
}

// The names, as far as they fit a line.
std::string found(const std::vector<std::string>& names) {
  std::string text;
  constexpr std::size_t most = 60;
  for (const std::string& name : names) {
    text += (text.empty() ? "'" : "', '") + name;
  }
  return text.substr(0, most) + (text.size() > most ? "..." : "'");
}

}  // namespace

Columns::Columns(const input::RecordReader& reader, bool has_gpu) : source_(reader.source()) {
  const std::vector<std::string>& names = reader.columns();
  has_gpu = has_gpu || names_gpu(names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (const std::optional<Given> field = field_named(names[i]); field && is_input(*field, has_gpu)) {
      given_[static_cast<std::size_t>(*field)] = i;
    } else if (!is_ours(names[i], reader.syntax() != input::RecordSyntax::Csv,
                        has_gpu)) {  // what is ours and no input is computed anew
      passed_.push_back(i);
    }
  }
  const bool has_none =
      std::none_of(given_.begin(), given_.end(), [](const auto& column) { return column.has_value(); });
  if (has_none && !reader.is_empty()) {
    throw InputError(source_, "no column is a field of a configuration; accepted: " + accepted_columns() +
                                  ", and any others, which are passed through; found " + found(names));
  }
  for (const std::size_t passed : passed_) {
    note_meaning(names[passed]);
  }
  for (std::size_t i = 0; i < passed_.size(); ++i) {
    fields_.push_back({names[passed_[i]], report::Field::Kind::Passed, nullptr, {}, i});
  }
}

void Columns::note_meaning(const std::string& name) const {
  const std::optional<Given> meant = field_meant(name);
  if (meant && given_names[static_cast<std::size_t>(*meant)] == name) {
    write_stderr("occcalc: note: " + source_ + ": the column '" + name +
                 "' is passed through; it is an input where --gpu or --sms says what it runs on");
  } else if (meant) {
    write_stderr("occcalc: note: " + source_ + ": the column '" + name + "' is passed through; our field is named " +
                 std::string(given_names[static_cast<std::size_t>(*meant)]));
  }
}

}  // namespace occcalc::cli
