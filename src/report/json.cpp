#include "report/json.hpp"

#include <algorithm>
#include <array>
#include <optional>

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
  json.member("excess", std::max<std::int64_t>(0, reason.requested - reason.allowed));
  json.end_object();
}

// A reason in full. Sweeps have the same one many times in a row, and its sentence costs more than all else of a row.
class ToldReason {
 public:
  [[nodiscard]] std::string_view text(const Reason& reason, const Row& row) {
    const bool depends_on_bytes =
        reason.code == ReasonCode::SharedMemoryPerBlock || reason.code == ReasonCode::SharedMemoryOptIn;
    Key key{reason.requested,
            reason.allowed,
            depends_on_bytes ? shared_memory_bytes(row.kernel, row.launch) : 0,
            row.kernel.registers_per_thread,
            row.occupancy.threads_per_block,
            row.architecture,
            row.kernel.required_block};
    if (key != key_ || row.arch != arch_) {
      JsonWriter json(0);
      write_reason(json, reason, row);
      text_ = json.take_inline();
      key_ = key;
      arch_ = row.arch;
    }
    return text_;
  }

 private:
  // All that its sentence tells, beside the name of the architecture.
  struct Key {
    std::int64_t requested = 0;
    std::int64_t allowed = 0;
    std::int64_t bytes = 0;
    std::optional<int> registers = std::nullopt;
    int threads = 0;
    const Architecture* architecture = nullptr;
    Dim3 required_block{};
    bool operator==(const Key&) const = default;
  };

  Key key_{};
  std::string arch_{};
  std::string text_{};
};

constexpr auto reason_codes = static_cast<std::size_t>(ReasonCode::InvalidAmount) + 1;

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
  thread_local std::array<ToldReason, reason_codes> told;
  out.append('[');
  for (const Reason& reason : row.reasons) {
    out.append(&reason == row.reasons.data() ? "" : ",");
    out.append(told[static_cast<std::size_t>(reason.code)].text(reason, row));
  }
  out.append(']');
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
