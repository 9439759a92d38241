#include "cli/kernel_groups.hpp"

#include <functional>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace occcalc::cli {

namespace {

using report::FoundKernel;
using report::Row;

// Counts one more of the same; the duration becomes that of an average launch.
void add_launch(const FoundKernel& kernel, FoundKernel& group) {
  const auto launches = static_cast<double>(++group.count);
  std::optional<double>& average = group.record.reported.duration_ns;
  if (average && kernel.record.reported.duration_ns) {
    *average += (*kernel.record.reported.duration_ns - *average) / launches;
  }
}

double waves_of(const Row& row) { return row.whole_gpu && row.whole_gpu->waves ? row.whole_gpu->waves->waves : -1; }

double clusters_of(const Row& row) {
  return row.whole_gpu && row.whole_gpu->clusters ? static_cast<double>(row.whole_gpu->clusters->max_active_clusters)
                                                  : -1;
}

// What the columns of the table show of a kernel.
using LineKey = std::tuple<std::string_view, const Architecture*, char, std::optional<int>, std::int64_t, int, int,
                           std::optional<std::int64_t>, std::optional<std::int64_t>, std::optional<int>,
                           std::optional<bool>, std::string_view, std::string_view, double, double>;

// Few kernels have the same name.
struct HashOfName {
  std::size_t operator()(const LineKey& key) const noexcept {
    return std::hash<std::string_view>()(std::get<0>(key)) + static_cast<std::size_t>(std::get<3>(key).value_or(0));
  }
};

}  // namespace

std::vector<Row> grouped_rows(std::vector<Row> rows, std::deque<FoundKernel>& groups) {
  struct Line {
    std::size_t row = 0;
    FoundKernel* group = nullptr;  // of several kernels
  };
  std::unordered_map<LineKey, Line, HashOfName> lines;
  lines.reserve(rows.size());
  std::size_t kept = 0;
  for (Row& row : rows) {
    const FoundKernel& kernel = *row.kernel_found;
    const LineKey key{kernel.names->name,
                      row.architecture,
                      row.arch.back(),  // its suffix
                      row.kernel.registers_per_thread,
                      shared_memory_bytes(row.kernel, row.launch),
                      row.occupancy.threads_per_block,
                      row.occupancy.active_blocks_per_sm,
                      kernel.record.spill_stores,
                      kernel.record.spill_loads,
                      kernel.record.spill_instructions,
                      kernel.record.linked,
                      kernel.compiled_arch,
                      kernel.difference,
                      waves_of(row),
                      clusters_of(row)};
    const auto [place, is_new] = lines.emplace(key, Line{kept});
    Line& line = place->second;
    if (is_new) {
      if (&rows[kept] != &row) {
        rows[kept] = std::move(row);
      }
      ++kept;
      continue;
    }
    if (line.group == nullptr) {
      line.group = &groups.emplace_back(*rows[line.row].kernel_found);
      rows[line.row].kernel_found = line.group;
    }
    add_launch(kernel, *line.group);
  }
  rows.resize(kept);
  return rows;
}

}  // namespace occcalc::cli
