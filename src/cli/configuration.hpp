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

/// Throws InputError at `where` if --arch-file, --gpu-file and `paths` together name standard input, "-", more than
/// once.
void refuse_stdin_twice(const Arguments& arguments, const std::string& where, const std::vector<std::string>& paths);

/// Throws InputError that shows an example unless --arch and --block are given; --block may be left out where it is to
/// be suggested.
void require_given(const Arguments& arguments, bool block_may_be_suggested);

/// The option that gives the dynamic memory: --smem, which stands for both parts, or --smem-dynamic. Throws InputError
/// where --smem stands beside one of the parts.
[[nodiscard]] std::string dynamic_memory_option(const Arguments& arguments);

/// What does not vary in a sweep: opt-in, global caching, virtual resources, memory per thread.
void read_constants(const Arguments& arguments, KernelResources& kernel, LaunchConfig& launch);

/// Throws InputError for values of questions that mean nothing, before any row is told.
void check_questions(const Arguments& arguments);

/// All that a single report tells of a row, the answers to the questions included.
[[nodiscard]] report::Report complete_report(const Arguments& arguments, const report::Row& row);

/// Reads, computes and describes the configuration that the options give. `catalog` must outlive the report.
[[nodiscard]] report::Report read_configuration(const Arguments& arguments, const ArchCatalog& catalog);

}  // namespace occcalc::cli
