/// The GPUs that configurations run on: --gpu, --gpu-file, --sms, --gpcs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "occcalc/arch_catalog.hpp"
#include "occcalc/gpu.hpp"
#include "report/report.hpp"

namespace occcalc::cli {

/// The built-in products and those of --gpu-file. Throws InputError.
[[nodiscard]] GpuCatalog read_gpu_catalog(const Arguments& arguments);

/// The products that `text` may stand for, at least one. Throws InputError at `where` with names that are spelled
/// nearly so.
[[nodiscard]] std::vector<const Gpu*> find_gpus(const GpuCatalog& catalog, const std::string& where,
                                                const std::string& text);

/// What questions need to know of a GPU.
struct Needs {
  bool sms = false;
  bool memory = false;
};

/// The products that a name may stand for do not differ in what is needed. Throws InputError at `where`.
void require_agreement(const std::string& where, const std::string& name, const std::vector<const Gpu*>& gpus,
                       const Needs& needs);

/// Which SMs: those of --sms and --gpcs and, where these say nothing, of the products that a name may stand for. Throws
/// InputError where they contradict each other.
[[nodiscard]] Sms read_layout(const Arguments& arguments, const std::vector<const Gpu*>& gpus);

/// A GPU of --gpu, or what --sms and --gpcs say of one without a name.
struct NamedPart {
  std::string arch{};  ///< empty: --gpu does not name it
  std::shared_ptr<const report::GpuPart> part{};
};

/// The options say which SMs there are, whatever the product.
[[nodiscard]] bool has_layout(const Arguments& arguments);

/// The options name SMs: those of a product, or their number.
[[nodiscard]] bool names_sms(const Arguments& arguments);

/// The options ask about the memory of a GPU.
[[nodiscard]] bool asks_memory(const Arguments& arguments);

/// One for each of --gpu, in its order; otherwise one that has no architecture. Products that a name may all stand for
/// must agree on what is asked: the architecture, and what the questions need. Throws InputError.
[[nodiscard]] std::vector<NamedPart> read_gpu_parts(const Arguments& arguments, const ArchCatalog& archs);

/// What is known of the products that a name may stand for, as far as they agree; without the options. A DRAM latency
/// that is not theirs is that of `architecture`.
[[nodiscard]] report::GpuPart named_part(const std::vector<const Gpu*>& gpus, const std::string& name,
                                         const Architecture& architecture);

/// The arguments with the architectures of the parts as --arch, where they have some.
[[nodiscard]] Arguments with_archs(const Arguments& arguments, const std::vector<NamedPart>& parts);

}  // namespace occcalc::cli
