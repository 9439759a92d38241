#include "input/entry_functions.hpp"

#include <algorithm>
#include <utility>

#include "input/text.hpp"

namespace occcalc::input {

namespace {

// So many kernels are kept while they wait for a line that may have been lost.
constexpr std::size_t most_waiting = 64;
constexpr int most_in_doubt = 8;

// Whether "Function properties for" means this kernel: what wraps a log may put a quote or an escape behind the name.
bool names(std::string_view text, std::string_view kernel) {
  constexpr std::string_view behind = " \t\"'`\\|";
  return text.starts_with(kernel) && (text.size() == kernel.size() || behind.find(text[kernel.size()]) != nowhere);
}

}  // namespace

void EntryFunctions::open(Entry&& entry) {
  if (entries_.size() == most_waiting) {
    report_unused(entries_.front());
    entries_.erase(entries_.begin());
    stack_of_ = nowhere;
  }
  is_foreign_ = is_foreign_ && !entries_.empty();
  last_line_ = entry.kernel.line;
  entries_.push_back(std::move(entry));
}

void EntryFunctions::open(KernelRecord&& kernel, bool has_properties) {
  open({std::move(kernel), has_properties, true, false});
}

void EntryFunctions::open_lost(std::int64_t line) {
  Entry entry{{}, true, true, true};
  entry.kernel.line = line;
  open(std::move(entry));
}

void EntryFunctions::add_properties(std::string_view function) {
  int found = 0;
  ++stacks_due_;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (!entry.has_properties && names(function, entry.kernel.kernel)) {
      entry.has_properties = true;
      entry.is_whole = last_line_ == entry.kernel.line;
      last_line_ = entry.kernel.line;
      stack_of_ = i;
      ++found;
    }
  }
  is_foreign_ = found == 0;
  if (found != 1) {
    stack_of_ = nowhere;
    last_line_ = 0;
  }
}

// The line names no function: it is that of the last properties, if only one function waits.
void EntryFunctions::add_stack(std::int64_t line, std::string_view text, const std::optional<Stack>& stack) {
  if (stacks_due_ != 1) {
    sink_.problem(line, "found " + abridged(text) +
                            (stacks_due_ == 0 ? " of no function" : " of one of two functions") +
                            "; accepted: the line behind 'Function properties for'");
  } else if (stack && stack_of_ != nowhere) {
    KernelRecord& kernel = entries_[stack_of_].kernel;
    kernel.stack_frame = stack->frame;
    kernel.spill_stores = stack->spill_stores;
    kernel.spill_loads = stack->spill_loads;
  }
  stack_of_ = nowhere;
  stacks_due_ = std::max(stacks_due_ - 1, 0);
  // One that never comes was lost: the next ones are taken as they stand again.
  stacks_in_doubt_ = stacks_due_ == 0 ? 0 : stacks_in_doubt_ + 1;
  if (stacks_in_doubt_ == most_in_doubt) {
    stacks_in_doubt_ = stacks_due_ = 0;
  }
}

// The last of the kernels that can have written the line: those that have their properties, or, for the compilers that
// wrote none, all. Beyond one the line is doubtful, and so is one behind the properties of a function not announced.
std::size_t EntryFunctions::find_user(std::string_view arch) {
  const bool any_has_properties =
      std::any_of(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.has_properties; });
  std::size_t user = nowhere;
  int users = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    const bool has_arch = arch.empty() || entry.is_lost || entry.kernel.arch == arch;
    if (has_arch && (entry.has_properties || !any_has_properties)) {
      user = i;
      ++users;
    }
  }
  is_doubtful_ = is_doubtful_ || users > 1 || is_foreign_;
  return user;
}

void EntryFunctions::use(std::int64_t line, std::string_view text, const std::optional<Used>& used,
                         std::string_view arch) {
  const std::size_t user = find_user(arch);
  if (user == nowhere) {
    if (used) {
      sink_.problem(line, "found " + abridged(text) + " of no kernel; accepted: the line behind its kernel's name");
    }
    return close();
  }
  Entry entry = std::move(entries_[user]);
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(user));
  stack_of_ = nowhere;
  entry.is_whole = entry.is_whole && last_line_ == entry.kernel.line;
  entry.is_lost = entry.is_lost || !used;
  if (used) {
    entry.kernel.registers_per_thread = used->registers;
    entry.kernel.barriers = used->barriers;
    entry.kernel.static_shared_memory = used->shared_memory;
    entry.kernel.stack_frame = used->stack ? used->stack : entry.kernel.stack_frame;
  }
  if (is_doubtful_) {
    held_.push_back(std::move(entry));
  } else {
    emit(std::move(entry));
  }
  close();
}

void EntryFunctions::emit(Entry&& entry) {
  if (!entry.is_lost) {
    sink_.kernel(std::move(entry.kernel));
  }
}

void EntryFunctions::report_unused(const Entry& entry) {
  if (!entry.is_lost) {
    sink_.problem(entry.kernel.line,
                  "found the kernel " + abridged(entry.kernel.kernel) + ", but no 'Used' line that is surely its");
  }
}

// Once every kernel has its line, what was doubtful is known to be mixed. If one line stays away it was lost, and no
// lines were mixed.
void EntryFunctions::close() {
  if (entries_.empty()) {
    for (const Entry& entry : held_) {
      report_unused(entry);
    }
    held_.clear();
    is_doubtful_ = false;
    is_foreign_ = false;
  } else if (held_.size() == most_waiting) {
    finish();
  }
}

void EntryFunctions::finish() {
  for (Entry& entry : held_) {
    if (entry.is_whole) {
      emit(std::move(entry));
    } else {
      report_unused(entry);
    }
  }
  held_.clear();
  for (const Entry& entry : entries_) {
    report_unused(entry);
  }
  entries_.clear();
  close();
}

}  // namespace occcalc::input
