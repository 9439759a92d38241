/// Work on a long range of rows in chunks, on all cores, the results in order.
#pragma once

#include <cstdint>
#include <functional>

#include "cli/gates.hpp"
#include "report/text_buffer.hpp"

namespace occcalc::cli {

/// What a chunk of rows comes to: its text, and the rows that failed a gate.
struct Chunk {
  report::TextBuffer text;
  std::int64_t rows = 0;
  GateCounts failing{};
};

/// Calls `make(begin, end)` for consecutive ranges of `rows`, on several threads if there are several chunks, and
/// `take` with each result in order, on this thread. Stops when `take` returns false. A bounded number of results is
/// held. Exceptions of `make` are thrown here.
void run_chunks(std::int64_t rows, const std::function<Chunk(std::int64_t, std::int64_t)>& make,
                const std::function<bool(Chunk&&)>& take);

}  // namespace occcalc::cli
