/// Pieces of JSON, without line ends.
#pragma once

#include <span>
#include <string>

#include "report/fields.hpp"

namespace occcalc::report {

/// The reasons of a row, as an array.
void append_reasons(TextBuffer& out, const Row& row);

/// A configuration as an object of the chosen fields.
void append_object(TextBuffer& out, const Report& report, std::span<const Field* const> fields);

}  // namespace occcalc::report
