/// One configuration from the command line.
#pragma once

#include "cli/arguments.hpp"
#include "report/report.hpp"

namespace occcalc::cli {

/// The built-in architectures and those of --arch-file.
[[nodiscard]] ArchCatalog read_catalog(const Arguments& arguments);

/// The architecture that `text` names and its canonical name with suffix. Throws InputError that lists the known ones.
struct NamedArchitecture {
  const Architecture* architecture = nullptr;
  std::string name;
};
[[nodiscard]] NamedArchitecture find_named(const ArchCatalog& catalog, const std::string& where,
                                           const std::string& text);

/// Reads, computes and describes the configuration that the options give. `catalog` must outlive the report.
[[nodiscard]] report::Report read_configuration(const Arguments& arguments, const ArchCatalog& catalog);

}  // namespace occcalc::cli
