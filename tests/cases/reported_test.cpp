// What profilers, GPUs and NVIDIA's documents reported for real kernels (reported.jsonl), against our answers.

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "catch.hpp"
#include "occcalc/occcalc.hpp"

namespace {

using namespace occcalc;
using nlohmann::json;

std::map<std::string, json> read_cases() {
  std::ifstream file(OCCCALC_REPORTED_CASES);
  std::map<std::string, json> cases;
  std::string line;
  while (std::getline(file, line)) {
    json row = json::parse(line);
    const std::string id = row.at("id");
    cases.emplace(id, std::move(row));
  }
  return cases;
}

std::int64_t number_or(const json& object, const char* key, std::int64_t otherwise) {
  return object.contains(key) && !object.at(key).is_null() ? object.at(key).get<std::int64_t>() : otherwise;
}

// Shared memory that a report leaves out is taken as 0; a capacity that it leaves out as the largest.
Occupancy answer(const json& row) {
  const Architecture& architecture = *find_architecture(row.at("arch").get<std::string>());
  KernelResources kernel{.static_shared_memory = number_or(row, "static_smem", 0)};
  if (!row.at("regs").is_null()) {
    kernel.registers_per_thread = row.at("regs").get<int>();
  }
  LaunchConfig launch{.block = {row.at("block").get<int>()},
                      .dynamic_shared_memory = number_or(row, "dynamic_smem", 0)};
  const std::int64_t capacity = number_or(row.at("other"), "smem_config_bytes", -1);
  if (capacity >= 0) {
    launch.carveout = Carveout::bytes(capacity);
  }
  return compute_occupancy(architecture.limits, kernel, launch);
}

bool states_all(const json& row) {
  return !row.at("regs").is_null() && !row.at("static_smem").is_null() && !row.at("dynamic_smem").is_null();
}

// Reported ceilings that are no ceilings, and why. The value is what we say.
struct Exception {
  Resource resource;
  std::optional<int> ours;
};

const std::map<std::string, Exception> exceptions = {
    // ncu prints at most the block slots for barriers.
    {"ncu-005", {Resource::Barriers, 64}},
    {"ncu-006", {Resource::Barriers, 64}},
    {"ncu-007", {Resource::Barriers, 64}},
    // ncu prints the block slots where no shared memory is charged.
    {"ncu-042", {Resource::SharedMemory, std::nullopt}},
    {"ncu-045", {Resource::SharedMemory, std::nullopt}},
    // ncu-049 does not state the capacity that was set; at the largest, which is assumed then, it is 164.
    {"ncu-049", {Resource::SharedMemory, 164}},
    // An early ncu printed the limit at the largest capacity, 164 KB, not at the 8 KB that were set.
    {"ncu-039", {Resource::SharedMemory, 8}},
};

const std::map<std::string, Resource> reported_names = {{"sm", Resource::Blocks},
                                                        {"registers", Resource::Registers},
                                                        {"smem", Resource::SharedMemory},
                                                        {"warps", Resource::Warps},
                                                        {"barriers", Resource::Barriers}};

void check_ceilings(const std::string& id, const json& limits, const Occupancy& ours) {
  for (const auto& [name, resource] : reported_names) {
    if (!limits.contains(name)) {
      continue;
    }
    const auto exception = exceptions.find(id);
    INFO(name);
    if (exception != exceptions.end() && exception->second.resource == resource) {
      CHECK(ours.ceiling(resource) == exception->second.ours);
    } else {
      CHECK(ours.ceiling(resource) == limits.at(name).get<int>());
    }
  }
}

void check_reported(const std::string& id, const json& row) {
  INFO(id);
  const json& expected = row.at("expected");
  const Occupancy ours = answer(row);
  if (expected.contains("blocks_per_sm")) {
    CHECK(ours.active_blocks_per_sm == expected.at("blocks_per_sm").get<int>());
  }
  if (expected.contains("warps")) {
    CHECK(ours.active_warps_per_sm == expected.at("warps").get<int>());
  }
  if (expected.contains("occupancy_pct")) {
    const double reported = expected.at("occupancy_pct").get<double>();
    CHECK(std::abs(100 * ours.fraction() - reported) < 0.006);  // two decimals are printed
  }
  if (expected.contains("block_limits")) {
    check_ceilings(id, expected.at("block_limits"), ours);
  }
}

ResourceSet reported_limiters(const json& names) {
  ResourceSet set;
  for (const std::string name : names) {
    for (const Resource resource : all_resources) {
      set.insert_if(to_string(resource) == name, resource);
    }
  }
  return set;
}

}  // namespace

TEST_CASE("every reported full configuration is reproduced") {
  int checked = 0;
  for (const auto& [id, row] : read_cases()) {
    if (states_all(row)) {
      check_reported(id, row);
      ++checked;
    }
  }
  CHECK(checked == 26);
}

TEST_CASE("reports that leave something out are reproduced as far as they go") {
  const std::map<std::string, json> cases = read_cases();
  for (const char* const id : {"ncu-014", "ncu-048", "ncu-049", "doc-001", "hw-004", "hw-011", "uc-001"}) {
    check_reported(id, cases.at(id));
  }
}

TEST_CASE("what the reports say to bind binds") {
  for (const auto& [id, row] : read_cases()) {
    const json& expected = row.at("expected");
    if (expected.contains("limiter") && !row.at("regs").is_null()) {
      INFO(id);
      CHECK(answer(row).limiters == reported_limiters(expected.at("limiter")));
    }
  }
}

TEST_CASE("a report of four blocks by barriers is sixteen barriers a block") {  // ncu-053
  const Occupancy ours = compute_occupancy(find_architecture("sm_90")->limits, {.barriers = 16}, {.block = {384}});
  CHECK(ours.ceiling(Resource::Barriers) == 4);
}

TEST_CASE("the kernel that failed with 512 threads runs with 256") {  // hw-004
  const SmLimits& sm = find_architecture("sm_103")->limits;
  CHECK(compute_occupancy(sm, {.registers_per_thread = 156}, {.block = {512}}).active_blocks_per_sm == 0);
  CHECK(compute_occupancy(sm, {.registers_per_thread = 156}, {.block = {256}}).active_blocks_per_sm == 1);
}
