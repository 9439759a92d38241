#include "report/fields.hpp"

#include "report/numbers.hpp"

namespace occcalc::report {

namespace {

template <Resource resource>
Value limit(const Report& report) {
  return optional_value(report.occupancy.ceiling(resource));
}

Value limiters(const Report& report) { return words(report.occupancy.limiters); }

Value reason_codes(const Report& report) {
  Words words;
  for (const Reason& reason : report.reasons) {
    words.push_back(to_string(reason.code));
  }
  return words;
}

Value compute_capability(const Report& report) {
  const auto& capability = report.architecture->compute_capability;
  return capability ? Value(to_string(*capability)) : Value();
}

template <auto member>
Value answer(const Report& report) {
  return std::int64_t{report.occupancy.*member};
}

constexpr Field fields[] = {
    {"schema", Field::Kind::Key, [](const Report&) -> Value { return "occcalc/1"; }},
    {"compute_capability", Field::Kind::Key, compute_capability},
    {"arch", Field::Kind::Column, [](const Report& report) -> Value { return report.arch; }},
    {"threads_per_block", Field::Kind::Column, answer<&Occupancy::threads_per_block>},
    {"warps_per_block", Field::Kind::Column, answer<&Occupancy::warps_per_block>},
    {"registers_per_thread", Field::Kind::Column,
     [](const Report& report) { return optional_value(report.kernel.registers_per_thread); }},
    {"static_shared_memory", Field::Kind::Column,
     [](const Report& report) -> Value { return report.kernel.static_shared_memory; }},
    {"dynamic_shared_memory", Field::Kind::Column,
     [](const Report& report) -> Value { return dynamic_bytes(report.launch); }},
    {"barriers", Field::Kind::Column,
     [](const Report& report) -> Value { return std::int64_t{report.kernel.barriers}; }},
    {"shared_memory_per_sm", Field::Kind::Column, answer<&Occupancy::shared_memory_per_sm>},
    {"active_blocks_per_sm", Field::Kind::Column, answer<&Occupancy::active_blocks_per_sm>},
    {"active_warps_per_sm", Field::Kind::Column, answer<&Occupancy::active_warps_per_sm>},
    {"max_warps_per_sm", Field::Kind::Column, answer<&Occupancy::max_warps_per_sm>},
    {"active_threads_per_sm", Field::Kind::Column,
     [](const Report& report) -> Value {
       return std::int64_t{report.occupancy.active_blocks_per_sm} * report.occupancy.threads_per_block;
     }},
    {"max_threads_per_sm", Field::Kind::Column,
     [](const Report& report) -> Value { return std::int64_t{report.architecture->limits.max_threads_per_sm}; }},
    {"occupancy", Field::Kind::Column, [](const Report& report) -> Value { return report.occupancy.fraction(); }},
    {"limiters", Field::Kind::Column, limiters},
    {"limit_warps", Field::Kind::Column, limit<Resource::Warps>},
    {"limit_blocks", Field::Kind::Column, limit<Resource::Blocks>},
    {"limit_registers", Field::Kind::Column, limit<Resource::Registers>},
    {"limit_shared_memory", Field::Kind::Column, limit<Resource::SharedMemory>},
    {"limit_barriers", Field::Kind::Column, limit<Resource::Barriers>},
    {"limit_virtual_resources", Field::Kind::Column, limit<Resource::VirtualResources>},
    {"allocated_registers_per_block", Field::Kind::Column,
     [](const Report& report) { return optional_value(report.occupancy.allocated_registers_per_block); }},
    {"allocated_shared_memory_per_block", Field::Kind::Column, answer<&Occupancy::allocated_shared_memory_per_block>},
    {"launchable", Field::Kind::Column, [](const Report& report) -> Value { return report.occupancy.launchable(); }},
    {"reasons", Field::Kind::Column, reason_codes},
    {"ceilings", Field::Kind::Tree, nullptr},
    {"notes", Field::Kind::Tree, nullptr},
    {"cliffs", Field::Kind::Tree, nullptr},
    {"joint_cliff", Field::Kind::Tree, nullptr},
    {"remedies", Field::Kind::Tree, nullptr},
    {"staircases", Field::Kind::Tree, nullptr},
    {"budget", Field::Kind::Tree, nullptr},
    {"target", Field::Kind::Tree, nullptr},
    {"block_sizes", Field::Kind::Tree, nullptr},
    {"explain", Field::Kind::Tree, nullptr},
};

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
