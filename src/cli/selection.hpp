/// Which fields are written.
#pragma once

#include "cli/arguments.hpp"
#include "cli/output.hpp"
#include "report/rows.hpp"

namespace occcalc::cli {

/// Every field of a configuration, and the user's own columns behind ours.
[[nodiscard]] report::Fields all_fields(std::span<const report::Field> passed);

/// The fields of --columns or --get, in their order; otherwise all that the format shows by itself. `is_single`: one
/// configuration, which JSON tells in full. `all`: those there are.
[[nodiscard]] report::Fields choose_fields(const Output& output, const Arguments& arguments, bool is_single,
                                           const report::Fields& all);

/// Throws InputError where a question was asked that the output cannot answer.
void refuse_questions(const Arguments& arguments, const Output& output, bool is_single);

/// The field of this name among those that hold a plain value; throws InputError that lists them.
[[nodiscard]] const report::Field& find_plain_field(const std::string& where, const std::string& name,
                                                    const report::Fields& all);

}  // namespace occcalc::cli
