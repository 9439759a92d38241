#include "cli/gpu_parts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cli/configuration.hpp"
#include "cli/files.hpp"
#include "input/lists.hpp"
#include "input/text.hpp"
#include "input/values.hpp"
#include "occcalc/error.hpp"
#include "report/numbers.hpp"

namespace occcalc::cli {

namespace {

using report::GpuPart;

Needs needs_of(const Arguments& arguments) {
  const bool counts_sms = arguments.has("--grid") || arguments.has("--cluster") || arguments.has("--suggest-block");
  return {.sms = counts_sms && !has_layout(arguments), .memory = asks_memory(arguments)};
}

std::string arch_of(const Gpu& gpu, const std::string& name) {
  if (!gpu.compute_capability) {
    throw InputError(
        "--gpu", "the architecture of " + gpu.name + " is unknown; give --arch instead of " + input::abridged(name));
  }
  return to_string(ArchName{*gpu.compute_capability});
}

// Names of products, each with what they differ in.
template <class Text>
[[noreturn]] void refuse_ambiguous(const std::string& where, const std::string& name,
                                   const std::vector<const Gpu*>& gpus, const Text& text) {
  constexpr std::size_t most = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(most, gpus.size()); ++i) {
    list += (i == 0 ? "" : ", ") + gpus[i]->name + " (" + text(*gpus[i]) + ")";
  }
  throw InputError(
      where, input::abridged(name) + " may be " + list + (gpus.size() > most ? " ..." : "") + "; name one of them");
}

std::string sms_text(const Gpu& gpu) { return gpu.sm_count ? std::to_string(*gpu.sm_count) + " SMs" : "SMs unknown"; }

std::string memory_text(const Gpu& gpu) {
  return (gpu.memory_bandwidth ? report::shortest(*gpu.memory_bandwidth) + " GB/s" : "bandwidth unknown") + ", " +
         (gpu.boost_mhz ? report::shortest(*gpu.boost_mhz) + " MHz" : "clock unknown") + ", " + sms_text(gpu);
}

// All have the same value of this.
template <class Value>
bool agree(const std::vector<const Gpu*>& gpus, const Value& value) {
  return std::all_of(gpus.begin(), gpus.end(), [&](const Gpu* gpu) { return value(*gpu) == value(*gpus.front()); });
}

// The value of all; nullopt where they differ.
template <class Type>
std::optional<Type> common(const std::vector<const Gpu*>& gpus, std::optional<Type> Gpu::*member) {
  return agree(gpus, [member](const Gpu& gpu) { return gpu.*member; }) ? gpus.front()->*member : std::nullopt;
}

void require_known(const std::vector<const Gpu*>& gpus, const std::string& name, const Needs& needs) {
  const auto arch = [&name](const Gpu& gpu) { return arch_of(gpu, name); };
  if (!agree(gpus, arch)) {
    refuse_ambiguous("--gpu", name, gpus, arch);
  }
  require_agreement("--gpu", name, gpus, needs);
  if (needs.sms && !gpus.front()->sm_count) {
    throw InputError("--gpu", "the number of SMs of " + gpus.front()->name + " is unknown; give --sms");
  }
}

// "RRZE-HPC/gpu-benches ...: GH200, 680 to 689"
std::string citation_text(const Provenance& provenance, const std::string& citation) {
  const std::string id = citation.substr(0, citation.find(':'));
  for (const Reference& reference : provenance.references) {
    if (reference.id == id) {
      return reference.title + citation.substr(id.size());
    }
  }
  return citation;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    all += (all.empty() ? "" : "; ") + text;
  }
  return all;
}

std::string citations_of(const Provenance& provenance, std::string_view number) {
  std::vector<std::string> texts;
  for (const Provenance::Field& field : provenance.sources) {
    for (const std::string& citation : field.citations) {
      if (field.name == number) {
        texts.push_back(citation_text(provenance, citation));
      }
    }
  }
  return joined(texts);
}

// Sources of a product's own DRAM latency say so (data/schema/gpus.schema.json), the others are of its other numbers;
// where that parts nothing, all are of each.
std::string product_sources(const Gpu& gpu, bool of_latency) {
  std::vector<std::string> texts;
  std::copy_if(
      gpu.sources.begin(), gpu.sources.end(), std::back_inserter(texts),
      [of_latency](const std::string& text) { return (text.find("DRAM latency") != std::string::npos) == of_latency; });
  return joined(texts.empty() ? gpu.sources : texts);
}

void add_source(std::vector<std::string>& sources, const std::string& what, const std::string& source) {
  if (!source.empty()) {
    sources.push_back(what + ": " + source);
  }
}

// Where the numbers of an estimate come from. `gpu`: the product; nullptr: none is named.
std::vector<std::string> latency_sources(const Architecture& architecture, const Provenance& provenance,
                                         const Gpu* gpu) {
  std::vector<std::string> sources;
  const Latencies& latencies = architecture.latencies;
  if (gpu != nullptr) {
    add_source(sources, memory_text(*gpu), product_sources(*gpu, false));
    const std::optional<int> cycles =
        gpu->dram_latency_cycles ? gpu->dram_latency_cycles : latencies.dram_latency_cycles;
    if (cycles) {
      add_source(
          sources, "DRAM latency " + std::to_string(*cycles) + " cycles",
          gpu->dram_latency_cycles ? product_sources(*gpu, true) : citations_of(provenance, "dram_latency_cycles"));
    }
  }
  if (latencies.fma_latency_cycles) {
    add_source(sources, "FMA latency " + std::to_string(*latencies.fma_latency_cycles) + " cycles",
               citations_of(provenance, "fma_latency_cycles"));
  }
  if (latencies.fma_issue_cycles) {
    add_source(sources, "FMA issue " + std::to_string(*latencies.fma_issue_cycles) + " cycles a warp",
               citations_of(provenance, "fma_issue_cycles"));
  }
  return sources;
}

// The layout that --gpcs gives.
std::vector<int> read_gpcs(const Arguments& arguments) {
  std::vector<int> sizes;
  for (const std::string& item : input::split_items("--gpcs", arguments.values("--gpcs"))) {
    sizes.push_back(input::read_count("--gpcs", item, "SMs of a GPC", 1, input::most_sms));
  }
  return sizes;
}

std::optional<int> read_sms(const Arguments& arguments) {
  const std::string* const sms = arguments.value("--sms");
  return sms == nullptr ? std::nullopt : std::optional(input::read_count("--sms", *sms, "SMs", 1, input::most_sms));
}

NamedPart part_of(const Arguments& arguments, const ArchCatalog& archs, const std::vector<const Gpu*>& gpus,
                  const std::string& name, const Needs& needs) {
  require_known(gpus, name, needs);
  NamedPart named;
  named.arch = arch_of(*gpus.front(), name);
  const Architecture& architecture = *find_named(archs, "--gpu", named.arch).architecture;
  auto part = std::make_shared<GpuPart>(named_part(gpus, name, architecture));
  part->sms = read_layout(arguments, gpus);
  if (!part->memory.sm_count) {
    part->memory.sm_count = read_sms(arguments);
  }
  if (needs.memory || arguments.has("--ilp")) {
    part->sources = latency_sources(architecture, archs.provenance(architecture.name),
                                    agree(gpus, memory_text) ? gpus.front() : nullptr);
  }
  named.part = std::move(part);
  return named;
}

// Without a product there is nothing to know of the memory.
NamedPart part_without_name(const Arguments& arguments, const ArchCatalog& archs) {
  auto part = std::make_shared<GpuPart>();
  part->sms = read_layout(arguments, {});
  const std::vector<std::string> names = arguments.values("--arch");
  const Architecture* const architecture = names.size() == 1 ? archs.find(names.front()) : nullptr;
  if (architecture != nullptr && arguments.has("--ilp")) {
    part->sources = latency_sources(*architecture, archs.provenance(architecture->name), nullptr);
  }
  return {"", std::move(part)};
}

// A name, and the products that it may stand for.
struct AskedGpu {
  std::string name;
  std::vector<const Gpu*> gpus;
  Needs needs;
};

// Every product whose architecture is known.
std::vector<AskedGpu> all_gpus(const ArchCatalog& archs, const GpuCatalog& catalog) {
  std::vector<AskedGpu> all;
  for (const Gpu& gpu : catalog.gpus()) {
    if (gpu.compute_capability && archs.find(arch_of(gpu, gpu.name)) != nullptr) {
      all.push_back({gpu.name, {&gpu}, Needs()});  // what is unknown stays so
    }
  }
  return all;
}

// What an item of --gpu asks for: every product, or those of a name.
std::vector<AskedGpu> asked_gpus(const Arguments& arguments, const ArchCatalog& archs, const GpuCatalog& catalog,
                                 const std::string& item) {
  if (input::equal_ignoring_case(item, "all")) {
    return all_gpus(archs, catalog);
  }
  std::vector<const Gpu*> found = find_gpus(catalog, "--gpu", item);
  return {{item, std::move(found), needs_of(arguments)}};
}

}  // namespace

GpuCatalog read_gpu_catalog(const Arguments& arguments) {
  constexpr std::size_t most_bytes = 16 << 20;
  GpuCatalog catalog;
  for (const std::string& path : arguments.values("--gpu-file")) {
    catalog.add_json(read_file(path, most_bytes), path);
  }
  return catalog;
}

std::vector<const Gpu*> find_gpus(const GpuCatalog& catalog, const std::string& where, const std::string& text) {
  std::vector<const Gpu*> found = catalog.find(text);
  if (!found.empty()) {
    return found;
  }
  const bool is_more_than_digits = text.find_first_of("_.") != std::string::npos;  // 4090 is no architecture
  if (is_more_than_digits && parse_arch_name(text)) {
    throw InputError(where, input::abridged(text) + " is an architecture; give --arch " + text + " instead");
  }
  std::string near;
  for (const std::string& name : catalog.suggestions(text)) {
    near += (near.empty() ? "; did you mean " : ", ") + name;
  }
  throw InputError(where, "unknown GPU " + input::abridged(text) + (near.empty() ? "" : near + "?") +
                              "; `occcalc gpus` lists the known ones, --gpu-file adds one");
}

void require_agreement(const std::string& where, const std::string& name, const std::vector<const Gpu*>& gpus,
                       const Needs& needs) {
  if (needs.sms && !agree(gpus, [](const Gpu& gpu) { return gpu.sm_count; })) {
    refuse_ambiguous(where, name, gpus, sms_text);
  }
  if (needs.memory && !agree(gpus, memory_text)) {
    refuse_ambiguous(where, name, gpus, memory_text);
  }
}

Sms read_layout(const Arguments& arguments, const std::vector<const Gpu*>& gpus) {
  Sms sms;
  sms.per_gpc = read_gpcs(arguments);
  const std::optional<int> given = read_sms(arguments);
  const std::optional<int> own = gpus.empty() ? std::nullopt : common(gpus, &Gpu::sm_count);
  const std::int64_t sum = std::accumulate(sms.per_gpc.begin(), sms.per_gpc.end(), std::int64_t{0});
  const std::optional<int> count = given ? given : own;
  if (!sms.per_gpc.empty() && count && sum != *count) {
    throw InputError("--gpcs", "the GPCs have " + std::to_string(sum) + " SMs together, but " +
                                   (given ? "--sms is " : gpus.front()->name + " has ") + std::to_string(*count) +
                                   "; give the SMs of every GPC");
  }
  if (sum > input::most_sms) {
    throw InputError(
        "--gpcs", "found " + std::to_string(sum) + " SMs together; accepted: up to " + std::to_string(input::most_sms));
  }
  if (given && own && *given > *own) {
    throw InputError("--sms", "found " + std::to_string(*given) + ", more than the " + std::to_string(*own) +
                                  " SMs of " + gpus.front()->name + "; accepted: the SMs of a part of it");
  }
  sms.count = count ? *count : static_cast<int>(sum);
  if (sms.per_gpc.empty() && own == count && gpus.size() == 1) {
    sms.per_gpc = gpus.front()->sms_per_gpc;
  }
  return sms;
}

bool has_layout(const Arguments& arguments) { return arguments.has("--sms") || arguments.has("--gpcs"); }

bool names_sms(const Arguments& arguments) { return arguments.has("--gpu") || has_layout(arguments); }

bool asks_memory(const Arguments& arguments) {
  return arguments.has("--latency") || arguments.has("--bytes-in-flight");
}

std::vector<NamedPart> read_gpu_parts(const Arguments& arguments, const ArchCatalog& archs) {
  if (!arguments.has("--gpu")) {
    if (arguments.has("--gpu-file")) {
      throw InputError("--gpu-file", "goes with --gpu, which names a product of it");
    }
    return {part_without_name(arguments, archs)};
  }
  const GpuCatalog catalog = read_gpu_catalog(arguments);
  std::vector<NamedPart> parts;
  std::vector<std::vector<const Gpu*>> seen;
  for (const std::string& item : input::split_items("--gpu", arguments.values("--gpu"))) {
    for (AskedGpu& asked : asked_gpus(arguments, archs, catalog, item)) {
      if (std::find(seen.begin(), seen.end(), asked.gpus) != seen.end()) {
        throw InputError("--gpu", input::abridged(asked.name) + " stands twice; name each once");
      }
      parts.push_back(part_of(arguments, archs, asked.gpus, asked.name, asked.needs));
      seen.push_back(std::move(asked.gpus));
    }
  }
  return parts;
}

report::GpuPart named_part(const std::vector<const Gpu*>& gpus, const std::string& name,
                           const Architecture& architecture) {
  GpuPart part;
  part.name = gpus.size() == 1 ? gpus.front()->name : name;
  part.is_several = gpus.size() > 1;
  part.sms.count = common(gpus, &Gpu::sm_count).value_or(0);
  part.sms.per_gpc = gpus.size() == 1 ? gpus.front()->sms_per_gpc : std::vector<int>();
  part.memory = {.sm_count = common(gpus, &Gpu::sm_count),
                 .clock_mhz = common(gpus, &Gpu::boost_mhz),
                 .bandwidth_gbs = common(gpus, &Gpu::memory_bandwidth),
                 .dram_latency_cycles = common(gpus, &Gpu::dram_latency_cycles)};
  part.has_own_latency = part.memory.dram_latency_cycles.has_value();
  if (!part.has_own_latency) {
    part.memory.dram_latency_cycles = architecture.latencies.dram_latency_cycles;
  }
  return part;
}

Arguments with_archs(const Arguments& arguments, const std::vector<NamedPart>& parts) {
  std::vector<std::string> archs;
  for (const NamedPart& named : parts) {
    if (!named.arch.empty()) {
      archs.push_back(named.arch);
    }
  }
  if (archs.empty()) {
    return arguments;
  }
  if (arguments.has("--arch")) {
    throw InputError("--gpu", "sets the architecture; give it, or --arch");
  }
  return arguments.with("--arch", std::move(archs));
}

}  // namespace occcalc::cli
