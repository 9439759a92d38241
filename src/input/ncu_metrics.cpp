// The metrics are described in NVIDIA's Kernel Profiling Guide, "Metrics Reference".
#include "input/ncu_metrics.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <utility>

#include "input/profiler_lines.hpp"
#include "input/text.hpp"
#include "input/units.hpp"
#include "input/values.hpp"

namespace occcalc::input {

// The text of a metric's value, read as what its metric is. Where it cannot be read, `accepted` says what would be.
class NcuValue {
 public:
  NcuValue(std::string_view text, std::string_view unit) : text_(trimmed(text)), unit_(trimmed(unit)) {}

  [[nodiscard]] const std::string& accepted() const noexcept { return accepted_; }
  [[nodiscard]] bool has_unit(std::string_view unit) const noexcept { return unit_ == unit; }
  [[nodiscard]] std::string described() const {
    return abridged(std::string(text_) + (unit_.empty() ? "" : " ") + std::string(unit_));
  }

  std::optional<int> count(int least, int most) {
    const std::optional<int> number = read_printed_count(text_, least, most);
    return checked(number, "a whole number, " + std::to_string(least) + " to " + std::to_string(most));
  }
  // ncu's Kbyte is 1000 bytes.
  std::optional<PrintedBytes> bytes() {
    return checked(read_printed_bytes(text_, unit_, 1000), "a size in byte, Kbyte or Mbyte");
  }
  // On average over something, and so no whole number.
  std::optional<double> average() {
    const std::optional<PrintedNumber> number = read_printed_number(text_, false);
    return checked(number ? std::optional(number->value) : std::nullopt, "a number");
  }
  std::optional<double> nanoseconds() { return checked(read_printed_time(text_, unit_), "a time in ns, us, ms or s"); }
  // The passes of a replay differ, so what is measured may come out somewhat above the whole.
  std::optional<double> share() {
    constexpr double percent = 100;
    constexpr double most = 2 * percent;
    const std::optional<PrintedNumber> number = read_printed_number(text_, false);
    const bool is_share = number && number->value <= most;
    return checked(is_share ? std::optional(std::min(number->value / percent, 1.0)) : std::nullopt, "0 to 100 %");
  }

 private:
  template <typename T>
  std::optional<T> checked(std::optional<T> value, std::string accepted) {
    if (!value) {
      accepted_ = std::move(accepted);
    }
    return value;
  }

  std::string_view text_;
  std::string_view unit_;
  std::string accepted_;
};

namespace {

constexpr int most_registers = 1 << 16;  // all of an SM
constexpr int most_blocks = 1 << 20;
constexpr int most_barriers = 16;  // PTX ISA, bar

// Whole bytes of the kernel; that others have the same text is noted.
std::optional<std::int64_t> kernel_bytes(KernelRecord& record, NcuValue& value) {
  const std::optional<PrintedBytes> bytes = value.bytes();
  record.rounded_bytes = record.rounded_bytes || (bytes && bytes->is_rounded);
  return bytes ? std::optional(bytes->bytes) : std::nullopt;
}

template <Resource resource>
void read_ceiling(NcuLaunch& launch, NcuValue& value) {
  launch.record.reported.blocks_per_sm[static_cast<std::size_t>(resource)] = value.count(0, most_blocks);
}

template <std::optional<Dim3> KernelRecord::*field, int Dim3::*dimension>
void read_dimension(NcuLaunch& launch, NcuValue& value) {
  std::optional<Dim3>& dimensions = launch.record.*field;
  const std::optional<int> size = value.count(0, INT_MAX);
  if (size.value_or(0) > 0) {  // those of a cluster are 0 where there is none
    dimensions = dimensions.value_or(Dim3{});
    (*dimensions).*dimension = *size;
  }
}

// The product of the dimensions, for files that state no more. That of a grid may be beyond an int.
template <std::optional<Dim3> KernelRecord::*field>
void read_product(NcuLaunch& launch, NcuValue& value) {
  std::optional<Dim3>& dimensions = launch.record.*field;
  if (dimensions) {
    return;
  }
  const std::optional<int> product = value.count(0, INT_MAX);
  if (product.value_or(0) > 0) {
    dimensions = Dim3{*product, 1, 1};
  }
}

void read_memory_throughput(NcuLaunch& launch, NcuValue& value) {
  if (value.has_unit("%")) {  // two metrics have this name, one in bytes per second
    launch.record.reported.memory_throughput = value.share();
  }
}

void read_share(std::optional<double>& share, NcuValue& value) { share = value.share(); }

void read_duration(NcuLaunch& launch, NcuValue& value) { launch.record.reported.duration_ns = value.nanoseconds(); }
void read_compute(NcuLaunch& launch, NcuValue& value) { read_share(launch.record.reported.compute_throughput, value); }
void read_memory(NcuLaunch& launch, NcuValue& value) { read_share(launch.record.reported.memory_throughput, value); }
void read_theoretical(NcuLaunch& launch, NcuValue& value) { read_share(launch.record.reported.occupancy, value); }
void read_achieved(NcuLaunch& launch, NcuValue& value) { read_share(launch.record.reported.achieved_occupancy, value); }
void read_registers(NcuLaunch& launch, NcuValue& value) {
  launch.record.registers_per_thread = value.count(0, most_registers);
}
void read_static(NcuLaunch& launch, NcuValue& value) {
  launch.record.static_shared_memory = kernel_bytes(launch.record, value);
}
void read_dynamic(NcuLaunch& launch, NcuValue& value) {
  launch.record.dynamic_shared_memory = kernel_bytes(launch.record, value);
}
void read_configuration(NcuLaunch& launch, NcuValue& value) {
  const std::optional<PrintedBytes> bytes = value.bytes();
  launch.record.reported.shared_memory_per_sm = bytes ? std::optional(bytes->bytes) : std::nullopt;
}
void read_barriers(NcuLaunch& launch, NcuValue& value) { launch.record.barriers = value.count(0, most_barriers); }
void read_sm_count(NcuLaunch& launch, NcuValue& value) { launch.record.sm_count = value.count(1, most_sms); }

template <auto member>
void read_average(NcuLaunch& launch, NcuValue& value) {
  if (!value.has_unit("%")) {  // stalls are printed as shares too
    launch.record.reported.*member = value.average();
  }
}

void read_major(NcuLaunch& launch, NcuValue& value) { launch.capability_major = value.count(1, 999); }
void read_minor(NcuLaunch& launch, NcuValue& value) { launch.capability_minor = value.count(0, 9); }

// The driver's shared memory is none of the kernel's; allocated registers are rounded up: neither is read. The labels
// "SOL ...", "... [%]" are of 2019 to 2021.
constexpr std::array metrics = {
    NcuMetric{"Registers Per Thread", "launch__registers_per_thread", false, read_registers},
    NcuMetric{"Static Shared Memory Per Block", "launch__shared_mem_per_block_static", false, read_static},
    NcuMetric{"Dynamic Shared Memory Per Block", "launch__shared_mem_per_block_dynamic", false, read_dynamic},
    NcuMetric{"Shared Memory Configuration Size", "launch__shared_mem_config_size", false, read_configuration},
    NcuMetric{"Block Size", "launch__block_size", false, read_product<&KernelRecord::block>},
    NcuMetric{"Grid Size", "launch__grid_size", false, read_product<&KernelRecord::grid>},
    NcuMetric{"Cluster Size", "launch__cluster_size", false, read_product<&KernelRecord::cluster>},
    NcuMetric{"", "launch__block_dim_x", false, read_dimension<&KernelRecord::block, &Dim3::x>},
    NcuMetric{"", "launch__block_dim_y", false, read_dimension<&KernelRecord::block, &Dim3::y>},
    NcuMetric{"", "launch__block_dim_z", false, read_dimension<&KernelRecord::block, &Dim3::z>},
    NcuMetric{"", "launch__grid_dim_x", false, read_dimension<&KernelRecord::grid, &Dim3::x>},
    NcuMetric{"", "launch__grid_dim_y", false, read_dimension<&KernelRecord::grid, &Dim3::y>},
    NcuMetric{"", "launch__grid_dim_z", false, read_dimension<&KernelRecord::grid, &Dim3::z>},
    NcuMetric{"", "launch__cluster_dim_x", false, read_dimension<&KernelRecord::cluster, &Dim3::x>},
    NcuMetric{"", "launch__cluster_dim_y", false, read_dimension<&KernelRecord::cluster, &Dim3::y>},
    NcuMetric{"", "launch__cluster_dim_z", false, read_dimension<&KernelRecord::cluster, &Dim3::z>},
    NcuMetric{"", "launch__barrier_count", false, read_barriers},
    NcuMetric{"Block Limit SM", "launch__occupancy_limit_blocks", false, read_ceiling<Resource::Blocks>},
    NcuMetric{"Block Limit Registers", "launch__occupancy_limit_registers", false, read_ceiling<Resource::Registers>},
    NcuMetric{"Block Limit Shared Mem", "launch__occupancy_limit_shared_mem", false,
              read_ceiling<Resource::SharedMemory>},
    NcuMetric{"Block Limit Warps", "launch__occupancy_limit_warps", false, read_ceiling<Resource::Warps>},
    NcuMetric{"Block Limit Barriers", "launch__occupancy_limit_barriers", false, read_ceiling<Resource::Barriers>},
    NcuMetric{"Theoretical Occupancy", "sm__maximum_warps_per_active_cycle_pct", false, read_theoretical},
    NcuMetric{"Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", true, read_achieved},
    NcuMetric{"Duration", "gpu__time_duration.sum", true, read_duration},
    NcuMetric{"", "gpu__time_duration.avg", true, read_duration},
    NcuMetric{"Compute (SM) Throughput", "sm__throughput.avg.pct_of_peak_sustained_elapsed", true, read_compute},
    NcuMetric{"Compute (SM) [%]", "", true, read_compute},
    NcuMetric{"SM [%]", "", true, read_compute},
    NcuMetric{"SOL SM", "", true, read_compute},
    NcuMetric{"Memory Throughput", "", true, read_memory_throughput},
    NcuMetric{"", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", true, read_memory},
    NcuMetric{"Memory [%]", "", true, read_memory},
    NcuMetric{"SOL Memory", "", true, read_memory},
    NcuMetric{"# SMs", "launch__sm_count", false, read_sm_count},
    NcuMetric{"", "device__attribute_multiprocessor_count", false, read_sm_count},
    NcuMetric{"Waves Per SM", "launch__waves_per_multiprocessor", false, read_average<&ReportedLaunch::waves>},
    NcuMetric{"Eligible Warps Per Scheduler", "smsp__warps_eligible.avg.per_cycle_active", true,
              read_average<&ReportedLaunch::eligible_warps_per_scheduler>},
    NcuMetric{"Warp Cycles Per Issued Instruction", "smsp__average_warp_latency_per_inst_issued.ratio", true,
              read_average<&ReportedLaunch::warp_cycles_per_issue>},
    NcuMetric{"Stall Long Scoreboard", "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", true,
              read_average<&ReportedLaunch::long_scoreboard_cycles>},
    NcuMetric{"", "device__attribute_compute_capability_major", false, read_major},
    NcuMetric{"", "device__attribute_compute_capability_minor", false, read_minor},
};

}  // namespace

const NcuMetric* find_ncu_metric(std::string_view name) {
  const auto found = std::find_if(metrics.begin(), metrics.end(), [name](const NcuMetric& metric) {
    return !name.empty() && (metric.label == name || metric.name == name);
  });
  return found == metrics.end() ? nullptr : &*found;
}

const NcuMetric* take_ncu_metric(std::string_view& line) {
  for (const NcuMetric& metric : metrics) {
    for (const std::string_view name : {metric.label, metric.name}) {
      if (!name.empty() && line.starts_with(name) && line.substr(name.size()).starts_with(' ')) {
        line.remove_prefix(name.size());
        return &metric;
      }
    }
  }
  return nullptr;
}

bool is_absent(std::string_view text) {
  constexpr std::array words = {"", "n/a", "nan", "-nan", "-", "no data", "(!) n/a", "(!) nan"};
  return std::any_of(words.begin(), words.end(),
                     [text](std::string_view word) { return equal_ignoring_case(text, word); });
}

std::string read_ncu_metric(const NcuMetric& metric, std::string_view text, std::string_view unit, NcuLaunch& launch) {
  NcuValue value(text, unit);
  metric.read(launch, value);
  return value.accepted().empty() ? "" : "found " + value.described() + "; accepted: " + value.accepted();
}

}  // namespace occcalc::input
