/// GPU products on the command line.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "occcalc/gpu.hpp"

namespace occcalc::cli {

/// The built-in products and those of --gpu-file. Throws InputError.
[[nodiscard]] GpuCatalog read_gpu_catalog(const Arguments& arguments);

/// The products that `text` may stand for, at least one. Throws InputError at `where` with names that are spelled
/// nearly so.
[[nodiscard]] std::vector<const Gpu*> find_gpus(const GpuCatalog& catalog, const std::string& where,
                                                const std::string& text);

/// The arguments with --arch and --sms as --gpu names them, where it is given and they are not. Products that a name
/// may all stand for must agree on what is asked. Throws InputError.
[[nodiscard]] Arguments resolve_gpu(const Arguments& arguments);

}  // namespace occcalc::cli
