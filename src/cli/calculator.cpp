#include <algorithm>

#include "cli/commands.hpp"
#include "cli/configuration.hpp"
#include "cli/gates.hpp"
#include "cli/given_rows.hpp"
#include "cli/output.hpp"
#include "cli/plot.hpp"
#include "cli/selection.hpp"
#include "cli/sweep.hpp"
#include "occcalc/error.hpp"
#include "report/json.hpp"
#include "report/report.hpp"

namespace occcalc::cli {

namespace {

using report::Report;

std::string write_row(const report::RowWriter& writer, const Report& report) {
  report::TextBuffer row;
  writer.append(row, report);
  return writer.head() + std::string(row.view()) + writer.tail(false);
}

std::string write(const Output& output, const report::Fields& fields, const Report& report, bool plot) {
  switch (output.format) {
    case Format::Json: return report::write_json(report, fields);
    case Format::Jsonl: {
      report::TextBuffer text;
      report::append_object(text, report, fields);
      return std::string(text.view()) + "\n";
    }
    case Format::Csv: return write_row(*report::csv_rows(fields), report);
    case Format::Markdown: return write_row(*report::markdown_rows(fields), report);
    case Format::Values: return write_row(*report::value_rows(fields), report);
    case Format::Svg: return report::write_chart_svg(chart_of(report));
    case Format::Table: break;
  }
  const std::span<const Report> one(&report, 1);
  if (!output.columns.empty()) {
    return report::write_columns(one, fields);
  }
  return report::write_table(report, output.style) +
         (plot ? "\n" + report::write_chart_text(chart_of(report), output.style) : "");
}

// A launch that is possible needs no remedies.
void leave_out_remedies(const Output& output, const Report& report, report::Fields& fields) {
  if (output.columns.empty() && report.occupancy.launchable()) {
    std::erase_if(fields, [](const report::Field* field) { return field->name == "remedies"; });
  }
}

}  // namespace

ExitStatus run_calculator(const Arguments& arguments) {
  const Output output = read_output(arguments);
  check_plot(arguments, output);
  if (arguments.has("--from")) {
    return run_given_rows(arguments);
  }
  if (is_sweep(arguments)) {
    return run_sweep(arguments);
  }
  refuse_questions(arguments, output, true);
  refuse_what_is_not_known(arguments);
  const Gates gates(arguments);
  report::Fields fields = choose_fields(output, asked_by(arguments), true, all_fields({}));
  const ArchCatalog catalog = read_catalog(arguments);
  const Report report = read_configuration(arguments, catalog);
  leave_out_remedies(output, report, fields);
  deliver(output, write(output, fields, report, arguments.has("--plot")));
  GateCounts counts;
  gates.check(report, counts);
  return gates.judge(counts, 1) ? answered : answered_no;
}

}  // namespace occcalc::cli
