#include "report/kernel_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/gpu_cells.hpp"
#include "report/layout.hpp"
#include "report/numbers.hpp"
#include "report/sentences.hpp"

namespace occcalc::report {

namespace {

void append_occupancy(std::string& line, const Row& row) {
  // Few shares exist, and writing one takes longer than all the rest of a line.
  struct Share {
    int part = -1;
    int whole = -1;
    std::string text{};
  };
  thread_local std::array<Share, 64> shares;
  const int part = row.occupancy.active_warps_per_sm;
  Share& share = shares[static_cast<std::size_t>(part) % shares.size()];
  if (share.part != part || share.whole != row.occupancy.max_warps_per_sm) {
    share = {part, row.occupancy.max_warps_per_sm, percent_cell(row.occupancy.fraction(), 1)};
  }
  line += share.text;
}

void append_blocks(std::string& line, const Row& row) { line += grouped(row.occupancy.active_blocks_per_sm); }

void append_block(std::string& line, const Row& row) {
  line += grouped(row.occupancy.threads_per_block);
  line += row.kernel_found->is_block_assumed() ? "?" : "";
}

void append_registers(std::string& line, const Row& row) {
  line += row.kernel.registers_per_thread ? grouped(*row.kernel.registers_per_thread) : "-";
}

void append_memory(std::string& line, const Row& row) {
  line += grouped(shared_memory_bytes(row.kernel, row.launch));
  line += row.kernel_found->record.rounded_bytes ? "~" : "";
}

void append_spill(std::string& line, const Row& row) {
  const KernelRecord& record = row.kernel_found->record;
  line += record.spill_stores ? grouped(saturating_add(*record.spill_stores, record.spill_loads.value_or(0))) : "-";
}

void append_spill_instructions(std::string& line, const Row& row) {
  const std::optional<int>& spills = row.kernel_found->record.spill_instructions;
  line += spills ? grouped(*spills) : "-";
}

void append_duration(std::string& line, const Row& row) {
  const std::optional<double>& duration = row.kernel_found->record.reported.duration_ns;
  constexpr double microsecond = 1000;
  line += duration ? fmt::format("{:.2f}", *duration / microsecond) : "-";
}

void append_percent(std::string& line, const std::optional<double>& share) {
  line += share ? percent_cell(*share, 1) : "-";
}

void append_achieved(std::string& line, const Row& row) {
  append_percent(line, row.kernel_found->record.reported.achieved_occupancy);
}

void append_estimated(std::string& line, const Row& row) {
  append_percent(line, row.kernel_found->record.reported.estimated_occupancy);
}

bool has_waves(const Row& row) { return row.whole_gpu && row.whole_gpu->waves; }
bool has_clusters(const Row& row) { return row.whole_gpu && row.whole_gpu->clusters; }

// An upper bound of what a profiler measures as achieved, which may stand beside it.
void append_bound(std::string& line, const Row& row) {
  append_percent(line, has_waves(row) ? std::optional(row.whole_gpu->waves->achieved_occupancy_bound) : std::nullopt);
}

bool has_latency(const Row& row) { return row.whole_gpu && row.whole_gpu->latency; }
bool has_need(const Row& row) { return has_latency(row) && row.whole_gpu->latency->asked_need; }
bool has_usual_needs(const Row& row) { return has_latency(row) && !row.whole_gpu->latency->asked_need; }

// A cell that sweeps have as well.
template <std::string (*cell)(const Row& row)>
void append_cell(std::string& line, const Row& row) {
  line += cell(row);
}

void append_warps(std::string& line, const Row& row) { line += grouped(row.occupancy.active_warps_per_sm); }

void append_difference(std::string& line, const Row& row) {
  const std::string_view difference = row.kernel_found->difference;
  line += !row.kernel_found->is_compared ? "-" : difference.empty() ? "same" : difference;
}

void append_arch(std::string& line, const Row& row) { line += row.arch; }

void append_compiled(std::string& line, const Row& row) { line += row.kernel_found->compiled_arch; }

// "registers+warps", the words of --limited-by; why not, where it cannot launch.
void append_binding(std::string& line, const Row& row) {
  if (!row.occupancy.launchable()) {
    line += short_reason(row);
    return;
  }
  std::string_view between;
  for (const std::string_view word : words(row.occupancy.limiters)) {
    line += between;
    line += word;
    between = "+";
  }
}

// Without what tells least: the parameters, and the type of the result of a template.
std::string_view short_name(std::string_view name) {
  std::size_t begin = 0;
  if (name.starts_with("void ")) {
    begin = std::string_view("void ").size();
  }
  std::size_t end = name.size();
  if (name.ends_with(')')) {
    std::size_t depth = 0;
    do {
      --end;
      depth = name[end] == ')' ? depth + 1 : name[end] == '(' ? depth - 1 : depth;
    } while (depth > 0 && end > begin);
  }
  return end > begin ? name.substr(begin, end - begin) : name;
}

// The middle of a long name tells least.
std::string shortened(std::string_view name, std::size_t most) {
  if (name.size() <= most) {
    return std::string(name);
  }
  const auto is_within_letter = [&name](std::size_t at) {  // of UTF-8
    return (static_cast<unsigned char>(name[at]) & 0xc0U) == 0x80U;
  };
  const std::size_t kept = most - 3;
  std::size_t end = kept - kept / 2;
  std::size_t begin = name.size() - kept / 2;
  for (; end > 0 && is_within_letter(end); --end) {
  }
  for (; begin < name.size() && is_within_letter(begin); ++begin) {
  }
  return std::string(name.substr(0, end)) + "..." + std::string(name.substr(begin));
}

using Column = KernelTable::Column;

bool always(const Row& /*row*/) { return true; }

template <auto member>
bool is_in_record(const Row& row) {
  return (row.kernel_found->record.*member).has_value();
}

template <auto member>
bool is_reported(const Row& row) {
  return (row.kernel_found->record.reported.*member).has_value();
}

// From left to right; a column is shown where a row has something for it.
const Column columns[] = {
    {"occupancy", append_occupancy, always},
    {"blocks", append_blocks, always},
    {"block", append_block, always},
    {"regs", append_registers, always},
    {"smem B", append_memory, always},
    {"spill B", append_spill, is_in_record<&KernelRecord::spill_stores>},
    {"spills", append_spill_instructions, is_in_record<&KernelRecord::spill_instructions>},
    {"us", append_duration, is_reported<&ReportedLaunch::duration_ns>},
    {"clusters", append_cell<clusters_cell>, has_clusters},
    {"waves", append_cell<waves_cell>, has_waves},
    {"at most", append_bound, has_waves},
    {"warps", append_warps, has_latency},
    {"to cover", append_cell<asked_need_cell>, has_need},
    {"for 4 B", append_cell<usual_need_cell<0>>, has_usual_needs},
    {"16 B", append_cell<usual_need_cell<1>>, has_usual_needs},
    {"64 B", append_cell<usual_need_cell<2>>, has_usual_needs},
    {"FMAs", append_cell<arithmetic_need_cell>, has_latency},
    {"achieved", append_achieved, is_reported<&ReportedLaunch::achieved_occupancy>},
    {"estimated", append_estimated, is_reported<&ReportedLaunch::estimated_occupancy>},
    {"profiler", append_difference, [](const Row& row) { return row.kernel_found->is_compared; }, true},
    {"arch", append_arch, always, true},
    {"compiled", append_compiled, always, true},
    {"binds", append_binding, always, true},
};

}  // namespace

// One walk for all columns, because many rows are more than caches hold.
KernelTable::KernelTable(std::span<const Row> rows, KernelSummary summary, Style style)
    : columns_(std::begin(columns), std::end(columns)), summary_(std::move(summary)), style_(style) {
  std::string text;
  for (const Row& row : rows) {
    if (has_latency(row) && latency_legend_.empty()) {
      latency_legend_ = wrapped(latency_legend(*row.whole_gpu->latency));
    }
    has_waves_ = has_waves_ || has_waves(row);
    has_bounds_ = has_bounds_ || (has_clusters(row) && row.whole_gpu->clusters->is_bound);
    for (Column& column : columns_) {
      text.clear();
      column.append(text, row);
      column.width = std::max(column.width, text.size());
      column.is_shown = column.is_shown || column.has_value(row);
    }
  }
  std::erase_if(columns_, [this](const Column& column) {
    return !column.is_shown || (column.head == "arch" && summary_.architectures <= 1) ||
           (column.head == "compiled" && summary_.compiled_architectures <= 1);
  });
  for (Column& column : columns_) {
    column.width = std::max(column.width, column.head.size());
  }
}

// What was appended from `begin` on, made as wide as its column.
void KernelTable::pad(std::string& line, std::size_t begin, const Column& column) {
  const std::size_t size = line.size() - begin;
  const std::size_t blanks = column.width - std::min(column.width, size);
  line.insert(column.is_text ? line.size() : begin, blanks, ' ');
  line += "  ";
}

std::string KernelTable::head(const Row& /*first*/) {
  std::string line;
  for (const Column& column : columns_) {
    const std::size_t begin = line.size();
    line += column.head;
    pad(line, begin, column);
  }
  return bold(line + "kernel", style_) + "\n";
}

std::string KernelTable::row(const Row& row) {
  std::string line;
  for (const Column& column : columns_) {
    const std::size_t begin = line.size();
    column.append(line, row);
    pad(line, begin, column);
  }
  const FoundKernel& found = *row.kernel_found;
  const std::string times = found.count > 1 ? " x" + grouped(found.count) : "";
  constexpr std::size_t least = 24;
  const std::size_t taken = line.size() + times.size();
  const std::size_t room = std::max(least, style_.width > taken ? style_.width - taken : 0);
  line += as_cell(shortened(short_name(found.names->name), room), Cell::Format::Plain);
  return line + times + "\n";
}

std::string KernelTable::tail() const {
  if (summary_.kernels == 0) {
    return "";  // standard error says so
  }
  std::string text = "\n";
  if (summary_.assumed_blocks > 0) {
    text += wrapped("? block size unknown, a best one assumed (give --block)");
  }
  if (summary_.assumed_memory > 0) {
    const bool of_all = summary_.assumed_memory == summary_.kernels;
    text += wrapped("Dynamic shared memory is not in the input" +
                    (of_all ? "" : " of " + counted(summary_.assumed_memory, "kernel", "kernels")) +
                    ": 0 B assumed (give --smem-dynamic)");
  }
  text += has_waves_ ? wrapped("at most: what a profiler can measure as achieved, by the waves of the grid") : "";
  text += has_bounds_ ? wrapped(std::string(bounds_legend)) : "";
  text += latency_legend_;
  for (const std::string& remark : summary_.remarks) {
    text += wrapped(remark);
  }
  std::string line = counted(summary_.kernels, "kernel", "kernels");
  line += summary_.lines < summary_.kernels ? ", " + grouped(summary_.lines) + " different" : "";
  line += summary_.architectures > 1 ? ", " + grouped(summary_.architectures) + " architectures" : "";
  line += summary_.others > 0
              ? ", " + counted(summary_.others, "other architecture", "other architectures") + " left out"
              : "";
  line += summary_.impossible > 0 ? "; " + grouped(summary_.impossible) + " cannot launch" : "";
  const std::int64_t known = summary_.kernels - summary_.spills_unknown;
  if (known > 0) {
    line += summary_.spilling == 0 ? "; none spills" : "; " + counted(summary_.spilling, "spills", "spill");
    line += summary_.spills_unknown > 0 ? " of " + grouped(known) + " of which that is known" : "";
  }
  for (const std::string& binding : summary_.binding) {
    line += (&binding == summary_.binding.data() ? "; what binds: " : ", ") + binding;
  }
  return text + wrapped(line);
}

}  // namespace occcalc::report
