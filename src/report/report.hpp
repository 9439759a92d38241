/// The one struct that every writer of a configuration reads, so that text, CSV and JSON cannot disagree.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "occcalc/arch_catalog.hpp"
#include "occcalc/block_sizes.hpp"
#include "occcalc/budget.hpp"
#include "occcalc/cliffs.hpp"
#include "occcalc/clusters.hpp"
#include "occcalc/findings.hpp"
#include "occcalc/gpu.hpp"
#include "occcalc/latency.hpp"
#include "occcalc/occupancy.hpp"
#include "occcalc/readers.hpp"
#include "occcalc/waves.hpp"

namespace occcalc::report {

/// A value that stood beside ours in a row of the user's and goes on as it is.
struct PassedValue {
  std::string text{};  ///< empty: there is none
  std::string json{};  ///< the same as JSON
};

/// Where the block of a kernel comes from.
enum class BlockSource : std::uint8_t { Option, Input, Required, LaunchBounds, Suggested };
/// Where its dynamic shared memory comes from.
enum class MemorySource : std::uint8_t { Option, Input, Assumed };

/// The two names of a kernel. Many kernels have the same ones, for other architectures.
struct KernelName {
  std::string kernel{};  ///< as the input writes it: mangled, or demangled by a profiler
  std::string name{};    ///< demangled
};

/// What a kernel that was found in an input has beside its configuration.
struct FoundKernel {
  std::string_view file{};  ///< its name, which outlives this
  std::shared_ptr<const KernelName> names{};
  std::string compiled_arch{};  ///< the architecture it was compiled for; empty: unknown
  KernelRecord record{};        ///< but for its name
  BlockSource block_source = BlockSource::Suggested;
  MemorySource memory_source = MemorySource::Assumed;
  bool barriers_given = false;    ///< by an option
  std::int64_t count = 1;         ///< identical ones that stand in one line
  bool is_compared = false;       ///< with what a profiler reported
  std::string_view difference{};  ///< from what a profiler reported: "", or why ours differs

  [[nodiscard]] bool is_block_assumed() const { return block_source == BlockSource::Suggested; }
  [[nodiscard]] bool is_memory_assumed() const { return memory_source == MemorySource::Assumed; }
};

/// What a launch runs on beyond one SM, as the command line or an input says it. What is unknown is empty.
struct GpuPart {
  std::string name{};                  ///< the product, or what was asked for where several agree; empty: none is named
  Sms sms{};                           ///< count 0: unknown
  MemorySystem memory{};               ///< of the whole GPU
  bool is_several = false;             ///< the name stands for several products, which may differ in the rest
  bool has_own_latency = false;        ///< it was measured on this product, not on another of the architecture
  std::vector<std::string> sources{};  ///< of the numbers of an estimate of latency
};

/// A launch on a whole GPU, and what is known of it.
struct WholeGpu {
  std::shared_ptr<const GpuPart> part{};
  std::optional<Grid> grid{};
  std::optional<Dim3> cluster{};
  std::optional<Waves> waves{};
  std::optional<Clusters> clusters{};
  std::optional<LatencyEstimate> latency{};
  std::optional<double> achieved_occupancy{};  ///< as a profiler measured it, 0 to 1
};

/// One configuration and its answer: what a sweep tells of each.
struct Row {
  std::string arch{};  ///< canonical, with its suffix: sm_90a
  const Architecture* architecture = nullptr;
  KernelResources kernel{};
  LaunchConfig launch{};
  Occupancy occupancy{};
  std::vector<Reason> reasons{};
  std::vector<PassedValue> passed{};
  std::int64_t line = 0;                        ///< where it stands in the input; 0: on the command line
  const FoundKernel* kernel_found = nullptr;    ///< of `occcalc kernels`; it must outlive the row
  const Gpu* gpu = nullptr;                     ///< of `occcalc gpus`; it must outlive the row
  std::shared_ptr<const WholeGpu> whole_gpu{};  ///< where something was asked of it

  /// nullopt: unknown.
  [[nodiscard]] std::optional<int> sm_count() const {
    return whole_gpu && whole_gpu->part->sms.count > 0 ? std::optional(whole_gpu->part->sms.count) : std::nullopt;
  }
};

/// One configuration, told in full.
struct Report : Row {
  std::array<Ceiling, all_resources.size()> ceilings;
  std::vector<Note> notes;
  bool show_barriers = false;  ///< a row for barriers, because they were asked for

  std::vector<Cliff> cliffs;
  std::array<std::optional<Cliff>, all_inputs.size()> gains;  ///< the nearest gain of each input
  std::optional<JointCliff> joint_cliff;
  Remedies remedies;  ///< where it cannot launch

  // The questions that were asked.
  std::optional<std::vector<Staircase>> staircases;
  std::optional<std::vector<BudgetRow>> budget;
  std::optional<Target> target;
  std::optional<std::vector<BlockSize>> block_sizes;
  bool block_was_suggested = false;  ///< because none was given
  bool explain = false;
  std::vector<BlockWaves> fuller_blocks;  ///< with more warps resident over the launch
};

/// A step of the working.
struct Step {
  std::string_view resource;  ///< "registers" ...; empty: of all
  std::string text;
  double value = 0;
  std::string_view document;
};

/// The working of the minimum with this configuration's numbers, in a teacher's order.
[[nodiscard]] std::vector<Step> explain(const Report& report);

/// How text is written.
struct Style {
  bool color = false;
  bool unicode = true;     ///< charts have letters beyond ASCII
  std::size_t width = 80;  ///< of a line, for what can use more
};

struct Field;

/// The single report, for people: answer, ceilings, what to know.
[[nodiscard]] std::string write_table(const Report& report, Style style);
/// The chosen fields in aligned columns.
[[nodiscard]] std::string write_columns(std::span<const Report> reports, std::span<const Field* const> fields);
/// One object.
[[nodiscard]] std::string write_json(const Report& report, std::span<const Field* const> fields);
}  // namespace occcalc::report
