/// Reads the JSON of data/gpus.json and of --gpu-file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "occcalc/gpu.hpp"

namespace occcalc::input {

/// The products of a JSON text. Throws InputError (`source: place`, or `source:line:column` where it is no JSON).
[[nodiscard]] std::vector<Gpu> read_gpus(std::string_view text, const std::string& source);

/// data/gpus.json, compiled in.
[[nodiscard]] std::string_view built_in_gpus() noexcept;

}  // namespace occcalc::input
