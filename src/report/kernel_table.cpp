#include "report/kernel_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/layout.hpp"
#include "report/numbers.hpp"
#include "report/sentences.hpp"

namespace occcalc::report {

namespace {

std::string occupancy_text(const Row& row) { return fmt::format("{:.1f} %", 100 * row.occupancy.fraction()); }

std::string block_text(const Row& row) {
  return grouped(row.occupancy.threads_per_block) + (row.kernel_found->is_block_assumed() ? "?" : "");
}

std::string registers_text(const Row& row) {
  return row.kernel.registers_per_thread ? grouped(*row.kernel.registers_per_thread) : "-";
}

std::string memory_text(const Row& row) {
  const bool is_rounded = row.kernel_found->record.rounded_bytes;
  return grouped(shared_memory_bytes(row.kernel, row.launch)) + (is_rounded ? "~" : "");
}

std::string spill_text(const Row& row) {
  const KernelRecord& record = row.kernel_found->record;
  return record.spill_stores ? grouped(saturating_add(*record.spill_stores, record.spill_loads.value_or(0))) : "-";
}

std::string duration_text(const Row& row) {
  const std::optional<double>& duration = row.kernel_found->record.reported.duration_ns;
  constexpr double microsecond = 1000;
  return duration ? fmt::format("{:.2f}", *duration / microsecond) : "-";
}

std::string achieved_text(const Row& row) {
  const std::optional<double>& achieved = row.kernel_found->record.reported.achieved_occupancy;
  return achieved ? fmt::format("{:.1f} %", 100 * *achieved) : "-";
}

std::string estimated_text(const Row& row) {
  const std::optional<double>& estimated = row.kernel_found->record.reported.estimated_occupancy;
  return estimated ? fmt::format("{:.1f} %", 100 * *estimated) : "-";
}

std::string difference_text(const Row& row) {
  const std::string_view difference = row.kernel_found->difference;
  return !row.kernel_found->is_compared ? "-" : difference.empty() ? "same" : std::string(difference);
}

// "registers+warps", the words of --limited-by; why not, where it cannot launch.
std::string binding_text(const Row& row) {
  if (row.occupancy.launchable()) {
    std::string text;
    for (const std::string_view word : words(row.occupancy.limiters)) {
      text += (text.empty() ? "" : "+") + std::string(word);
    }
    return text;
  }
  return short_reason(row);
}

// Without what tells least: the parameters, and the type of the result of a template.
std::string short_name(const std::string& name) {
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
std::string shortened(const std::string& name, std::size_t most) {
  if (name.size() <= most) {
    return name;
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
  return name.substr(0, end) + "..." + name.substr(begin);
}

template <class Predicate>
bool any(std::span<const Row> rows, const Predicate& predicate) {
  return std::any_of(rows.begin(), rows.end(), predicate);
}

std::string counted(std::int64_t number, std::string_view one, std::string_view many) {
  return grouped(number) + " " + std::string(number == 1 ? one : many);
}

}  // namespace

KernelTable::KernelTable(std::span<const Row> rows, KernelSummary summary, Style style)
    : summary_(std::move(summary)), style_(style) {
  const auto reported = [](const Row& row) -> const ReportedLaunch& { return row.kernel_found->record.reported; };
  add("occupancy", occupancy_text, false, true, rows);
  add(
      "blocks", [](const Row& row) { return grouped(row.occupancy.active_blocks_per_sm); }, false, true, rows);
  add("block", block_text, false, true, rows);
  add("regs", registers_text, false, true, rows);
  add("smem B", memory_text, false, true, rows);
  add("spill B", spill_text, false,
      any(rows, [](const Row& row) { return row.kernel_found->record.spill_stores.has_value(); }), rows);
  add("us", duration_text, false, any(rows, [&](const Row& row) { return reported(row).duration_ns.has_value(); }),
      rows);
  add("achieved", achieved_text, false,
      any(rows, [&](const Row& row) { return reported(row).achieved_occupancy.has_value(); }), rows);
  add("estimated", estimated_text, false,
      any(rows, [&](const Row& row) { return reported(row).estimated_occupancy.has_value(); }), rows);
  add("profiler", difference_text, true, any(rows, [](const Row& row) { return row.kernel_found->is_compared; }), rows);
  add(
      "arch", [](const Row& row) { return row.arch; }, true, summary_.architectures > 1, rows);
  add("binds", binding_text, true, true, rows);
}

void KernelTable::add(std::string head, std::string (*text)(const Row& row), bool is_text, bool is_shown,
                      std::span<const Row> rows) {
  if (!is_shown) {
    return;
  }
  Column column{std::move(head), text, 0, is_text};
  column.width = column.head.size();
  for (const Row& row : rows) {
    column.width = std::max(column.width, text(row).size());
  }
  columns_.push_back(std::move(column));
}

std::string KernelTable::head(const Row& /*first*/) {
  std::string line;
  for (const Column& column : columns_) {
    line += column.is_text ? fmt::format("{:<{}}  ", column.head, column.width)
                           : fmt::format("{:>{}}  ", column.head, column.width);
  }
  return bold(line + "kernel", style_) + "\n";
}

std::string KernelTable::row(const Row& row) {
  std::string line;
  for (const Column& column : columns_) {
    line += column.is_text ? fmt::format("{:<{}}  ", column.text(row), column.width)
                           : fmt::format("{:>{}}  ", column.text(row), column.width);
  }
  const FoundKernel& found = *row.kernel_found;
  const std::string times = found.count > 1 ? " x" + grouped(found.count) : "";
  constexpr std::size_t least = 24;
  const std::size_t taken = line.size() + times.size();
  const std::size_t room = std::max(least, line_width > taken ? line_width - taken : 0);
  return line + shortened(as_cell(short_name(found.name), Cell::Format::Plain), room) + times + "\n";
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
  for (const std::string& remark : summary_.remarks) {
    text += wrapped(remark);
  }
  std::string line = counted(summary_.kernels, "kernel", "kernels");
  line += summary_.lines < summary_.kernels ? ", " + grouped(summary_.lines) + " different" : "";
  line += summary_.architectures > 1 ? ", " + grouped(summary_.architectures) + " architectures" : "";
  line += summary_.others > 0 ? ", " + counted(summary_.others, "other architecture", "other architectures") : "";
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
