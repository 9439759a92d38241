/// The committed table of what cuda_occupancy.h answers, for machines without a toolkit.
#pragma once

#include <istream>
#include <ostream>
#include <vector>

#include "header_answer.hpp"

namespace occcalc::test {

struct ExpectedRow {
  Configuration configuration;
  HeaderAnswer header;
};

void write_expected(std::ostream& out, const std::vector<ExpectedRow>& rows);
[[nodiscard]] std::vector<ExpectedRow> read_expected(std::istream& in);

}  // namespace occcalc::test
