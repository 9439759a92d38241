#include "input/arch_json.hpp"

#include <algorithm>
#include <set>

#include "input/json_text.hpp"
#include "input/text.hpp"

namespace occcalc::input {

namespace {

constexpr std::string_view document_schema = "occcalc-architectures/1";
constexpr std::string_view object_schema = "occcalc/1";

// Far above any part, and small enough that no product of them leaves 64 bits.
constexpr std::int64_t most_count = 1 << 24;
constexpr std::int64_t most_bytes = std::int64_t{1} << 40;

// Zero means something for these: there is none.
bool may_be_zero(std::string_view limit) {
  return limit == "reserved_shared_memory_per_block" || limit == "virtual_resources_per_sm" ||
         limit == "tensor_memory_columns";
}

// What is walked one by one stays small.
std::int64_t most_of(std::string_view limit) {
  constexpr std::int64_t most_walked = 1 << 16;
  const bool is_walked = limit == "max_registers_per_thread" || limit == "max_warps_per_sm" ||
                         limit == "max_blocks_per_sm" || limit == "max_threads_per_block" ||
                         limit == "max_barriers_per_block";
  return is_walked ? most_walked : most_count;
}

// One overload for each type of a limit.
class LimitReader {
 public:
  LimitReader(const JsonCursor& cursor, std::string_view limit)
      : cursor_(cursor), least_(may_be_zero(limit) ? 0 : 1), most_(most_of(limit)) {}

  void read(int& field) const { field = static_cast<int>(cursor_.integer(least_, most_)); }
  void read(std::int64_t& field) const { field = cursor_.integer(least_, most_bytes); }
  void read(bool& field) const { field = cursor_.boolean(); }
  void read(std::optional<int>& field) const {
    field.reset();
    if (!cursor_.value().is_null()) {
      read(field.emplace());
    }
  }
  void read(CarveoutKind& field) const {
    field = static_cast<CarveoutKind>(cursor_.one_of({"fixed", "split", "preference"}));
  }
  void read(L1Kind& field) const { field = static_cast<L1Kind>(cursor_.one_of({"unified", "separate"})); }
  void read(Dim3& field) const {
    const std::vector<JsonCursor> sizes = cursor_.items();
    if (sizes.size() != 3) {
      cursor_.fail("three numbers");
    }
    field = {static_cast<int>(sizes[0].integer(1, most_count)), static_cast<int>(sizes[1].integer(1, most_count)),
             static_cast<int>(sizes[2].integer(1, most_count))};
  }
  void read(CarveoutSizes& field) const {
    std::vector<std::int64_t> sizes;
    for (const JsonCursor& item : cursor_.items()) {
      sizes.push_back(item.integer(sizes.empty() ? 0 : sizes.back() + 1, most_bytes));
    }
    if (sizes.empty() || sizes.size() > CarveoutSizes::capacity) {
      cursor_.fail("1 to " + std::to_string(CarveoutSizes::capacity) + " sizes in ascending order");
    }
    field = CarveoutSizes(std::span<const std::int64_t>(sizes));
  }

 private:
  const JsonCursor& cursor_;
  std::int64_t least_;
  std::int64_t most_;
};

std::vector<std::string_view> limit_names() {
  std::vector<std::string_view> names;
  const SmLimits limits;
  for_each_limit(limits, [&names](std::string_view name, const auto&) { names.push_back(name); });
  return names;
}

std::vector<std::string_view> latency_names() {
  std::vector<std::string_view> names;
  const Latencies latencies;
  for_each_latency(latencies, [&names](std::string_view name, const auto&) { names.push_back(name); });
  return names;
}

// Every number that has sources.
std::vector<std::string_view> sourced_names() {
  std::vector<std::string_view> names = limit_names();
  const std::vector<std::string_view> latencies = latency_names();
  names.insert(names.end(), latencies.begin(), latencies.end());
  return names;
}

// What is left out stays as it is.
void read_latencies(const JsonCursor& object, Latencies& latencies) {
  object.require_keys(latency_names());
  for_each_latency(latencies, [&](std::string_view name, std::optional<int>& field) {
    const std::string key(name);
    if (object.has(key)) {
      const JsonCursor cursor = object.at(key);
      LimitReader(cursor, name).read(field);
    }
  });
}

// The limits that the object gives; the others stay as they are, if there is a base.
void read_limits(const JsonCursor& object, bool has_base, SmLimits& limits) {
  object.require_keys(limit_names());
  for_each_limit(limits, [&](std::string_view name, auto& field) {
    const std::string key(name);
    if (!has_base || object.has(key)) {
      const JsonCursor cursor = object.at(key);
      LimitReader(cursor, name).read(field);
    }
  });
}

// Numbers that contradict each other, each with what would be consistent.
void check_consistency(const JsonCursor& place, const SmLimits& sm) {
  const auto require = [&place](bool condition, const std::string& what) {
    if (!condition) {
      place.complain("inconsistent numbers: " + what);
    }
  };
  const auto text = [](auto number) { return std::to_string(number); };
  require(sm.max_threads_per_sm == sm.max_warps_per_sm * warp_size,
          "max_threads_per_sm is " + text(sm.max_threads_per_sm) + ", but max_warps_per_sm x 32 is " +
              text(sm.max_warps_per_sm * warp_size));
  require(sm.max_threads_per_block % warp_size == 0,
          "max_threads_per_block " + text(sm.max_threads_per_block) + " is no whole number of warps");
  require(sm.max_threads_per_block <= sm.max_threads_per_sm, "max_threads_per_block " + text(sm.max_threads_per_block) +
                                                                 " is above max_threads_per_sm " +
                                                                 text(sm.max_threads_per_sm));
  require(sm.max_registers_per_block <= sm.registers_per_sm,
          "max_registers_per_block " + text(sm.max_registers_per_block) + " is above registers_per_sm " +
              text(sm.registers_per_sm));
  require(
      sm.register_allocation_unit % warp_size == 0,
      "register_allocation_unit " + text(sm.register_allocation_unit) + " is no multiple of the 32 threads of a warp");
  require(sm.shared_memory_allocation_unit <= sm.max_shared_memory_per_block,
          "shared_memory_allocation_unit " + text(sm.shared_memory_allocation_unit) +
              " is above max_shared_memory_per_block " + text(sm.max_shared_memory_per_block));
  require(sm.registers_per_sm % sm.sub_partitions == 0, "registers_per_sm " + text(sm.registers_per_sm) +
                                                            " does not divide among sub_partitions " +
                                                            text(sm.sub_partitions));
  require(!sm.partitioned_global_caching || sm.sub_partitions % 2 == 0,
          "partitioned_global_caching needs an even number of sub_partitions, not " + text(sm.sub_partitions));
  require(sm.max_shared_memory_per_block <= sm.max_shared_memory_per_block_optin,
          "max_shared_memory_per_block " + text(sm.max_shared_memory_per_block) +
              " is above max_shared_memory_per_block_optin " + text(sm.max_shared_memory_per_block_optin));
  require(sm.max_shared_memory_per_block_optin + sm.reserved_shared_memory_per_block <= sm.shared_memory_per_sm,
          "max_shared_memory_per_block_optin " + text(sm.max_shared_memory_per_block_optin) + " and the reserve of " +
              text(sm.reserved_shared_memory_per_block) + " are above shared_memory_per_sm " +
              text(sm.shared_memory_per_sm));
  require(sm.carveouts[sm.carveouts.size() - 1] == sm.shared_memory_per_sm,
          "the largest of carveouts is " + text(sm.carveouts[sm.carveouts.size() - 1]) +
              ", but shared_memory_per_sm is " + text(sm.shared_memory_per_sm));
  require(std::find(sm.carveouts.begin(), sm.carveouts.end(), sm.default_carveout) != sm.carveouts.end(),
          "default_carveout " + text(sm.default_carveout) + " is none of carveouts");
  require(sm.carveout_kind != CarveoutKind::Fixed || sm.carveouts.size() == 1,
          "carveout_kind fixed has one size, but carveouts has " + text(sm.carveouts.size()));
  require(
      sm.l1_kind != L1Kind::Unified || sm.shared_memory_per_sm <= sm.l1_size,
      "shared_memory_per_sm " + text(sm.shared_memory_per_sm) + " is above the unified l1_size " + text(sm.l1_size));
  require(!sm.max_nonportable_cluster || sm.max_portable_cluster,
          "max_nonportable_cluster is known, but max_portable_cluster is null");
  require(!sm.max_nonportable_cluster || *sm.max_portable_cluster <= *sm.max_nonportable_cluster,
          "max_nonportable_cluster is below max_portable_cluster");
}

std::vector<Reference> read_references(const JsonCursor& holder) {
  std::vector<Reference> references;
  if (!holder.has("references")) {
    return references;
  }
  for (const auto& [id, entry] : holder.at("references").members()) {
    entry.require_keys({"title", "where", "kind"});
    references.push_back({id, entry.at("title").text(), entry.at("where").text(), entry.at("kind").text()});
  }
  return references;
}

// "occ130: cudaOccSMemPerBlock" cites the reference occ130.
void check_citations(const JsonCursor& place, const std::vector<std::string>& citations,
                     const std::vector<Reference>& references) {
  if (citations.empty()) {
    place.fail("at least one source");
  }
  for (const std::string& citation : citations) {
    const std::string id = citation.substr(0, citation.find(':'));
    if (std::none_of(references.begin(), references.end(), [&id](const Reference& known) { return known.id == id; })) {
      place.complain("cites \"" + id + "\", which references does not list");
    }
  }
}

void read_sources(const JsonCursor& holder, Provenance& provenance) {
  const JsonCursor object = holder.at("sources");
  object.require_keys(sourced_names());
  for (const auto& [limit, cursor] : object.members()) {
    const std::string name = limit;
    std::erase_if(provenance.sources, [&name](const Provenance::Field& field) { return field.name == name; });
    provenance.sources.push_back({name, cursor.texts()});
    check_citations(cursor, provenance.sources.back().citations, provenance.references);
  }
}

std::string scalar(const JsonCursor& cursor) {
  if (!cursor.value().is_number() && !cursor.value().is_string()) {
    cursor.fail("a number or a string");
  }
  return cursor.value().dump();
}

void read_conflicts(const JsonCursor& holder, Provenance& provenance) {
  provenance.conflicts.clear();
  for (const JsonCursor& entry : holder.at("conflicts").items()) {
    entry.require_keys({"field", "values", "trusted", "why"});
    Conflict conflict{entry.at("field").text(), {}, scalar(entry.at("trusted")), entry.at("why").text()};
    const std::vector<std::string_view> names = sourced_names();
    if (conflict.field != "compute_capability" &&
        std::find(names.begin(), names.end(), conflict.field) == names.end()) {
      entry.at("field").fail("compute_capability, a limit or a latency");
    }
    for (const JsonCursor& value : entry.at("values").items()) {
      value.require_keys({"value", "sources"});
      conflict.values.push_back({scalar(value.at("value")), value.at("sources").texts()});
      check_citations(value.at("sources"), conflict.values.back().sources, provenance.references);
    }
    provenance.conflicts.push_back(std::move(conflict));
  }
}

void add_references(const std::vector<Reference>& added, std::vector<Reference>& references) {
  for (const Reference& reference : added) {
    std::erase_if(references, [&reference](const Reference& known) { return known.id == reference.id; });
    references.push_back(reference);
  }
}

// A number that the object changes no longer has the sources and conflicts of its base. True if it gives none of its
// own.
bool forget_changed(const JsonCursor& object, Provenance& provenance) {
  bool unsourced = false;
  for (const char* const group : {"limits", "latencies"}) {
    if (!object.has(group)) {
      continue;
    }
    for (const auto& [limit, value] : object.at(group).members()) {
      const std::string name = limit;
      std::erase_if(provenance.sources, [&name](const Provenance::Field& field) { return field.name == name; });
      std::erase_if(provenance.conflicts, [&name](const Conflict& conflict) { return conflict.field == name; });
      const bool sourced = object.has("sources") && object.at("sources").has(name);
      unsourced = unsourced || (!sourced && !value.value().is_null());
    }
  }
  return unsourced;
}

void read_provenance(const JsonCursor& object, const std::vector<Reference>& shared, Sources sources,
                     ArchDocument& document) {
  Provenance& provenance = document.provenance;
  add_references(shared, provenance.references);
  add_references(read_references(object), provenance.references);
  const bool required = sources == Sources::Required;
  const bool unsourced = forget_changed(object, provenance);
  if (unsourced) {
    document.confidence = Confidence::Low;
  }
  if (required || object.has("confidence")) {
    document.confidence = static_cast<Confidence>(object.at("confidence").one_of({"low", "medium", "high"}));
  }
  if (required || object.has("sources")) {
    read_sources(object, provenance);
  }
  if (required || object.has("conflicts")) {
    read_conflicts(object, provenance);
  }
  if (required || object.has("notes")) {
    provenance.notes = object.at("notes").texts();
  }
}

// Our own data: every number that is known has a source.
void require_sources(const JsonCursor& object, const ArchDocument& document) {
  const auto require = [&](std::string_view name, const JsonCursor& holder) {
    const bool sourced = object.at("sources").has(std::string(name));
    if (!sourced && !holder.at(std::string(name)).value().is_null()) {
      object.at("sources").complain("the source of " + document.name + "'s " + std::string(name) + " is missing");
    }
  };
  for (const std::string_view name : limit_names()) {
    require(name, object.at("limits"));
  }
  for (const std::string_view name : latency_names()) {
    require(name, object.at("latencies"));
  }
}

std::optional<ComputeCapability> read_capability(const JsonCursor& cursor) {
  if (cursor.value().is_null()) {
    return std::nullopt;
  }
  const std::string text = cursor.text();
  const std::optional<ArchName> name = parse_arch_name(text);
  if (!name || to_string(name->compute_capability) != text) {
    cursor.fail("a compute capability such as \"8.0\", or null");
  }
  return name->compute_capability;
}

std::string read_name(const JsonCursor& cursor) {
  std::string name = cursor.text();
  const auto plain = [](char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || c == '_' || c == '-'; };
  constexpr std::size_t most = 40;
  const bool letter_first = !name.empty() && lower(name.front()) >= 'a' && lower(name.front()) <= 'z';
  if (!letter_first || name.size() > most || !std::all_of(name.begin(), name.end(), plain)) {
    cursor.fail("a name of up to 40 letters, digits, '_' and '-' that starts with a letter");
  }
  if (equal_ignoring_case(name, "all") || equal_ignoring_case(name, "native")) {
    cursor.complain("the name \"" + name + "\" has a meaning of its own; choose another");
  }
  return name;
}

// Target suffixes, from names such as "sm_100a".
std::string read_suffixes(const JsonCursor& cursor, const std::string& name) {
  std::string suffixes;
  for (const JsonCursor& item : cursor.items()) {
    const std::string target = item.text();
    if (target == name) {
      continue;
    }
    const bool known =
        target.size() == name.size() + 1 && target.starts_with(name) && (target.back() == 'a' || target.back() == 'f');
    if (!known) {
      item.fail("\"" + name + "\", alone or with the suffix a or f");
    }
    if (suffixes.find(target.back()) != std::string::npos) {
      item.complain("\"" + target + "\" stands twice");
    }
    suffixes += target.back();
  }
  return suffixes;
}

void check_name(const JsonCursor& object, const ArchDocument& document) {
  const std::optional<ArchName> target = parse_arch_name(document.name);
  if (target && document.name != to_string(*target)) {  // --arch takes all spellings of a part as one
    object.at("name").complain("\"" + document.name + "\" is a spelling of " + to_string(*target) + "; write that");
  }
  if (target && (target->suffix != '\0' || document.compute_capability != target->compute_capability)) {
    object.at("name").complain("\"" + document.name + "\" names a compute capability, but compute_capability is " +
                               (document.compute_capability ? to_string(*document.compute_capability) : "null"));
  }
}

std::string lowered(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), lower);
  return name;
}

std::string text_or(const JsonCursor& object, const std::string& key, std::string otherwise) {
  return object.has(key) ? object.at(key).text() : std::move(otherwise);
}

// What all architectures of a document share.
struct Shared {
  std::string generation;
  std::vector<Reference> references;
};

ArchDocument start_document(const JsonCursor& object, const FindBase& find_base) {
  if (!object.has("based_on")) {
    return {};
  }
  const JsonCursor cursor = object.at("based_on");
  std::optional<ArchDocument> base = find_base(cursor.text());
  if (!base) {
    cursor.fail("a known architecture (`occcalc archs` lists them)");
  }
  return *std::move(base);
}

ArchDocument read_architecture(const JsonCursor& object, const Shared& shared, Sources sources,
                               const FindBase& find_base) {
  object.require_keys({"schema", "name", "based_on", "compute_capability", "generation", "architecture", "chips",
                       "products", "targets", "limits", "latencies", "confidence", "sources", "conflicts", "notes",
                       "references"});
  if (object.has("schema")) {
    static_cast<void>(object.at("schema").one_of({object_schema}));
  }
  const bool has_base = object.has("based_on");
  ArchDocument document = start_document(object, find_base);
  const std::string base_name = document.name;
  document.name = read_name(object.at("name"));
  if (!has_base && !object.has("limits")) {
    object.complain("needs \"limits\", or a part to start from, such as \"based_on\": \"sm_80\"");
  }
  if (!has_base || object.has("compute_capability")) {
    document.compute_capability = read_capability(object.at("compute_capability"));
  }
  document.generation = text_or(object, "generation", has_base ? document.generation : shared.generation);
  document.architecture = text_or(object, "architecture", document.architecture);
  const bool renamed = document.name != base_name;  // another part has other chips
  document.chips = text_or(object, "chips", renamed ? "" : document.chips);
  document.products = text_or(object, "products", renamed ? "" : document.products);
  if (sources == Sources::Required || (object.has("targets") && parse_arch_name(document.name))) {
    document.suffixes = read_suffixes(object.at("targets"), document.name);
  } else if (document.name != base_name) {
    document.suffixes.clear();
  }
  check_name(object, document);
  if (!has_base || object.has("limits")) {
    read_limits(object.at("limits"), has_base, document.limits);
    check_consistency(object.at("limits"), document.limits);
  }
  if (sources == Sources::Required || object.has("latencies")) {
    read_latencies(object.at("latencies"), document.latencies);
  }
  read_provenance(object, shared.references, sources, document);
  if (sources == Sources::Required) {
    require_sources(object, document);
  }
  return document;
}

}  // namespace

std::vector<ArchDocument> read_architectures(std::string_view text, const std::string& source, Sources sources,
                                             const FindBase& find_base) {
  const nlohmann::json json = parse_json(text, source);
  const JsonCursor root(json, source);
  Shared shared;
  std::vector<JsonCursor> objects;
  if (json.is_array()) {
    objects = root.items();
  } else if (root.has("architectures")) {
    root.require_keys({"$schema", "schema", "date", "generation", "references", "architectures"});
    static_cast<void>(text_or(root, "$schema", "") + text_or(root, "date", ""));  // texts, if anything
    static_cast<void>(root.at("schema").one_of({document_schema}));
    shared = {text_or(root, "generation", ""), read_references(root)};
    objects = root.at("architectures").items();
  } else if (json.is_object()) {
    objects.push_back(root);
  } else {
    root.fail("an architecture, an array of them, or a document with \"architectures\"");
  }
  std::vector<ArchDocument> documents;
  std::set<std::string> names;
  const FindBase find = [&](std::string_view name) -> std::optional<ArchDocument> {
    const auto match = std::find_if(documents.begin(), documents.end(), [name](const ArchDocument& known) {
      return equal_ignoring_case(known.name, name);
    });
    return match != documents.end() ? *match : find_base(name);
  };
  for (const JsonCursor& object : objects) {
    documents.push_back(read_architecture(object, shared, sources, find));
    if (!names.insert(lowered(documents.back().name)).second) {
      object.at("name").complain("\"" + documents.back().name + "\" stands twice in this file");
    }
  }
  if (documents.empty()) {
    root.complain("holds no architecture");
  }
  return documents;
}

std::string read_document_date(std::string_view text) {
  const nlohmann::json json = parse_json(text, "date");
  const JsonCursor root(json, "date");
  return text_or(root, "date", "");
}

Architecture view_of(const ArchDocument& document) noexcept {
  return {document.name,  document.compute_capability, document.suffixes,   document.generation, document.architecture,
          document.chips, document.products,           document.confidence, document.limits,     document.latencies};
}

}  // namespace occcalc::input
