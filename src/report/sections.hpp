/// The parts of the single report for people; table.cpp puts them together. Each ends with a newline, or is empty.
#pragma once

#include <string>

#include "report/report.hpp"

namespace occcalc::report {

/// Every warp slot is taken, and nothing unknown stands against it.
[[nodiscard]] bool is_full(const Report& report);

/// What binds, as text tells it: barriers that nobody asked for stay out where something else binds too.
[[nodiscard]] ResourceSet told_limiters(const Report& report);

/// "registers bind", "shared memory binds"
[[nodiscard]] std::string binding_phrase(const ResourceSet& limiters);

/// How far each input can go, what it loses then, what it could gain.
[[nodiscard]] std::string change_table(const Report& report, Style style);

/// What moves the ceiling that binds, and what would change nothing.
[[nodiscard]] std::string advice(const Report& report);

/// What would make an impossible launch possible.
[[nodiscard]] std::string remedy_lines(const Report& report);

/// The answers to the questions that were asked, each with its heading.
[[nodiscard]] std::string staircase_section(const Report& report, Style style);
[[nodiscard]] std::string budget_section(const Report& report, Style style);
[[nodiscard]] std::string target_section(const Report& report, Style style);
[[nodiscard]] std::string block_size_section(const Report& report, Style style);
[[nodiscard]] std::string clusters_section(const Report& report, Style style);
[[nodiscard]] std::string latency_section(const Report& report, Style style);
[[nodiscard]] std::string waves_section(const Report& report, Style style);
[[nodiscard]] std::string explain_section(const Report& report, Style style);

}  // namespace occcalc::report
