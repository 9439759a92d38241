#include "cli/triton_cache.hpp"

#include <string_view>
#include <utility>

#include "cli/files.hpp"
#include "occcalc/error.hpp"

namespace occcalc::cli {

namespace {

constexpr std::string_view json_ending = ".json";
constexpr std::string_view cubin_ending = ".cubin";

std::string with_ending(const std::string& path, std::string_view old_ending, std::string_view new_ending) {
  return path.substr(0, path.size() - old_ending.size()) + std::string(new_ending);
}

}  // namespace

std::string triton_partner(const std::string& path) {
  return path.ends_with(json_ending)    ? with_ending(path, json_ending, cubin_ending)
         : path.ends_with(cubin_ending) ? with_ending(path, cubin_ending, json_ending)
                                        : "";
}

bool is_triton_list(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = std::string_view(path).substr(slash == std::string::npos ? 0 : slash + 1);
  return name.starts_with("__grp__") && name.ends_with(json_ending);
}

std::optional<KernelRecord> read_triton_launch(const std::string& path) {
  constexpr std::int64_t most = 1 << 20;  // a trace may have this name too
  const std::optional<std::int64_t> size = regular_file_size(path);
  if (!size || *size > most) {
    return std::nullopt;
  }
  std::optional<KernelRecord> launch;
  int kernels = 0;
  try {
    const InputBytes bytes(path);
    if (recognise(bytes.view()) != InputKind::Json) {
      return std::nullopt;
    }
    read_kernel_json(bytes.view(), {[&](KernelRecord&& kernel) {
                                      launch = std::move(kernel);
                                      ++kernels;
                                    },
                                    [](std::int64_t /*line*/, const std::string& /*what*/) {}});
  } catch (const InputError&) {
    return std::nullopt;
  }
  // A profiler's trace states registers.
  return kernels == 1 && launch->block && !launch->registers_per_thread ? launch : std::nullopt;
}

void add_launch(const KernelRecord& launch, KernelRecord& kernel) {
  if (launch.kernel == kernel.kernel) {
    kernel.block = launch.block;
    kernel.dynamic_shared_memory = launch.dynamic_shared_memory;
    kernel.cluster = kernel.cluster ? kernel.cluster : launch.cluster;
  }
}

}  // namespace occcalc::cli
