#include <algorithm>

#include "cli/commands.hpp"
#include "cli/configuration.hpp"
#include "cli/output.hpp"
#include "input/text.hpp"
#include "report/archs.hpp"

namespace occcalc::cli {

namespace {

using report::ArchReport;

std::vector<const Architecture*> choose(const ArchCatalog& catalog, const std::vector<std::string>& names) {
  std::vector<const Architecture*> chosen;
  const bool all = names.size() == 1 && input::equal_ignoring_case(names.front(), "all");
  if (names.empty() || all) {
    for (const Architecture& architecture : catalog.architectures()) {
      chosen.push_back(&architecture);
    }
  }
  for (const std::string& name : all ? std::vector<std::string>() : names) {
    const std::size_t before = chosen.size();
    for (const Architecture& architecture : catalog.architectures()) {
      if (input::equal_ignoring_case(architecture.generation, name) && architecture.name != architecture.generation) {
        chosen.push_back(&architecture);
      }
    }
    if (chosen.size() == before) {
      chosen.push_back(find_named(catalog, "archs", name).architecture);
    }
  }
  return chosen;
}

std::string write_table(const std::vector<ArchReport>& archs, bool details, report::Style style) {
  if (!details) {
    return report::write_archs_table(archs, style);
  }
  std::string text;
  for (const ArchReport& arch : archs) {
    text += (text.empty() ? "" : "\n") + report::write_arch_details(arch, style);
  }
  return text;
}

std::string write(const Output& output, const std::vector<ArchReport>& archs, bool details) {
  const std::vector<std::string_view> chosen(output.columns.begin(), output.columns.end());
  const std::vector<std::string_view> columns = chosen.empty() ? report::arch_column_names() : chosen;
  switch (output.format) {
    case Format::Json: return report::write_archs_json(archs, chosen);
    case Format::Jsonl: return report::write_archs_jsonl(archs, chosen);
    case Format::Markdown: return report::write_archs_markdown(archs, columns);
    case Format::Values: return report::write_archs_values(archs, chosen);
    case Format::Csv:
      return details && chosen.empty() ? report::write_arch_details_csv(archs)
                                       : report::write_archs_csv(archs, columns);
    case Format::Table:
    case Format::Svg: break;
  }
  return chosen.empty() ? write_table(archs, details, output.style) : report::write_archs_columns(archs, chosen);
}

}  // namespace

ExitStatus run_archs(const Arguments& arguments, const std::vector<std::string>& names) {
  const Output output = read_output(arguments);
  refuse_svg(output);
  require_columns(output, report::arch_column_names());
  const ArchCatalog catalog = read_catalog(arguments);
  const bool details = !names.empty();
  const bool needs_sources =
      output.columns.empty() && (details || (output.format == Format::Json || output.format == Format::Jsonl));
  std::vector<ArchReport> archs;
  for (const Architecture* const architecture : choose(catalog, names)) {
    archs.push_back({architecture, needs_sources ? catalog.provenance(architecture->name) : Provenance{}});
  }
  deliver(output, write(output, archs, details));
  return answered;
}

}  // namespace occcalc::cli
