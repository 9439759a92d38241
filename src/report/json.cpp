#include "report/json.hpp"

#include "report/fields.hpp"
#include "report/json_questions.hpp"
#include "report/json_writer.hpp"
#include "report/report.hpp"
#include "report/sentences.hpp"

namespace occcalc::report {

namespace {

void write_ceiling(JsonWriter& json, const Ceiling& ceiling) {
  json.begin_object();
  json.member("resource", std::string(to_string(ceiling.resource)));
  json.member("blocks_per_sm", optional_value(ceiling.blocks_per_sm));
  json.member("requested", optional_value(ceiling.requested));
  json.member("allocated_per_block", optional_value(ceiling.allocated_per_block));
  json.member("available_per_sm", optional_value(ceiling.available_per_sm));
  json.member("granule", ceiling.granule);
  json.member("wasted_per_block", optional_value(ceiling.wasted_per_block));
  json.member("used_per_sm", optional_value(ceiling.used_per_sm));
  json.member("slack_blocks", optional_value(ceiling.slack_blocks));
  json.member("binds", ceiling.binds);
  json.end_object();
}

void write_reason(JsonWriter& json, const Reason& reason, const Row& row) {
  json.begin_object();
  json.member("code", std::string(to_string(reason.code)));
  json.member("message", sentence(reason, row));
  json.member("requested", reason.requested);
  json.member("allowed", reason.allowed);
  json.member("excess", reason.requested - reason.allowed);
  json.end_object();
}

void write_note(JsonWriter& json, const Note& note, const Report& report) {
  json.begin_object();
  json.member("code", std::string(to_string(note.code)));
  json.member("message", sentence(note, report));
  json.end_object();
}

void write_field(JsonWriter& json, const Field& field, const Report& report) {
  json.key(field.name);
  if (field.name == "ceilings") {
    json.array(report.ceilings, [&](const Ceiling& ceiling) { write_ceiling(json, ceiling); });
  } else if (field.name == "notes") {
    json.array(report.notes, [&](const Note& note) { write_note(json, note, report); });
  } else if (field.name == "reasons") {  // codes in CSV, told in full here
    json.array(report.reasons, [&](const Reason& reason) { write_reason(json, reason, report); });
  } else if (!write_question(json, field.name, report)) {
    json.cell(field, report);
  }
}

}  // namespace

void append_reasons(TextBuffer& out, const Row& row) {
  if (row.reasons.empty()) {
    out.append("[]");
    return;
  }
  JsonWriter json(0);
  json.array(row.reasons, [&](const Reason& reason) { write_reason(json, reason, row); });
  out.append(json.take_inline());
}

void append_object(TextBuffer& out, const Report& report, std::span<const Field* const> fields) {
  JsonWriter json(0);
  json.begin_object();
  for (const Field* const field : fields) {
    write_field(json, *field, report);
  }
  json.end_object();
  out.append(json.take_inline());
}

std::string write_json(const Report& report, std::span<const Field* const> fields) {
  JsonWriter json(2);
  json.begin_object();
  for (const Field* const field : fields) {
    write_field(json, *field, report);
  }
  json.end_object();
  return json.take();
}

}  // namespace occcalc::report
