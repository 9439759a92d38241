#include "report/fields.hpp"

#include <array>
#include <charconv>

#include "report/numbers.hpp"

namespace occcalc::report {

namespace {

template <Resource resource>
void limit(Cell& cell, const Row& row) {
  cell.number(row.occupancy.ceiling(resource));
}

template <auto member>
void answer(Cell& cell, const Row& row) {
  cell.number(std::int64_t{row.occupancy.*member});
}

void compute_capability(Cell& cell, const Row& row) {
  const auto& capability = row.architecture->compute_capability;
  capability ? cell.text(to_string(*capability)) : cell.null();
}

using Kind = Field::Kind;

constexpr Field fields[] = {
    {"schema", Kind::Key, [](Cell& cell, const Row&) { cell.text("occcalc/1"); }},
    {"compute_capability", Kind::Key, compute_capability},
    {"arch", Kind::Column, [](Cell& cell, const Row& row) { cell.text(row.arch); }},
    {"threads_per_block", Kind::Column, answer<&Occupancy::threads_per_block>},
    {"warps_per_block", Kind::Column, answer<&Occupancy::warps_per_block>},
    {"registers_per_thread", Kind::Column,
     [](Cell& cell, const Row& row) { cell.number(row.kernel.registers_per_thread); }},
    {"static_shared_memory", Kind::Column,
     [](Cell& cell, const Row& row) { cell.number(row.kernel.static_shared_memory); }},
    {"dynamic_shared_memory", Kind::Column, [](Cell& cell, const Row& row) { cell.number(dynamic_bytes(row.launch)); }},
    {"barriers", Kind::Column, [](Cell& cell, const Row& row) { cell.number(row.kernel.barriers); }},
    {"shared_memory_per_sm", Kind::Column, answer<&Occupancy::shared_memory_per_sm>},
    {"active_blocks_per_sm", Kind::Column, answer<&Occupancy::active_blocks_per_sm>},
    {"active_warps_per_sm", Kind::Column, answer<&Occupancy::active_warps_per_sm>},
    {"max_warps_per_sm", Kind::Column, answer<&Occupancy::max_warps_per_sm>},
    {"active_threads_per_sm", Kind::Column,
     [](Cell& cell, const Row& row) {
       cell.number(std::int64_t{row.occupancy.active_blocks_per_sm} * row.occupancy.threads_per_block);
     }},
    {"max_threads_per_sm", Kind::Column,
     [](Cell& cell, const Row& row) { cell.number(row.architecture->limits.max_threads_per_sm); }},
    {"occupancy", Kind::Column,
     [](Cell& cell, const Row& row) { cell.share(row.occupancy.active_warps_per_sm, row.occupancy.max_warps_per_sm); }},
    {"limiters", Kind::Column, [](Cell& cell, const Row& row) { cell.words(row.occupancy.limiters); }},
    {"limit_warps", Kind::Column, limit<Resource::Warps>},
    {"limit_blocks", Kind::Column, limit<Resource::Blocks>},
    {"limit_registers", Kind::Column, limit<Resource::Registers>},
    {"limit_shared_memory", Kind::Column, limit<Resource::SharedMemory>},
    {"limit_barriers", Kind::Column, limit<Resource::Barriers>},
    {"limit_virtual_resources", Kind::Column, limit<Resource::VirtualResources>},
    {"allocated_registers_per_block", Kind::Column,
     [](Cell& cell, const Row& row) { cell.number(row.occupancy.allocated_registers_per_block); }},
    {"allocated_shared_memory_per_block", Kind::Column, answer<&Occupancy::allocated_shared_memory_per_block>},
    {"launchable", Kind::Column, [](Cell& cell, const Row& row) { cell.flag(row.occupancy.launchable()); }},
    {"reasons", Kind::Column, [](Cell& cell, const Row& row) { cell.codes(row.reasons); }},
    {"ceilings", Kind::Tree, nullptr},
    {"notes", Kind::Tree, nullptr},
    {"cliffs", Kind::Tree, nullptr},
    {"joint_cliff", Kind::Tree, nullptr},
    {"remedies", Kind::Tree, nullptr},
    {"staircases", Kind::Tree, nullptr},
    {"budget", Kind::Tree, nullptr},
    {"target", Kind::Tree, nullptr},
    {"block_sizes", Kind::Tree, nullptr},
    {"explain", Kind::Tree, nullptr},
};

// The decimals of 0/whole to whole/whole: they are few, and finding the shortest is slow.
const std::string& share_text(int part, int whole) {
  thread_local int known_whole = 0;
  thread_local std::vector<std::string> texts;
  if (known_whole != whole) {
    texts.clear();
    for (int i = 0; i <= whole; ++i) {
      texts.push_back(shortest(whole == 0 ? 0.0 : static_cast<double>(i) / whole));
    }
    known_whole = whole;
  }
  return texts[static_cast<std::size_t>(part)];
}

struct ToText {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(double fraction) const { return shortest(fraction); }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(const Words& words) const {
    std::string text;
    for (const std::string_view word : words) {
      text += text.empty() ? "" : "+";
      text += word;
    }
    return text;
  }
  std::string operator()(const Numbers& numbers) const {
    std::string text;
    for (const std::int64_t number : numbers) {
      text += (text.empty() ? "" : "+") + std::to_string(number);
    }
    return text;
  }
};

}  // namespace

std::span<const Field> configuration_fields() noexcept { return fields; }

void Cell::null() {
  if (is_json()) {
    out_.append("null");
  }
}

void Cell::number(std::int64_t value) { out_.append_number(value); }

void Cell::text(std::string_view value) {
  if (!is_json()) {
    out_.append(value);
    return;
  }
  out_.append('"');
  out_.append(value);
  out_.append('"');
}

void Cell::share(int part, int whole) {
  constexpr int most_kept = 1024;
  if (whole <= most_kept && part <= whole) {
    out_.append(share_text(part, whole));
  } else {
    out_.append(shortest(static_cast<double>(part) / whole));
  }
}

// Names joined: registers+shared_memory, or ["registers","shared_memory"].
template <class Names>
void Cell::list(const Names& names) {
  bool is_first = true;
  for (const std::string_view name : names) {
    out_.append(is_json() ? (is_first ? "[\"" : "\",\"") : (is_first ? "" : "+"));
    out_.append(name);
    is_first = false;
  }
  if (is_json()) {
    out_.append(is_first ? "[]" : "\"]");
  }
}

void Cell::words(const ResourceSet& resources) {
  std::array<std::string_view, all_resources.size()> names;
  std::size_t count = 0;
  for (const Resource resource : all_resources) {
    if (resources.contains(resource)) {
      names[count++] = to_string(resource);
    }
  }
  list(std::span(names).first(count));
}

void Cell::codes(const std::vector<Reason>& reasons) {
  Words codes;
  codes.reserve(reasons.size());
  for (const Reason& reason : reasons) {
    codes.push_back(to_string(reason.code));
  }
  list(codes);
}

std::string plain_text(const Field& field, const Row& row) {
  TextBuffer text;
  Cell cell(text, Cell::Format::Plain);
  field.write(cell, row);
  return std::string(text.view());
}

Words words(const ResourceSet& resources) {
  Words words;
  for (const Resource resource : all_resources) {
    if (resources.contains(resource)) {
      words.push_back(to_string(resource));
    }
  }
  return words;
}

std::string to_text(const Value& value) { return std::visit(ToText(), value); }

}  // namespace occcalc::report
