// Our model against the committed answers of cuda_occupancy.h, on machines with and without a CUDA toolkit.

#include <fstream>
#include <set>

#include "catch.hpp"
#include "expected_table.hpp"

using namespace occcalc;
using namespace occcalc::test;

TEST_CASE("every committed answer of cuda_occupancy.h is ours") {
  std::ifstream file(OCCCALC_EXPECTED_TABLE);
  std::set<std::string_view> parts;
  for (const auto& [c, header] : read_expected(file)) {
    INFO(describe(c));
    CHECK(difference(compute_occupancy(c.architecture->limits, c.kernel, c.launch), header) == "");
    CHECK(difference(OccupancyTable(c.architecture->limits).compute(c.kernel, c.launch), header) == "");
    parts.insert(c.architecture->name);
  }
  CHECK(parts.size() == 25);
}
