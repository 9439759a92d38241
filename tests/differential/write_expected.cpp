// Writes the table of expected values: build/tests/write-expected > tests/differential/expected.txt

#include <iostream>

#include "expected_table.hpp"
#include "header.hpp"
#include "random_configuration.hpp"

int main() {
  using namespace occcalc;
  using namespace occcalc::test;
  constexpr int rows_per_part = 160;
  RandomConfigurations random(1);
  std::vector<ExpectedRow> rows;
  for (const Architecture& architecture : built_in_architectures()) {
    for (int i = 0; is_known_to_header(architecture) && i < rows_per_part; ++i) {
      const Configuration c = random.next(architecture);
      rows.push_back({c, ask_header(c).value()});
    }
  }
  write_expected(std::cout, rows);
}
