#include <algorithm>
#include <cmath>

#include "cli/commands.hpp"
#include "cli/configuration.hpp"
#include "cli/files.hpp"
#include "cli/output.hpp"
#include "input/values.hpp"
#include "occcalc/error.hpp"
#include "report/fields.hpp"
#include "report/json_questions.hpp"
#include "report/numbers.hpp"
#include "report/report.hpp"

namespace occcalc::cli {

namespace {

using report::Field;
using report::Report;

std::vector<const Field*> all_fields(Format format, const Report& report) {
  std::vector<const Field*> fields;
  for (const Field& field : report::configuration_fields()) {
    if ((format == Format::Json && report::was_asked(report, field.name)) || field.kind == Field::Kind::Column) {
      fields.push_back(&field);
    }
  }
  return fields;
}

// The fields of --columns or --get, in their order; all that the format shows otherwise.
std::vector<const Field*> choose_fields(const Output& output, const Report& report) {
  if (output.columns.empty()) {
    return all_fields(output.format, report);
  }
  std::vector<std::string_view> known;
  for (const Field& field : report::configuration_fields()) {
    if (output.format == Format::Json || field.kind != Field::Kind::Tree) {
      known.push_back(field.name);
    }
  }
  require_columns(output, known);
  std::vector<const Field*> fields;
  for (const std::string& column : output.columns) {
    const auto all = report::configuration_fields();
    fields.push_back(
        &*std::find_if(all.begin(), all.end(), [&column](const Field& field) { return field.name == column; }));
  }
  return fields;
}

std::string write(const Output& output, const Report& report) {
  const std::vector<const Field*> fields = choose_fields(output, report);
  const std::span<const Report> one(&report, 1);
  switch (output.format) {
    case Format::Json: return report::write_json(report, fields);
    case Format::Csv: return report::write_csv(one, fields);
    case Format::Values: return report::write_values(one, fields);
    case Format::Table: break;
  }
  return output.columns.empty() ? report::write_table(report, output.style) : report::write_columns(one, fields);
}

// The gates that were asked for, and by how much they are missed.
class Gates {
 public:
  explicit Gates(const Arguments& arguments) : launch_(arguments.has("--require-launch")) {
    if (const std::string* const text = arguments.value("--require-occupancy")) {
      occupancy_ = input::read_fraction("--require-occupancy", *text);
    }
  }

  [[nodiscard]] bool are_met_by(const Report& report) const {
    bool met = true;
    if (launch_ && !report.occupancy.launchable()) {
      write_stderr("occcalc: not met: --require-launch: " + report.arch + " cannot launch this configuration");
      met = false;
    }
    if (occupancy_ && hundredths(report.occupancy.fraction()) < hundredths(*occupancy_)) {
      write_stderr("occcalc: not met: --require-occupancy " + report::percent(*occupancy_) + ": " + report.arch +
                   " reaches " + report::percent(report.occupancy.fraction()));
      met = false;
    } else if (occupancy_ && !report.kernel.registers_per_thread) {
      write_stderr("occcalc: note: --require-occupancy was held against an upper bound, because --regs was not given");
    }
    return met;
  }

 private:
  // Of a per cent, as reports print them: their own figure must pass.
  static double hundredths(double fraction) { return std::round(fraction * 10000); }

  bool launch_;
  std::optional<double> occupancy_;
};

}  // namespace

ExitStatus run_calculator(const Arguments& arguments) {
  const Output output = read_output(arguments);
  const Gates gates(arguments);
  const ArchCatalog catalog = read_catalog(arguments);
  const Report report = read_configuration(arguments, catalog);
  deliver(output, write(output, report));
  return gates.are_met_by(report) ? answered : answered_no;
}

}  // namespace occcalc::cli
