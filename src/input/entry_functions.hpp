/// Kernels of a compiler's messages, put together from lines of which most do not name them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "input/log_items.hpp"
#include "occcalc/readers.hpp"

namespace occcalc::input {

/// Binds the lines that do not name their kernel. One compiler writes, in this order and each line whole:
///   Compiling entry function 'k' ...      when it begins to compile
///   Function properties for k, N bytes stack frame ...   in one write, when it has compiled
///   Used N registers ...                  a moment later
/// Several compilers may write to one log. A "Used" line is then bound only if a single kernel can have waited for it.
class EntryFunctions {
 public:
  explicit EntryFunctions(const KernelSink& sink) : sink_(sink) {}

  void open(KernelRecord&& kernel, bool has_properties);
  // An announcement that cannot be read: some "Used" line is its.
  void open_lost(std::int64_t line);
  void add_properties(std::string_view function);
  // `stack` and `used` are empty where they could not be read, `arch` where the line states none.
  void add_stack(std::int64_t line, std::string_view text, const std::optional<Stack>& stack);
  void use(std::int64_t line, std::string_view text, const std::optional<Used>& used, std::string_view arch);
  void finish();

 private:
  struct Entry {
    KernelRecord kernel;
    bool has_properties = false;
    bool is_whole = true;  // no other function's line came between its lines
    bool is_lost = false;
  };

  void open(Entry&& entry);
  std::size_t find_user(std::string_view arch);
  void emit(Entry&& entry);
  void report_unused(const Entry& entry);
  void close();

  const KernelSink& sink_;
  std::vector<Entry> entries_{};    // wait for their "Used" line
  std::vector<Entry> held_{};       // have one that may be another's
  bool is_doubtful_ = false;        // which "Used" line is whose, until all have come
  bool is_foreign_ = false;         // the last properties are those of no entry function
  std::int64_t last_line_ = 0;      // of the entry function whose line came last
  std::size_t stack_of_ = nowhere;  // the entry function whose stack comes next
  int stacks_due_ = 0;
  int stacks_in_doubt_ = 0;  // one behind the other
};

}  // namespace occcalc::input
