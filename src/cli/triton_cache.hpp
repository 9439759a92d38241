/// Triton's cache: beside each cubin lies a JSON that says how its kernel is launched.
#pragma once

#include <optional>
#include <string>

#include "occcalc/readers.hpp"

namespace occcalc::cli {

/// The other file of such a pair: "k.json" of "k.cubin" and the reverse; empty for other names.
[[nodiscard]] std::string triton_partner(const std::string& path);

/// Whether it is the list of a kernel's files, which says nothing of a launch.
[[nodiscard]] bool is_triton_list(const std::string& path);

/// What the JSON says of the launch; nullopt where it is no such file, or none that can be read.
[[nodiscard]] std::optional<KernelRecord> read_triton_launch(const std::string& path);

/// Adds it to the kernel of the cubin, if it is the one that the JSON names.
void add_launch(const KernelRecord& launch, KernelRecord& kernel);

}  // namespace occcalc::cli
