/// Long work in chunks, on all cores, the results in order.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/gates.hpp"
#include "report/text_buffer.hpp"

namespace occcalc::cli {

/// What a chunk of rows comes to.
struct Chunk {
  std::uint64_t number = 0;  ///< in the order of the tasks
  report::TextBuffer text{};
  std::int64_t rows = 0;              ///< how many they are
  std::int64_t bytes = 0;             ///< how many of the input it took, where that is known
  GateCounts failing{};               ///< the rows that failed a gate
  std::vector<std::string> errors{};  ///< what is wrong with rows of the input
};

/// Makes one chunk; empty: there is none.
using Task = std::function<void(Chunk&)>;

/// Where tasks come from, in their order.
struct TaskSource {
  std::function<Task()> next;
  bool may_wait = false;                 ///< next() reads something that may come slowly
  std::function<void()> stop = nullptr;  ///< ends such a wait; called from another thread
  /// Chunks per core that may be done before the first of them is taken: more where some tasks are much longer.
  std::size_t ahead = 2;
};

/// The tasks that make `rows` rows, a chunk after the other: each calls `make(begin, end, chunk)`.
[[nodiscard]] TaskSource tasks_of(std::int64_t rows, std::function<void(std::int64_t, std::int64_t, Chunk&)> make);

/// Takes one task after the other, runs them on several threads if there is more than one, and calls `take` with each
/// result in order, on this thread. Stops when `take` returns false. A bounded number of chunks is held, and their
/// memory is used again. Exceptions of the source and of tasks are thrown here.
void run_chunks(const TaskSource& source, const std::function<bool(const Chunk&)>& take);

/// The same on this thread alone, for tasks that depend on each other.
void run_here(const TaskSource& source, const std::function<bool(const Chunk&)>& take);

}  // namespace occcalc::cli
