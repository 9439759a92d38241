/// The architectures themselves: `occcalc archs`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "occcalc/arch_catalog.hpp"
#include "report/report.hpp"

namespace occcalc::report {

/// An architecture and where its numbers come from; the provenance is read only by the writers of single parts and
/// JSON.
struct ArchReport {
  const Architecture* architecture = nullptr;
  Provenance provenance;
};

/// The names of an architecture's columns: name, compute_capability ..., every limit, confidence.
[[nodiscard]] std::vector<std::string_view> arch_column_names();

/// The limits of many parts, side by side.
[[nodiscard]] std::string write_archs_table(std::span<const ArchReport> archs, Style style);
/// Every limit of one part with its sources, conflicts, notes.
[[nodiscard]] std::string write_arch_details(const ArchReport& arch, Style style);
/// The chosen columns, aligned.
[[nodiscard]] std::string write_archs_columns(std::span<const ArchReport> archs,
                                              std::span<const std::string_view> columns);
/// The chosen columns, one row a part.
[[nodiscard]] std::string write_archs_csv(std::span<const ArchReport> archs, std::span<const std::string_view> columns);
/// One row a limit: name, limit, value, sources, conflicts, confidence.
[[nodiscard]] std::string write_arch_details_csv(std::span<const ArchReport> archs);
/// Bare values, tab-separated, one part a line.
[[nodiscard]] std::string write_archs_values(std::span<const ArchReport> archs,
                                             std::span<const std::string_view> columns);
/// The chosen columns as a table of GitHub's Markdown.
[[nodiscard]] std::string write_archs_markdown(std::span<const ArchReport> archs,
                                               std::span<const std::string_view> columns);
/// One object a line, as in the array of write_archs_json().
[[nodiscard]] std::string write_archs_jsonl(std::span<const ArchReport> archs,
                                            std::span<const std::string_view> columns);
/// An array of objects that --arch-file accepts, or of objects with the chosen columns.
[[nodiscard]] std::string write_archs_json(std::span<const ArchReport> archs,
                                           std::span<const std::string_view> columns);

}  // namespace occcalc::report
