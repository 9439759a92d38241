#include "report/gpu_table.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "report/layout.hpp"
#include "report/numbers.hpp"

namespace occcalc::report {

namespace {

std::string count_text(const std::optional<int>& count) { return count ? grouped(*count) : "-"; }

std::string amount_text(const std::optional<double>& amount) { return amount ? shortest(*amount) : "-"; }

std::string capability_text(const Gpu& gpu) {
  return gpu.compute_capability ? to_string(*gpu.compute_capability) : "-";
}

using Cells = GpuTable::Cells;
constexpr std::size_t column_count = std::tuple_size_v<Cells>;

const Cells heads = {"GPU", "CC", "SMs", "GPCs", "boost MHz", "GB/s", "L2 MiB", "GB"};

Cells cells_of(const Gpu& gpu) {
  return {as_cell(gpu.name, Cell::Format::Plain),
          capability_text(gpu),
          count_text(gpu.sm_count),
          count_text(gpu.gpc_count),
          amount_text(gpu.boost_mhz),
          amount_text(gpu.memory_bandwidth),
          amount_text(gpu.l2_cache),
          amount_text(gpu.memory)};
}

std::string with_unit(const std::string& text, const std::string& unit) {
  return text == "-" ? "unknown" : text + " " + unit;
}

std::string layout_text(const std::vector<int>& sms) {
  std::string text;
  for (const int of_gpc : sms) {
    text += (text.empty() ? "" : ", ") + grouped(of_gpc);
  }
  return text;
}

// "name       A100": a line of the details.
std::string line_of(std::string_view name, const std::string& text) {
  constexpr std::size_t width = 14;
  std::string line(name);
  line.append(width - std::min(width, line.size()), ' ');
  return wrapped(line + text, width);
}

std::string lines_of(std::string_view name, const std::vector<std::string>& texts) {
  std::string lines;
  for (const std::string& text : texts) {
    lines += line_of(lines.empty() ? name : "", text);
  }
  return lines;
}

}  // namespace

GpuTable::GpuTable(std::span<const Row> rows, Style style) : style_(style) {
  for (std::size_t i = 0; i < column_count; ++i) {
    widths_[i] = heads[i].size();
  }
  for (const Row& row : rows) {
    const Cells cells = cells_of(*row.gpu);
    for (std::size_t i = 0; i < column_count; ++i) {
      widths_[i] = std::max(widths_[i], display_width(cells[i]));
      has_unknown_ = has_unknown_ || cells[i] == "-";
    }
  }
}

// The name on the left, numbers on the right.
std::string GpuTable::line(const Cells& cells) const {
  std::string text = cells[0];
  text.append(widths_[0] - std::min(widths_[0], display_width(cells[0])), ' ');
  for (std::size_t i = 1; i < column_count; ++i) {
    text.append(2 + widths_[i] - std::min(widths_[i], cells[i].size()), ' ');
    text += cells[i];
  }
  return text;
}

std::string GpuTable::head(const Row& /*first*/) { return bold(line(heads), style_) + "\n"; }

std::string GpuTable::row(const Row& row) { return line(cells_of(*row.gpu)) + "\n"; }

std::string GpuTable::tail() const {
  return has_unknown_ ? "\n- no source was found. `occcalc gpus NAME` names the sources of the others.\n" : "";
}

std::string GpuDetails::head(const Row& /*first*/) { return ""; }

std::string GpuDetails::row(const Row& row) {
  const Gpu& gpu = *row.gpu;
  std::string text = std::exchange(separator_, "\n") + bold(as_cell(gpu.name, Cell::Format::Plain), style_) + "\n";
  text += line_of("architecture", row.arch.empty() ? "unknown" : row.arch);
  text += line_of(
      "SMs", with_unit(count_text(gpu.sm_count), !gpu.sms_per_gpc.empty() ? "in GPCs of " + layout_text(gpu.sms_per_gpc)
                                                 : gpu.gpc_count          ? "in " + grouped(*gpu.gpc_count) + " GPCs"
                                                                          : "(GPCs: unknown)"));
  text += line_of("SM clock", with_unit(amount_text(gpu.boost_mhz), "MHz boost"));
  text += line_of(
      "memory", with_unit(amount_text(gpu.memory), "GB") + ", " + with_unit(amount_text(gpu.memory_bandwidth), "GB/s"));
  text += gpu.dram_latency_cycles ? line_of("DRAM latency", grouped(*gpu.dram_latency_cycles) + " cycles, without load")
                                  : "";
  text += line_of("L2 cache", with_unit(amount_text(gpu.l2_cache), "MiB"));
  text += gpu.gpus_per_board.value_or(1) > 1
              ? line_of("board", grouped(*gpu.gpus_per_board) + " such GPUs; the numbers are of one")
              : "";
  text += lines_of("also named", gpu.aliases);
  text += lines_of("notes", gpu.notes);
  text += lines_of("disagreements", gpu.disagreements);
  return text + lines_of("sources", gpu.sources);
}

std::string GpuDetails::tail() const { return ""; }

}  // namespace occcalc::report
