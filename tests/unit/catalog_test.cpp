// The known architectures, and those that users add.

#include <algorithm>
#include <string>

#include "catch.hpp"
#include "occcalc/occcalc.hpp"

namespace {

using namespace occcalc;

std::string complaint(std::string_view text) {
  ArchCatalog catalog;
  try {
    catalog.add_json(text, "mine.json");
  } catch (const InputError& error) {
    CHECK(catalog.architectures().size() == built_in_architectures().size());  // unchanged
    return error.what();
  }
  return "accepted";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("every spelling of a name finds its part, and no neighbour") {
  for (const char* const name : {"sm_80", "SM_80", "80", "8.0", "compute_80", "Compute_80"}) {
    INFO(name);
    REQUIRE(find_architecture(name) != nullptr);
    CHECK(find_architecture(name)->name == "sm_80");
  }
  for (const char* const name : {"sm_90a", "90a", "9.0A", "compute_90a"}) {
    INFO(name);
    REQUIRE(find_architecture(name) != nullptr);
    CHECK(find_architecture(name)->name == "sm_90");
  }
  CHECK(find_architecture("textbook") != nullptr);
  CHECK(find_architecture("100")->compute_capability == ComputeCapability{10, 0});
  for (const char* const name :
       {"", "sm_", "8", "sm_81", "sm_80a", "sm_90f", "0", "08.0", "8.00", "sm_80 ", "8.", ".0", "sm_1000"}) {
    INFO(name);
    CHECK(find_architecture(name) == nullptr);
  }
}

TEST_CASE("all capabilities from 3.0 to 12.1 and 10.7 are known, in ascending order, textbook last") {
  const auto parts = built_in_architectures();
  CHECK(parts.size() == 27);
  CHECK(parts.front().name == "sm_30");
  CHECK(parts.back().name == "textbook");
  CHECK(std::is_sorted(parts.begin(), parts.end() - 1, [](const Architecture& a, const Architecture& b) {
    return a.compute_capability < b.compute_capability;
  }));
  CHECK(find_limits({10, 7})->max_warps_per_sm == 32);
  CHECK(find_limits({13, 0}) == nullptr);
}

TEST_CASE("every number of every built-in part has a source, and conflicts are kept") {
  const ArchCatalog catalog;
  for (const Architecture& part : catalog.architectures()) {
    const Provenance provenance = catalog.provenance(part.name);
    CHECK(provenance.sources.size() >= 24);
    CHECK_FALSE(provenance.references.empty());
  }
  const Provenance blackwell = catalog.provenance("sm_120");
  const auto conflict = std::find_if(blackwell.conflicts.begin(), blackwell.conflicts.end(),
                                     [](const Conflict& known) { return known.field == "max_blocks_per_sm"; });
  REQUIRE(conflict != blackwell.conflicts.end());
  CHECK(conflict->trusted == "24");
  CHECK(conflict->values.size() == 2);
}

TEST_CASE("three lines make a part that differs in one number") {
  ArchCatalog catalog;
  catalog.add_json(R"({"name": "sm_80x", "based_on": "sm_80",
                       "limits": {"registers_per_sm": 131072}})",
                   "mine.json");
  const Architecture* const part = catalog.find("SM_80X");
  REQUIRE(part != nullptr);
  CHECK(part->limits.registers_per_sm == 131072);
  CHECK(part->limits.shared_memory_per_sm == 167936);
  CHECK(part->compute_capability == ComputeCapability{8, 0});
  CHECK(catalog.find("sm_80")->limits.registers_per_sm == 65536);
  CHECK_FALSE(catalog.provenance("sm_80x").sources.empty());
}

TEST_CASE("a changed number loses the sources of its base, and without sources confidence is low") {
  ArchCatalog catalog;
  catalog.add_json(R"({"name": "mine", "based_on": "sm_80", "limits": {"max_registers_per_thread": 128}})",
                   "mine.json");
  const Provenance provenance = catalog.provenance("mine");
  CHECK(std::none_of(provenance.sources.begin(), provenance.sources.end(),
                     [](const Provenance::Field& field) { return field.name == "max_registers_per_thread"; }));
  CHECK(provenance.conflicts.empty());
  CHECK(catalog.find("mine")->confidence == Confidence::Low);
}

TEST_CASE("a name that is a spelling of another part is refused") {
  CHECK(contains(complaint(R"({"name": "compute_80", "based_on": "80"})"), "is a spelling of sm_80"));
  CHECK(contains(complaint(R"({"name": "SM_80", "based_on": "80"})"), "is a spelling of sm_80"));
  CHECK(contains(complaint(R"([{"name": "x", "based_on": "80"}, {"name": "X", "based_on": "80"}])"), "stands twice"));
}

TEST_CASE("a part with a known name replaces the known one, and later files build on earlier ones") {
  ArchCatalog catalog;
  const std::size_t before = catalog.architectures().size();
  catalog.add_json(R"({"name": "sm_90", "based_on": "sm_90", "limits": {"max_blocks_per_sm": 16}})", "a.json");
  catalog.add_json(R"([{"name": "mine", "based_on": "90"}, {"name": "mine2", "based_on": "mine"}])", "b.json");
  CHECK(catalog.architectures().size() == before + 2);
  CHECK(catalog.find("sm_90a")->limits.max_blocks_per_sm == 16);
  CHECK(catalog.find("mine2")->limits.max_blocks_per_sm == 16);
}

TEST_CASE("a moved catalog keeps its texts") {
  ArchCatalog first;
  first.add_json(R"({"name": "a_name_longer_than_any_small_string", "based_on": "sm_80"})", "a.json");
  const ArchCatalog second = std::move(first);
  CHECK(second.find("a_name_longer_than_any_small_string") != nullptr);
}

TEST_CASE("what is wrong is named with its place, what was found, what is accepted") {
  CHECK(complaint("") == "mine.json: is empty; accepted: JSON");
  CHECK(contains(complaint("{\n  \"name\": }"), "mine.json:2:11: "));
  CHECK(contains(complaint("{\"name\": \"a\", \"name\": \"b\"}"), "mine.json: name: this key stands twice"));
  CHECK(contains(complaint("3"), "mine.json: found 3; accepted: "));
  CHECK(contains(complaint("[]"), "holds no architecture"));
  CHECK(contains(complaint(R"({"name": "x", "based_on": "sm_81"})"), "based_on: found \"sm_81\"; accepted: a known"));
  CHECK(
      contains(complaint(R"({"name": "x", "based_on": "80", "limits": {"regs": 1}})"), "limits: unknown key \"regs\""));
  CHECK(contains(complaint(R"({"name": "x", "based_on": "80", "limits": {"registers_per_sm": -1}})"),
                 "limits.registers_per_sm: found -1; accepted: a whole number from 1 to"));
  CHECK(contains(complaint(R"({"name": "x", "compute_capability": null, "limits": {}})"),
                 "\"max_threads_per_block\" is missing"));
  CHECK(contains(complaint(R"({"name": "all", "based_on": "80"})"), "has a meaning of its own"));
  CHECK(contains(complaint(R"({"name": "sm_75", "based_on": "80"})"), "names a compute capability"));
}

TEST_CASE("numbers that contradict each other are refused") {
  const auto limits = [](const std::string& changed) {
    return complaint(R"({"name": "x", "based_on": "80", "limits": {)" + changed + "}}");
  };
  CHECK(contains(limits(R"("max_warps_per_sm": 32)"), "max_warps_per_sm x 32 is 1024"));
  CHECK(contains(limits(R"("max_registers_per_block": 65537)"), "is above registers_per_sm"));
  CHECK(contains(limits(R"("sub_partitions": 3)"), "does not divide"));
  CHECK(contains(limits(R"("max_shared_memory_per_block_optin": 167936)"), "are above shared_memory_per_sm"));
  CHECK(contains(limits(R"("carveouts": [0, 167936, 200000])"), "largest of carveouts"));
  CHECK(contains(limits(R"("carveouts": [8192, 0])"), "carveouts[1]: found 0"));
  CHECK(contains(limits(R"("default_carveout": 1024)"), "is none of carveouts"));
  CHECK(contains(limits(R"("l1_size": 1024)"), "unified l1_size"));
}

TEST_CASE("JSON nested 100,000 deep is refused without trouble") {
  CHECK(contains(complaint(std::string(100'000, '[')), "nested deeper than 32"));
  CHECK(contains(complaint("{\"limits\":" + std::string(100'000, '[')), "nested deeper than 32"));
}
