#include "input/gpu_json.hpp"

#include <array>
#include <numeric>
#include <utility>

#include "input/json_text.hpp"

namespace occcalc::input {

namespace {

constexpr int most_count = 100'000;
constexpr double most_amount = 1e9;
constexpr std::size_t most_name = 256;  // every table has room for the longest

template <class Read>
auto optional_at(const JsonCursor& row, const std::string& key, const Read& read)
    -> std::optional<decltype(read(row))> {
  if (!row.has(key) || row.at(key).value().is_null()) {
    return std::nullopt;
  }
  return read(row.at(key));
}

std::optional<int> count_at(const JsonCursor& row, const std::string& key) {
  return optional_at(row, key, [](const JsonCursor& value) { return static_cast<int>(value.integer(1, most_count)); });
}

std::optional<double> amount_at(const JsonCursor& row, const std::string& key) {
  return optional_at(row, key, [](const JsonCursor& value) { return value.number(most_amount); });
}

std::vector<std::string> texts_at(const JsonCursor& row, const std::string& key) {
  return row.has(key) ? row.at(key).texts() : std::vector<std::string>();
}

std::optional<ComputeCapability> capability_at(const JsonCursor& row, const std::string& key,
                                               std::string_view example) {
  return optional_at(row, key, [example](const JsonCursor& value) {
    const std::optional<ArchName> name = parse_arch_name(value.text());
    if (!name || name->suffix != '\0') {
      value.fail(std::string(example) + ", or null");
    }
    return name->compute_capability;
  });
}

// `occcalc gpus --json` prints the architecture beside the compute capability; either may be given.
std::optional<ComputeCapability> capability_of(const JsonCursor& row) {
  const auto own = capability_at(row, "compute_capability", "a compute capability, as \"9.0\"");
  const auto of_arch = capability_at(row, "arch", "an architecture, as \"sm_90\"");
  if (own && of_arch && *own != *of_arch) {
    row.at("arch").complain("the architecture is not that of compute_capability; give one of them");
  }
  return own ? own : of_arch;
}

std::vector<int> layout_at(const JsonCursor& row, const std::optional<int>& sms) {
  std::vector<int> layout;
  if (!row.has("gpcs") || row.at("gpcs").value().is_null()) {
    return layout;
  }
  for (const JsonCursor& item : row.at("gpcs").items()) {
    layout.push_back(static_cast<int>(item.integer(1, most_count)));
  }
  const std::int64_t sum = std::accumulate(layout.begin(), layout.end(), std::int64_t{0});
  if (sum > most_count) {
    row.at("gpcs").complain("the GPCs have " + std::to_string(sum) + " SMs together; accepted: up to " +
                            std::to_string(most_count));
  }
  if (sms && sum != *sms) {
    row.at("gpcs").complain("the GPCs have " + std::to_string(sum) + " SMs together, but sm_count is " +
                            std::to_string(*sms));
  }
  return layout;
}

// The keys of `occcalc gpus --json`, which is read as well, and those of the data that they stand for.
constexpr std::array<std::pair<const char*, const char*>, 4> printed_keys = {
    {{"gpu", "name"},
     {"memory_bandwidth_gbs", "mem_bandwidth_gbs"},
     {"l2_cache_mib", "l2_mb"},
     {"gpus_per_board", "dies_per_board"}}};

// The key under which a row has a value.
std::string key_of(const JsonCursor& row, const std::string& key) {
  for (const auto& [printed, of_data] : printed_keys) {
    if (key == of_data && row.has(printed) && !row.has(key)) {
      return printed;
    }
  }
  return key;
}

Gpu read_gpu(const JsonCursor& row) {
  row.require_keys({"name",
                    "aliases",
                    "compute_capability",
                    "segment",
                    "sm_count",
                    "gpc_count",
                    "gpcs",
                    "boost_mhz",
                    "mem_bandwidth_gbs",
                    "dram_latency_cycles",
                    "l2_mb",
                    "memory_gb",
                    "dies_per_board",
                    "sources",
                    "disagreements",
                    "notes",
                    "schema",
                    "arch",
                    "gpu",
                    "memory_bandwidth_gbs",
                    "l2_cache_mib",
                    "gpus_per_board"});
  Gpu gpu;
  const std::string name = key_of(row, "name");
  gpu.name = row.at(name).text();
  if (gpu.name.empty() || gpu.name.size() > most_name) {
    row.at(name).fail("a name of up to " + std::to_string(most_name) + " bytes");
  }
  gpu.aliases = texts_at(row, "aliases");
  gpu.segment = row.has("segment") && !row.at("segment").value().is_null() ? row.at("segment").text() : "";
  gpu.compute_capability = capability_of(row);
  gpu.sm_count = count_at(row, "sm_count");
  gpu.gpc_count = count_at(row, "gpc_count");
  gpu.sms_per_gpc = layout_at(row, gpu.sm_count);
  gpu.boost_mhz = amount_at(row, "boost_mhz");
  gpu.memory_bandwidth = amount_at(row, key_of(row, "mem_bandwidth_gbs"));
  gpu.dram_latency_cycles = count_at(row, "dram_latency_cycles");
  gpu.l2_cache = amount_at(row, key_of(row, "l2_mb"));
  gpu.memory = amount_at(row, "memory_gb");
  gpu.gpus_per_board = count_at(row, key_of(row, "dies_per_board"));
  gpu.sources = texts_at(row, "sources");
  gpu.disagreements = texts_at(row, "disagreements");
  gpu.notes = texts_at(row, "notes");
  return gpu;
}

}  // namespace

std::vector<Gpu> read_gpus(std::string_view text, const std::string& source) {
  const nlohmann::json document = parse_json(text, source);
  const JsonCursor root(document, source);
  std::vector<Gpu> gpus;
  if (document.is_object() && !root.has("gpus")) {
    gpus.push_back(read_gpu(root));
    return gpus;
  }
  if (document.is_object()) {
    root.require_keys({"schema", "collected", "units", "rules", "source_keys", "gpus"});
  }
  const JsonCursor list = document.is_object() ? root.at("gpus") : root;
  for (const JsonCursor& row : list.items()) {
    gpus.push_back(read_gpu(row));
  }
  return gpus;
}

}  // namespace occcalc::input
