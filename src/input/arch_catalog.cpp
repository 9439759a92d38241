#include "occcalc/arch_catalog.hpp"

#include <algorithm>
#include <map>

#include "input/arch_json.hpp"
#include "input/built_in.hpp"
#include "input/text.hpp"

namespace occcalc {

namespace {

const Architecture* find_named(std::span<const Architecture> architectures, std::string_view name) noexcept {
  for (const Architecture& architecture : architectures) {
    if (input::equal_ignoring_case(architecture.name, name)) {
      return &architecture;
    }
  }
  return nullptr;
}

// The names of sm_90 are compared as numbers: nothing is allocated.
const Architecture* find_in(std::span<const Architecture> architectures, std::string_view name) noexcept {
  if (const Architecture* const named = find_named(architectures, name)) {
    return named;
  }
  const std::optional<ArchName> target = parse_arch_name(name);
  if (!target) {
    return nullptr;
  }
  for (const Architecture& architecture : architectures) {
    const std::optional<ArchName> own = parse_arch_name(architecture.name);
    const bool suffix_exists =
        target->suffix == '\0' || architecture.suffixes.find(target->suffix) != std::string_view::npos;
    if (own && own->compute_capability == target->compute_capability && suffix_exists) {
      return &architecture;
    }
  }
  return nullptr;
}

input::ArchDocument document_of(const Architecture& architecture, Provenance provenance) {
  return {std::string(architecture.name),
          std::string(architecture.suffixes),
          std::string(architecture.generation),
          std::string(architecture.architecture),
          std::string(architecture.chips),
          std::string(architecture.products),
          architecture.compute_capability,
          architecture.confidence,
          architecture.limits,
          architecture.latencies,
          std::move(provenance)};
}

Provenance built_in_provenance(const Architecture& architecture) {
  for (const input::BuiltInText& text : input::built_in_texts()) {
    if (text.generation != architecture.generation) {
      continue;
    }
    const auto no_base = [](std::string_view) { return std::nullopt; };
    for (input::ArchDocument& document :
         input::read_architectures(text.json, std::string(text.generation), input::Sources::Required, no_base)) {
      if (document.name == architecture.name) {
        return std::move(document.provenance);
      }
    }
  }
  return {};
}

}  // namespace

std::span<const Architecture> built_in_architectures() noexcept { return input::built_in_table(); }

std::string_view built_in_data_date() noexcept { return input::built_in_date(); }

const Architecture* find_architecture(std::string_view name) noexcept { return find_in(input::built_in_table(), name); }

const SmLimits* find_limits(ComputeCapability compute_capability) noexcept {
  for (const Architecture& architecture : input::built_in_table()) {
    if (architecture.compute_capability == compute_capability) {
      return &architecture.limits;
    }
  }
  return nullptr;
}

ArchCatalog::ArchCatalog() : architectures_(input::built_in_table().begin(), input::built_in_table().end()) {}

void ArchCatalog::add_json(std::string_view text, const std::string& source) {
  std::map<std::string_view, input::ArchDocument> bases;  // a file may build many parts on one
  const auto find_base = [&](std::string_view name) -> std::optional<input::ArchDocument> {
    const Architecture* const base = find(name);
    if (base == nullptr) {
      return std::nullopt;
    }
    auto known = bases.find(base->name);
    if (known == bases.end()) {
      known = bases.emplace(base->name, document_of(*base, provenance(base->name))).first;
    }
    return known->second;
  };
  for (input::ArchDocument& document : input::read_architectures(text, source, input::Sources::Optional, find_base)) {
    add(std::move(document));
  }
}

void ArchCatalog::add(input::ArchDocument document) {
  Architecture added = view_of(document);
  for (std::string_view* const kept :
       {&added.name, &added.suffixes, &added.generation, &added.architecture, &added.chips, &added.products}) {
    *kept = texts_.emplace_back(*kept);
  }
  std::erase_if(added_, [&added](const Added& known) { return known.name == added.name; });
  added_.push_back({added.name, std::move(document.provenance)});
  const auto known = std::find_if(architectures_.begin(), architectures_.end(), [&added](const Architecture& other) {
    return input::equal_ignoring_case(other.name, added.name);
  });
  if (known != architectures_.end()) {
    *known = added;
  } else {
    architectures_.push_back(added);
  }
}

const Architecture* ArchCatalog::find(std::string_view name) const noexcept { return find_in(architectures_, name); }

Provenance ArchCatalog::provenance(std::string_view name) const {
  for (const Added& added : added_) {
    if (added.name == name) {
      return added.provenance;
    }
  }
  const Architecture* const architecture = find_named(input::built_in_table(), name);
  return architecture == nullptr ? Provenance{} : built_in_provenance(*architecture);
}

}  // namespace occcalc
