/// Why nothing was found in an input, and what to do instead.
#pragma once

#include <string>
#include <string_view>

namespace occcalc::cli {

/// What was looked for.
inline constexpr std::string_view looked_for =
    "looked for GPU binaries, ptxas -v, nvlink, cuobjdump --dump-resource-usage, ncu, nsys and nvprof text or CSV, "
    "PyTorch traces, Triton's JSON";

/// A file that NVIDIA's tools export better themselves: the line that says how; empty if it is none.
[[nodiscard]] std::string export_advice(const std::string& name, std::string_view bytes);

/// The line for an input in which nothing is known.
[[nodiscard]] std::string refusal_of(const std::string& name, std::string_view bytes);

}  // namespace occcalc::cli
