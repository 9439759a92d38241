#include "report/arch_columns.hpp"

#include "report/archs.hpp"

namespace occcalc::report {

std::vector<std::string> targets_of(const Architecture& architecture) {
  std::vector<std::string> targets;
  if (architecture.compute_capability) {
    targets.emplace_back(architecture.name);
  }
  for (const char suffix : architecture.suffixes) {
    targets.push_back(std::string(architecture.name) + suffix);
  }
  return targets;
}

std::vector<std::pair<std::string_view, Value>> arch_columns(const Architecture& architecture) {
  const auto& capability = architecture.compute_capability;
  std::vector<std::pair<std::string_view, Value>> columns = {
      {"name", std::string(architecture.name)},
      {"compute_capability", capability ? Value(to_string(*capability)) : Value()},
      {"generation", std::string(architecture.generation)},
      {"architecture", std::string(architecture.architecture)},
      {"chips", std::string(architecture.chips)},
      {"products", std::string(architecture.products)}};
  for_each_limit(architecture.limits, [&columns](std::string_view name, const auto& limit) {
    columns.emplace_back(name, limit_value(limit));
  });
  columns.emplace_back("confidence", std::string(to_string(architecture.confidence)));
  for_each_latency(architecture.latencies, [&columns](std::string_view name, const auto& latency) {
    columns.emplace_back(name, optional_value(latency));
  });
  return columns;
}

std::vector<std::string_view> arch_column_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : arch_columns({})) {
    names.push_back(name);
  }
  return names;
}

}  // namespace occcalc::report
