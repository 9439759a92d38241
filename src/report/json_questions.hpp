/// What the questions add to a configuration's JSON object.
#pragma once

#include <string_view>

#include "report/report.hpp"

namespace occcalc::report {

class JsonWriter;

/// The key belongs to this report; the answers to questions that nobody asked do not.
[[nodiscard]] bool was_asked(const Report& report, std::string_view question);

/// Writes the value of a question's key (cliffs, budget ...); false if it is no such key.
bool write_question(JsonWriter& json, std::string_view question, const Report& report);

}  // namespace occcalc::report
