#include <algorithm>

#include "cli/commands.hpp"
#include "cli/configuration.hpp"
#include "cli/files.hpp"
#include "cli/gpu_parts.hpp"
#include "cli/output.hpp"
#include "cli/row_output.hpp"
#include "input/text.hpp"
#include "occcalc/error.hpp"
#include "report/gpu_fields.hpp"
#include "report/gpu_table.hpp"

namespace occcalc::cli {

namespace {

using report::Row;

class GpuRows : public HeldRows {
 public:
  GpuRows(std::vector<Row> rows, bool details) : HeldRows(std::move(rows)), details_(details) {}

  [[nodiscard]] std::unique_ptr<report::RowTable> table(report::Style style) const override {
    if (details_) {
      return std::make_unique<report::GpuDetails>(style);
    }
    return std::make_unique<report::GpuTable>(rows(), style);
  }

 private:
  bool details_;
};

// Each once, in the order of the names.
std::vector<const Gpu*> choose(const GpuCatalog& catalog, const std::vector<std::string>& names) {
  std::vector<const Gpu*> chosen;
  if (names.empty() || (names.size() == 1 && input::equal_ignoring_case(names.front(), "all"))) {
    for (const Gpu& gpu : catalog.gpus()) {
      chosen.push_back(&gpu);
    }
    return chosen;
  }
  for (const std::string& name : names) {
    for (const Gpu* const gpu : find_gpus(catalog, "gpus", name)) {
      if (std::find(chosen.begin(), chosen.end(), gpu) == chosen.end()) {
        chosen.push_back(gpu);
      }
    }
  }
  return chosen;
}

// Its architecture may be one that nobody knows.
Row row_of(const Gpu& gpu, const ArchCatalog& archs) {
  Row row;
  row.gpu = &gpu;
  if (gpu.compute_capability) {
    row.architecture = archs.find(to_string(*gpu.compute_capability));
    row.arch = row.architecture != nullptr ? std::string(row.architecture->name)
                                           : to_string(ArchName{*gpu.compute_capability});
  }
  return row;
}

}  // namespace

ExitStatus run_gpus(const Arguments& arguments, const std::vector<std::string>& names) {
  const Output output = read_output(arguments);
  refuse_svg(output);
  const ArchCatalog archs = read_catalog(arguments);
  const GpuCatalog catalog = read_gpu_catalog(arguments);
  RowOutput rows_output(arguments, output, report::gpu_fields(), {}, Gates());
  std::string only;
  if (const std::string* const arch = arguments.value("--arch")) {
    only = find_named(archs, "--arch", *arch).architecture->name;
  }
  std::vector<Row> rows;
  for (const Gpu* const gpu : choose(catalog, names)) {
    Row row = row_of(*gpu, archs);
    if (only.empty() || row.arch == only) {
      rows.push_back(std::move(row));
    }
  }
  if (rows.empty()) {
    write_stderr("occcalc: note: none of these GPUs is of " + only);
  }
  return rows_output.write(GpuRows(std::move(rows), !names.empty()));
}

}  // namespace occcalc::cli
