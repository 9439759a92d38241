#include "cli/gpus.hpp"

#include <algorithm>
#include <functional>

#include "cli/commands.hpp"
#include "cli/configuration.hpp"
#include "cli/files.hpp"
#include "cli/output.hpp"
#include "cli/row_output.hpp"
#include "input/lists.hpp"
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

GpuCatalog read_gpu_catalog(const Arguments& arguments) {
  constexpr std::size_t most_bytes = 16 << 20;
  GpuCatalog catalog;
  for (const std::string& path : arguments.values("--gpu-file")) {
    catalog.add_json(read_file(path, most_bytes), path);
  }
  return catalog;
}

std::vector<const Gpu*> find_gpus(const GpuCatalog& catalog, const std::string& where, const std::string& text) {
  std::vector<const Gpu*> found = catalog.find(text);
  if (!found.empty()) {
    return found;
  }
  std::string near;
  for (const std::string& name : catalog.suggestions(text)) {
    near += (near.empty() ? "; did you mean " : ", ") + name;
  }
  throw InputError(where, "unknown GPU " + input::abridged(text) + (near.empty() ? "" : near + "?") +
                              "; `occcalc gpus` lists the known ones, --gpu-file adds one");
}

namespace {

std::string arch_of(const Gpu& gpu, const std::string& name) {
  if (!gpu.compute_capability) {
    throw InputError(
        "--gpu", "the architecture of " + gpu.name + " is unknown; give --arch instead of " + input::abridged(name));
  }
  return to_string(ArchName{*gpu.compute_capability});
}

// Names of products, each with what they differ in.
template <class Text>
[[noreturn]] void refuse_ambiguous(const std::string& name, const std::vector<const Gpu*>& gpus, const Text& text) {
  constexpr std::size_t most = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(most, gpus.size()); ++i) {
    list += (i == 0 ? "" : ", ") + gpus[i]->name + " (" + text(*gpus[i]) + ")";
  }
  throw InputError(
      "--gpu", input::abridged(name) + " may be " + list + (gpus.size() > most ? " ..." : "") + "; name one of them");
}

std::string sms_text(const Gpu& gpu) { return gpu.sm_count ? std::to_string(*gpu.sm_count) + " SMs" : "SMs unknown"; }

// The number of SMs, on which all products agree.
std::string sms_of(const std::vector<const Gpu*>& gpus, const std::string& name) {
  for (const Gpu* const gpu : gpus) {
    if (gpu->sm_count != gpus.front()->sm_count) {
      refuse_ambiguous(name, gpus, sms_text);
    }
  }
  if (!gpus.front()->sm_count) {
    throw InputError("--gpu", "the number of SMs of " + gpus.front()->name + " is unknown; give --sms");
  }
  return std::to_string(*gpus.front()->sm_count);
}

}  // namespace

Arguments resolve_gpu(const Arguments& arguments) {
  if (!arguments.has("--gpu")) {
    if (arguments.has("--gpu-file")) {
      throw InputError("--gpu-file", "goes with --gpu, which names a product of it");
    }
    return arguments;
  }
  refuse_stdin_twice(arguments, "--gpu-file", arguments.values("--gpu-file"));
  if (arguments.has("--arch")) {
    throw InputError("--gpu", "sets the architecture; give it, or --arch");
  }
  const GpuCatalog catalog = read_gpu_catalog(arguments);
  const std::vector<std::string> names = input::split_items("--gpu", arguments.values("--gpu"));
  const bool needs_sms = (arguments.has("--grid") || arguments.has("--suggest-block")) && !arguments.has("--sms");
  std::vector<std::string> archs;
  std::vector<std::string> sms;
  for (const std::string& name : names) {
    const std::vector<const Gpu*> gpus = find_gpus(catalog, "--gpu", name);
    const std::string arch = arch_of(*gpus.front(), name);
    for (const Gpu* const gpu : gpus) {
      if (arch_of(*gpu, name) != arch) {
        refuse_ambiguous(name, gpus, [&](const Gpu& one) { return arch_of(one, name); });
      }
    }
    if (needs_sms) {
      sms.push_back(sms_of(gpus, name));
    }
    if (std::find(archs.begin(), archs.end(), arch) == archs.end()) {
      archs.push_back(arch);
    }
  }
  if (std::adjacent_find(sms.begin(), sms.end(), std::not_equal_to<>()) != sms.end()) {
    throw InputError("--gpu", "names GPUs with different numbers of SMs; give one of them here");
  }
  const Arguments resolved = arguments.with("--arch", archs);
  return needs_sms ? resolved.with("--sms", {sms.front()}) : resolved;
}

ExitStatus run_gpus(const Arguments& arguments, const std::vector<std::string>& names) {
  const Output output = read_output(arguments);
  refuse_stdin_twice(arguments, "--gpu-file", arguments.values("--gpu-file"));
  const ArchCatalog archs = read_catalog(arguments);
  const GpuCatalog catalog = read_gpu_catalog(arguments);
  RowOutput rows_output(arguments, output, report::gpu_fields(), Gates());
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
