/// Which fields are written.
#pragma once

#include <string_view>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/output.hpp"
#include "report/rows.hpp"

namespace occcalc::cli {

/// What is asked beyond one SM's answer: names of nested fields, and "gpu".
using Asked = std::vector<std::string_view>;
[[nodiscard]] Asked asked_by(const Arguments& arguments);

/// Every field of a configuration, and the user's own columns behind ours.
[[nodiscard]] report::Fields all_fields(std::span<const report::Field> passed);

/// The fields of --columns or --get, in their order; otherwise all that the format shows by itself. `is_single`: one
/// configuration, which JSON tells in full. `all`: those there are.
[[nodiscard]] report::Fields choose_fields(const Output& output, const Asked& asked, bool is_single,
                                           const report::Fields& all);

/// Throws InputError where a question was asked that the output cannot answer.
void refuse_questions(const Arguments& arguments, const Output& output, bool is_single);

/// Throws InputError where a question of the whole GPU was asked, and no option says what the GPU is.
/// `inputs_have_launches`: a grid, a cluster, or the number of SMs may stand in them.
void refuse_what_is_not_known(const Arguments& arguments, bool inputs_have_launches = false);

/// The field of this name among those that hold a plain value; throws InputError that lists them.
[[nodiscard]] const report::Field& find_plain_field(const std::string& where, const std::string& name,
                                                    const report::Fields& all);

}  // namespace occcalc::cli
