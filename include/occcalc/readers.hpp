/// @file
/// Kernels as compilers, profilers and traces tell of them: text in, records out. No reader opens a file.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "occcalc/kernel.hpp"
#include "occcalc/occupancy.hpp"

namespace occcalc {

/// What a profiler said of a launch, beside its resources. Nothing that the input does not state is filled in.
struct ReportedLaunch {
  std::array<std::optional<int>, all_resources.size()> blocks_per_sm{};  ///< its ceilings, by Resource
  std::optional<double> occupancy = std::nullopt;                        ///< theoretical, 0 to 1
  std::optional<double> achieved_occupancy = std::nullopt;               ///< 0 to 1
  /// Achieved as PyTorch's profiler estimates it: resident warps that the grid can fill, 0 to 1; it counts neither the
  /// opt-in to more than 48 KiB nor waves.
  std::optional<double> estimated_occupancy = std::nullopt;
  std::optional<std::int64_t> shared_memory_per_sm = std::nullopt;  ///< bytes: the carveout that the driver chose
  std::optional<double> duration_ns = std::nullopt;
  std::optional<double> compute_throughput = std::nullopt;            ///< of the peak, 0 to 1
  std::optional<double> memory_throughput = std::nullopt;             ///< of the peak, 0 to 1
  std::optional<double> waves = std::nullopt;                         ///< per SM
  std::optional<double> eligible_warps_per_scheduler = std::nullopt;  ///< ready to issue, on average over the cycles
  std::optional<double> warp_cycles_per_issue = std::nullopt;         ///< of a warp, between two of its instructions
  std::optional<double> long_scoreboard_cycles = std::nullopt;        ///< of those, waiting for global or local memory
};

/// One kernel, or one launch of it, as one input states it; what it does not state is empty.
struct KernelRecord {
  std::int64_t line = 0;  ///< of the input, where it begins; 0: the input has no lines
  std::string member{};   ///< of an archive, or section
  std::string kernel{};   ///< as written: mangled, or demangled by a profiler
  std::string arch{};     ///< "sm_90a"; empty: not stated

  std::optional<int> registers_per_thread = std::nullopt;
  std::optional<std::int64_t> static_shared_memory = std::nullopt;  ///< bytes, without the driver's reserve
  std::optional<int> barriers = std::nullopt;
  std::optional<std::int64_t> stack_frame = std::nullopt;   ///< bytes per thread
  std::optional<std::int64_t> spill_stores = std::nullopt;  ///< bytes
  std::optional<std::int64_t> spill_loads = std::nullopt;   ///< bytes
  /// Instructions of the kernel's own code that spill, where a binary says so and its bytes are unknown.
  std::optional<int> spill_instructions = std::nullopt;
  std::optional<int> max_threads_per_block = std::nullopt;  ///< of the launch bounds
  std::optional<int> min_blocks_per_sm = std::nullopt;      ///< of the launch bounds; in PTX only
  std::optional<Dim3> required_block = std::nullopt;        ///< reqntid
  std::optional<Dim3> cluster = std::nullopt;
  bool cluster_is_required = false;           ///< compiled in, so that no other can be launched (.reqnctapercluster)
  std::optional<bool> linked = std::nullopt;  ///< false: read before the link

  std::optional<Dim3> block = std::nullopt;                          ///< of the launch
  std::optional<Dim3> grid = std::nullopt;                           ///< of the launch
  std::optional<int> sm_count = std::nullopt;                        ///< of the GPU that it ran on
  std::optional<std::int64_t> dynamic_shared_memory = std::nullopt;  ///< bytes, of the launch
  bool rounded_bytes = false;                                        ///< the input rounded sizes: "1.02 Kbyte"
  /// Shared memory as the linker counts it, with the driver's reserve of a part that the input does not name: 1,024 of
  /// it are subtracted where that part is 9.0 or later.
  bool includes_reserve = false;

  ReportedLaunch reported{};

  bool is_ptx = false;  ///< code that has no registers before it is compiled

  /// The input says whether it spills.
  [[nodiscard]] bool knows_spills() const noexcept { return spill_stores || spill_instructions; }
  /// The input says that it spills.
  [[nodiscard]] bool spills() const noexcept {
    return spill_stores.value_or(0) > 0 || spill_loads.value_or(0) > 0 || spill_instructions.value_or(0) > 0;
  }
};

/// Where a reader puts what it finds. A problem is something that was recognised and could not be read; the rest of the
/// input is still read.
struct KernelSink {
  std::function<void(KernelRecord&& kernel)> kernel;
  std::function<void(std::int64_t line, const std::string& what)> problem;
};

/// Text of compilers, as a build log holds it: `ptxas -v`, `nvcc --resource-usage`, nvlink, `cuobjdump
/// --dump-resource-usage`; all forms since CUDA 4, amid any other lines. Lines that are none of these are ignored.
void read_build_log(std::string_view text, const KernelSink& sink);

/// Nsight Compute's `--csv` (pages details and raw, any units) and its text pages.
void read_ncu(std::string_view text, const KernelSink& sink);

/// `nsys stats -r cuda_gpu_trace -f csv`, and nvprof's `--print-gpu-trace` as text or CSV: one record a launch.
void read_gpu_trace(std::string_view text, const KernelSink& sink);

/// JSON: a trace of PyTorch's profiler (Kineto, Chrome trace events), or what Triton's cache says of one kernel.
void read_kernel_json(std::string_view text, const KernelSink& sink);

/// The entries of PTX: names, target, launch bounds. PTX has no registers.
void read_ptx(std::string_view text, const KernelSink& sink);

/// What an input is, seen from its first bytes.
enum class InputKind : std::uint8_t { Unknown, BuildLog, Ncu, GpuTrace, Json, Ptx, GpuBinary };

/// What a text holds, found by its content, in the order in which it begins: a build log may be followed by what a
/// profiler says. Empty where none of its lines is known.
[[nodiscard]] std::vector<InputKind> recognise_all(std::string_view text);

/// The first of them; Unknown where there is none.
[[nodiscard]] InputKind recognise(std::string_view text);

}  // namespace occcalc
