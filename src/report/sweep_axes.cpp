#include "report/sweep_axes.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/numbers.hpp"

namespace occcalc::report {

namespace {

std::string carveout_text(const Row& row) {
  const Carveout& carveout = row.launch.carveout;
  switch (carveout.kind) {
    case Carveout::Kind::Default: return "default";
    case Carveout::Kind::MaxL1: return "max-l1";
    case Carveout::Kind::MaxShared: return "max-shared";
    case Carveout::Kind::Equal: return "equal";
    case Carveout::Kind::Percent: return std::to_string(carveout.value) + "%";
    case Carveout::Kind::Bytes: return kilobytes(carveout.value);
  }
  return "";
}

std::string registers_text(const Row& row) {
  return row.kernel.registers_per_thread ? grouped(*row.kernel.registers_per_thread) : "not given";
}

std::string gpu_text(const Row& row) { return row.whole_gpu ? row.whole_gpu->part->name : ""; }

std::string cluster_text(const Row& row) {
  const std::optional<Dim3> cluster = row.whole_gpu ? row.whole_gpu->cluster : std::nullopt;
  return cluster ? size_text({cluster->x, cluster->y, cluster->z}) : "";
}

std::string grid_text(const Row& row) {
  return row.whole_gpu && row.whole_gpu->grid ? size_text(*row.whole_gpu->grid) : "";
}

bool is_default(const Row& row) { return row.launch.carveout.kind == Carveout::Kind::Default; }

std::string constant_text(Axis axis, const Row& row) {
  switch (axis) {
    case Axis::Gpu: return gpu_text(row);
    case Axis::Arch: return row.arch;
    case Axis::Block: return "blocks of " + block_text(row.launch.block) + " threads";
    case Axis::Registers:
      return row.kernel.registers_per_thread ? registers_text(row) + " registers" : "registers not given";
    case Axis::StaticMemory:
      return row.kernel.static_shared_memory == 0 ? "" : grouped(row.kernel.static_shared_memory) + " B static";
    case Axis::DynamicMemory: return grouped(dynamic_bytes(row.launch)) + " B shared memory";
    case Axis::Barriers: return row.kernel.barriers == 1 ? "" : grouped(row.kernel.barriers) + " barriers";
    case Axis::Carveout:
      return "carveout " + (is_default(row) ? kilobytes(row.occupancy.shared_memory_per_sm) : carveout_text(row));
    case Axis::Cluster: return cluster_text(row).empty() ? "" : "clusters of " + cluster_text(row);
    case Axis::Grid: return grid_text(row).empty() ? "" : "grid of " + grid_text(row);
  }
  return "";
}

}  // namespace

// The axes in their order; those that vary are columns, the others stand in the head line.
constexpr std::array<AxisColumn, axis_count> axis_columns = {{
    {"GPU", gpu_text, true},
    {"arch", [](const Row& row) { return row.arch; }, true},
    {"block", [](const Row& row) { return block_text(row.launch.block); }},
    {"registers", registers_text},
    {"static B", [](const Row& row) { return grouped(row.kernel.static_shared_memory); }},
    {"dynamic B", [](const Row& row) { return grouped(dynamic_bytes(row.launch)); }},
    {"barriers", [](const Row& row) { return grouped(row.kernel.barriers); }},
    {"carveout", carveout_text},
    {"cluster", cluster_text},
    {"grid", grid_text},
}};

std::string constants_text(const AxisSet& varying, const Row& first) {
  const bool several_parts = contains(varying, Axis::Arch) || contains(varying, Axis::Gpu);
  // What may differ between parts although it is no column: the architecture, and the default carveout.
  const auto is_constant = [&](Axis axis) {
    const bool of_part = axis == Axis::Arch || (axis == Axis::Carveout && is_default(first));
    return !contains(varying, axis) && !(of_part && several_parts);
  };
  std::string constants;
  for (std::size_t axis = 0; axis < axis_count; ++axis) {
    if (is_constant(static_cast<Axis>(axis))) {
      const std::string text = constant_text(static_cast<Axis>(axis), first);
      constants += (constants.empty() || text.empty() ? "" : ", ") + text;
    }
  }
  if (!several_parts) {
    constants += fmt::format("; full = {} warps", first.architecture->limits.max_warps_per_sm);
  }
  return constants;
}

bool is_alike(double a, double b) {
  constexpr double rounding = 1e-12;
  return std::abs(a - b) <= rounding;
}

double share_of(const Row& row) {
  const WholeGpu* const whole = row.whole_gpu.get();
  if (whole != nullptr && whole->grid) {
    return whole->waves ? whole->waves->average_occupancy_bound : 0;
  }
  if (whole != nullptr && whole->cluster) {
    return whole->clusters ? whole->clusters->gpu_occupancy : 0;
  }
  return row.occupancy.fraction();
}

std::string_view measured_on(const AskedAnswers& asked) {
  return asked.waves ? " on average over the launch" : asked.clusters ? " of the whole GPU" : "";
}

AskedAnswers asked_of(const Row& row) {
  const WholeGpu* const whole = row.whole_gpu.get();
  if (whole == nullptr) {
    return {};
  }
  return {whole->cluster.has_value(), whole->grid.has_value(), whole->latency.has_value(),
          whole->latency && whole->latency->asked_need};
}

std::string axis_value(Axis axis, const Row& row) { return axis_columns[static_cast<std::size_t>(axis)].text(row); }

std::string size_text(const Grid& size) {
  std::string text = grouped(size.x);
  if (size.y != 1 || size.z != 1) {
    text += "x" + grouped(size.y);
  }
  return size.z == 1 ? text : text + "x" + grouped(size.z);
}

}  // namespace occcalc::report
