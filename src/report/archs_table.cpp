#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/arch_columns.hpp"
#include "report/archs.hpp"
#include "report/layout.hpp"
#include "report/numbers.hpp"

namespace occcalc::report {

namespace {

std::string or_dash(std::optional<int> number) { return number ? grouped(*number) : "-"; }

// Kilobytes without the unit, which stands in the head.
std::string in_kb(std::int64_t bytes) {
  return bytes % 1024 == 0 ? std::to_string(bytes / 1024) : fmt::format("{:.1f}", static_cast<double>(bytes) / 1024);
}

std::string sizes_in_kb(const CarveoutSizes& sizes) {
  std::string text;
  for (const std::int64_t size : sizes) {
    text += (text.empty() ? "" : " ") + in_kb(size);
  }
  return text;
}

std::string cluster(const SmLimits& sm) {
  return sm.max_portable_cluster == 1 && sm.max_nonportable_cluster == 1
             ? "-"
             : or_dash(sm.max_portable_cluster) + "/" +
                   (sm.max_nonportable_cluster ? grouped(*sm.max_nonportable_cluster) : "?");
}

using Rows = std::vector<std::vector<std::string>>;

std::string table(const Rows& rows, Style style) {
  std::vector<Align> aligns(rows[0].size(), Align::Right);
  aligns.front() = Align::Left;
  aligns.back() = Align::Left;
  const std::vector<std::string> lines = aligned(rows, aligns);
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += (i == 0 ? bold(lines[i], style) : lines[i]) + "\n";
  }
  return text;
}

Rows residency_rows(std::span<const ArchReport> archs) {
  Rows rows = {{"arch", "warps", "blocks", "regs", "/block", "/thread", "parts", "barriers", "virtual", "trust"}};
  for (const ArchReport& arch : archs) {
    const SmLimits& sm = arch.architecture->limits;
    rows.push_back({std::string(arch.architecture->name), std::to_string(sm.max_warps_per_sm),
                    std::to_string(sm.max_blocks_per_sm), std::to_string(sm.registers_per_sm),
                    std::to_string(sm.max_registers_per_block), std::to_string(sm.max_registers_per_thread),
                    std::to_string(sm.sub_partitions), or_dash(sm.barriers_per_sm),
                    or_dash(sm.virtual_resources_per_sm), std::string(to_string(arch.architecture->confidence))});
  }
  return rows;
}

Rows memory_rows(std::span<const ArchReport> archs) {
  Rows rows = {{"arch", "smem", "/block", "opt-in", "reserve", "unit", "L1", "tensor", "cluster", "carveout"}};
  for (const ArchReport& arch : archs) {
    const SmLimits& sm = arch.architecture->limits;
    rows.push_back({std::string(arch.architecture->name), in_kb(sm.shared_memory_per_sm),
                    in_kb(sm.max_shared_memory_per_block), in_kb(sm.max_shared_memory_per_block_optin),
                    std::to_string(sm.reserved_shared_memory_per_block),
                    std::to_string(sm.shared_memory_allocation_unit),
                    in_kb(sm.l1_size) + (sm.l1_kind == L1Kind::Separate ? "*" : ""),
                    std::to_string(sm.tensor_memory_columns), cluster(sm), std::string(to_string(sm.carveout_kind))});
  }
  return rows;
}

// A value and the names of the parts that have it.
using Groups = std::vector<std::pair<std::string, std::string>>;

void add_to_group(Groups& groups, const std::string& value, std::string_view name) {
  auto group = std::find_if(groups.begin(), groups.end(), [&value](const auto& known) { return known.first == value; });
  if (group == groups.end()) {
    group = groups.insert(groups.end(), {value, ""});
  }
  group->second += (group->second.empty() ? "" : " ") + std::string(name);
}

// "max_barriers_per_block: 16"; where parts differ, the rarer values name them.
std::string group_line(std::string_view limit, Groups groups) {
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  std::string text(limit);
  for (const auto& [value, names] : groups) {
    const bool first = &names == &groups.front().second;
    text += first ? ": " + value : fmt::format("; {} on {}", value, names);
  }
  return groups.empty() ? "" : wrapped(text, 2);
}

// Parts that share one set of carveouts stand on one line.
std::string carveout_lines(std::span<const ArchReport> archs) {
  Groups groups;
  for (const ArchReport& arch : archs) {
    add_to_group(groups, sizes_in_kb(arch.architecture->limits.carveouts), arch.architecture->name);
  }
  std::string text;
  for (const auto& [sizes, names] : groups) {
    text += wrapped(fmt::format("{}: {}", sizes, names), 2);
  }
  return text;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) {
    joined += (joined.empty() ? "" : ", ") + text;
  }
  return joined;
}

// Numbers in groups, lists with blanks, "unknown" for what nobody knows.
struct Shown {
  std::string operator()(std::monostate) const { return "unknown"; }
  std::string operator()(bool flag) const { return flag ? "yes" : "no"; }
  std::string operator()(std::int64_t number) const { return grouped(number); }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(const Numbers& numbers) const {
    std::string text;
    for (const std::int64_t number : numbers) {
      text += (text.empty() ? "" : " ") + std::to_string(number);
    }
    return text;
  }
  template <class Other>
  std::string operator()(const Other& other) const {
    return to_text(other);
  }
};

std::string limit_lines(const ArchReport& arch, Style style) {
  std::string text = bold(fmt::format("{:<34}{:>12}  {}", "limit", "value", "source"), style) + "\n";
  const auto add = [&](std::string_view name, const auto& limit) {
    const auto source = std::find_if(arch.provenance.sources.begin(), arch.provenance.sources.end(),
                                     [name](const Provenance::Field& field) { return field.name == name; });
    const std::string citations = source == arch.provenance.sources.end() ? "" : joined(source->citations);
    const std::string value = std::visit(Shown(), limit_value(limit));
    constexpr std::size_t value_width = 12;
    const std::string named = fmt::format("{:<34}{:>12}", name, value);
    const bool long_value = value.size() > value_width;  // its sources go to a line of their own
    text += long_value ? wrapped(named, 34) + (citations.empty() ? "" : wrapped(std::string(36, ' ') + citations, 36))
                       : wrapped(named + (citations.empty() ? "" : "  " + citations), 36);
  };
  for_each_limit(arch.architecture->limits, add);
  for_each_latency(arch.architecture->latencies, add);
  return text;
}

// Limits without a column of their own.
std::string common_lines(std::span<const ArchReport> archs) {
  constexpr std::array<std::string_view, 6> wanted = {"max_threads_per_block",    "max_block_dim",
                                                      "register_allocation_unit", "register_check_warps",
                                                      "max_barriers_per_block",   "partitioned_global_caching"};
  std::string text;
  for (const std::string_view name : wanted) {
    Groups groups;
    for (const ArchReport& arch : archs) {
      for_each_limit(arch.architecture->limits, [&](std::string_view limit, const auto& field) {
        if (limit == name) {
          add_to_group(groups, std::visit(Shown(), limit_value(field)), arch.architecture->name);
        }
      });
    }
    text += group_line(name, std::move(groups));
  }
  return text.empty() ? "" : text + "\n";
}

std::string conflict_lines(const Provenance& provenance) {
  std::string text;
  for (const Conflict& conflict : provenance.conflicts) {
    std::string values;
    for (const Conflict::Value& value : conflict.values) {
      values += fmt::format("{}{} ({})", values.empty() ? "" : ", ", value.value, joined(value.sources));
    }
    text += wrapped(
        fmt::format("- {}: {}. Trusted: {}, because {}.", conflict.field, values, conflict.trusted, conflict.why), 2);
  }
  return text;
}

std::string note_lines(const Provenance& provenance) {
  std::string text;
  for (const std::string& note : provenance.notes) {
    text += wrapped("- " + note, 2);
  }
  return text;
}

std::string reference_lines(const Provenance& provenance) {
  std::string text;
  for (const Reference& reference : provenance.references) {
    text +=
        wrapped(fmt::format("{:<12}{}; {} ({})", reference.id, reference.title, reference.where, reference.kind), 12);
  }
  return text;
}

std::string section(std::string_view title, const std::string& lines, Style style) {
  return lines.empty() ? "" : "\n" + bold(title, style) + "\n" + lines;
}

}  // namespace

std::string write_archs_table(std::span<const ArchReport> archs, Style style) {
  return table(residency_rows(archs), style) + "\n" + table(memory_rows(archs), style) + "\n" +
         bold("Carveouts in KB", style) + "\n" + carveout_lines(archs) + "\n" + common_lines(archs) +
         wrapped(
             "warps of 32 threads; regs per SM; parts: sub-partitions of the register file; smem, its limits per block "
             "and L1 in KB, "
             "reserve and unit of allocation in bytes; L1 includes shared memory, * apart; "
             "tensor: tensor-memory columns; cluster: portable/non-portable blocks; trust: confidence "
             "of the numbers; - none or unknown; ? unknown. Sources, conflicts and notes: occcalc archs NAME.");
}

std::string write_arch_details(const ArchReport& arch, Style style) {
  const Architecture& part = *arch.architecture;
  std::string title(part.name);
  title += part.architecture.empty() ? "" : ": " + std::string(part.architecture);
  title += part.compute_capability ? ", compute capability " + to_string(*part.compute_capability) : "";
  std::string text = bold(title, style) + "\n";
  const auto line = [&text](std::string_view label, std::string_view value) {
    if (!value.empty()) {
      text += wrapped(fmt::format("{:<12}{}", label, value), 12);
    }
  };
  line("chips", part.chips);
  line("products", part.products);
  line("targets", joined(targets_of(part)));
  line("confidence", to_string(part.confidence));
  return text + "\n" + limit_lines(arch, style) +
         section("Conflicts between sources", conflict_lines(arch.provenance), style) +
         section("Notes", note_lines(arch.provenance), style) +
         section("Sources", reference_lines(arch.provenance), style);
}

}  // namespace occcalc::report
