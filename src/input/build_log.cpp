#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <utility>
#include <vector>

#include "input/text.hpp"
#include "occcalc/readers.hpp"

namespace occcalc {

namespace {

using input::abridged;
using input::is_digit;

constexpr std::size_t nowhere = std::string_view::npos;

// The longest kernel name met has 1,532 bytes. What is longer than this is no line of a compiler.
constexpr std::size_t most_line_bytes = 1 << 20;

// So many kernels are kept while they wait for a line that may have been lost.
constexpr std::size_t most_waiting = 64;
constexpr int most_in_doubt = 8;

// Thrown for a line that was recognised and cannot be read.
struct Unreadable {
  std::string what;
};

std::string refusal(std::string_view found, std::string_view accepted) {
  return "found " + abridged(found) + "; accepted: " + std::string(accepted);
}

[[noreturn]] void refuse(std::string_view found, std::string_view accepted) {
  throw Unreadable{refusal(found, accepted)};
}

constexpr std::string_view count_accepted = "a whole number up to 2147483647";
constexpr std::string_view bytes_accepted = "whole bytes below 2^63";

bool is_word(char c) { return is_digit(c) || (input::lower(c) >= 'a' && input::lower(c) <= 'z') || c == '_'; }

std::string_view without_spaces(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

// The letters, digits and underscores at the beginning.
std::string_view first_word(std::string_view text) {
  return text.substr(0, static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_word) - text.begin()));
}

// The digits at the beginning of `rest`, which moves behind them. nullopt: none, or 2^63 and above.
std::optional<std::int64_t> take_number(std::string_view& rest) {
  std::int64_t number = 0;
  if (rest.empty() || !is_digit(rest.front())) {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// One of the amounts that commas separate: "used 1 barriers", "1072+16 bytes smem".
struct Item {
  std::string_view text;
  std::optional<std::int64_t> amount;
  std::string_view unit;

  [[nodiscard]] bool has_unit(std::string_view name) const {
    return unit.starts_with(name) && (unit.size() == name.size() || !is_word(unit[name.size()]));
  }
  [[nodiscard]] int count() const {
    if (!amount || *amount > INT_MAX) {
      refuse(text, count_accepted);
    }
    return static_cast<int>(*amount);
  }
  [[nodiscard]] std::int64_t bytes() const {
    if (!amount) {
      refuse(text, bytes_accepted);
    }
    return *amount;
  }
};

// Until sm_20 the bytes were those of the user and of the system, "a+b"; a block takes both.
std::optional<std::int64_t> take_sum(std::string_view& rest) {
  std::optional<std::int64_t> sum = take_number(rest);
  while (rest.starts_with('+')) {
    rest.remove_prefix(1);
    const std::optional<std::int64_t> more = take_number(rest);
    sum = sum && more && *more <= INT64_MAX - *sum ? std::optional(*sum + *more) : std::nullopt;
  }
  return sum;
}

Item read_item(std::string_view text) {
  text = without_spaces(text);
  std::string_view rest = text;
  if (rest.starts_with("Used ") || rest.starts_with("used ")) {
    rest.remove_prefix(5);
  }
  Item item{text, take_sum(rest), {}};
  item.unit = without_spaces(rest);
  return item;
}

// What a "Used" line states. ptxas leaves zero bytes of shared memory out.
struct Used {
  std::optional<int> registers = std::nullopt;
  std::optional<int> barriers = std::nullopt;
  std::int64_t shared_memory = 0;
  std::optional<std::int64_t> stack = std::nullopt;

  // False for what is not used here: memory of constants, textures, what later compilers will add.
  bool take(const Item& item) {
    if (item.has_unit("registers")) {
      registers = item.count();
    } else if (item.has_unit("barriers")) {
      barriers = item.count();
    } else if (item.has_unit("bytes smem")) {
      shared_memory = item.bytes();
    } else if (item.has_unit("stack")) {
      stack = item.bytes();
    } else {
      return false;
    }
    return true;
  }
};

bool is_whole(const Item& item) {
  constexpr std::array<std::string_view, 6> units = {
      "bytes lmem", "bytes cumulative stack size", "textures", "surfaces", "samplers", "bytes gmem"};
  return (item.unit.starts_with("bytes cmem[") && item.unit.find(']') != nowhere) ||
         std::any_of(units.begin(), units.end(), [&item](std::string_view unit) { return item.has_unit(unit); });
}

// By item, not by place: compilers add items and leave them out. Where a line is cut its last item must be known, lest
// shared memory goes missing.
Used read_used(std::string_view text, bool is_cut) {
  Used used;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const Item item = read_item(rest.substr(0, comma));
    const bool is_last = comma == nowhere;
    if (!used.take(item) && is_last && is_cut && !is_whole(item)) {
      refuse(text, "a whole line");
    }
    if (is_last) {
      break;
    }
    rest.remove_prefix(comma + 1);
  }
  if (!used.registers) {
    refuse(text, "Used N registers, ...");
  }
  return used;
}

// Stack frame and spills of one function.
struct Stack {
  std::int64_t frame = 0;
  std::int64_t spill_stores = 0;
  std::int64_t spill_loads = 0;
};

Stack read_stack(std::string_view text) {
  constexpr std::array<std::string_view, 3> units = {"bytes stack frame", "bytes spill stores", "bytes spill loads"};
  std::array<std::int64_t, 3> amounts{};
  std::string_view rest = text;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::size_t comma = i + 1 < units.size() ? rest.find(',') : nowhere;
    const Item item = read_item(rest.substr(0, comma));
    if (!item.has_unit(units[i])) {
      refuse(text, "N bytes stack frame, N bytes spill stores, N bytes spill loads");
    }
    amounts[i] = item.bytes();
    rest.remove_prefix(comma == nowhere ? rest.size() : comma + 1);
  }
  return {amounts[0], amounts[1], amounts[2]};
}

// Whether "Function properties for" means this kernel: what wraps a log may put a quote or an escape behind the name.
bool names(std::string_view text, std::string_view kernel) {
  constexpr std::string_view behind = " \t\"'`\\|";
  return text.starts_with(kernel) && (text.size() == kernel.size() || behind.find(text[kernel.size()]) != nowhere);
}

// Binds the lines that do not name their kernel. One compiler writes, in this order and each line whole:
//   Compiling entry function 'k' ...      when it begins to compile
//   Function properties for k, N bytes stack frame ...   in one write, when it has compiled
//   Used N registers ...                  a moment later
// Several compilers may write to one log. A "Used" line is then bound only if a single kernel can have waited for it.
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

// `cuobjdump --dump-resource-usage`: blocks with the architecture above them, none where the input was a bare cubin.
class ResourceUsage {
 public:
  explicit ResourceUsage(const KernelSink& sink) : sink_(sink) {}

  void read(std::int64_t line, std::string_view text);

 private:
  void read_head(std::int64_t line, std::string_view text);
  void read_amounts(std::int64_t line, std::string_view text);

  const KernelSink& sink_;
  bool awaits_arch_ = false;
  bool is_open_ = false;  // functions may come
  std::string next_arch_{};
  std::string arch_{};
  std::string function_{};
  std::int64_t function_line_ = 0;
};

void ResourceUsage::read(std::int64_t line, std::string_view text) {
  if (text.ends_with(':')) {
    return read_head(line, text);
  }
  if (awaits_arch_) {
    constexpr std::string_view key = "arch = ";
    if (const std::size_t at = text.find(key); at != nowhere) {
      next_arch_ = first_word(text.substr(at + key.size()));
      awaits_arch_ = false;
    }
  } else if (function_line_ != 0) {
    if (const std::size_t at = text.find("REG:"); at != nowhere) {
      read_amounts(std::exchange(function_line_, 0), text.substr(at));
    }
  }
}

void ResourceUsage::read_head(std::int64_t line, std::string_view text) {
  constexpr std::string_view function = "Function ";
  function_line_ = 0;
  if (text.ends_with("Fatbin elf code:") || text.ends_with("Fatbin ptx code:")) {
    awaits_arch_ = text.ends_with("elf code:");
    next_arch_.clear();
    is_open_ = false;
  } else if (text.ends_with("Resource usage:")) {
    arch_ = std::exchange(next_arch_, {});
    awaits_arch_ = false;
    is_open_ = true;
  } else if (const std::size_t at = is_open_ ? text.find(function) : nowhere; at != nowhere) {
    const std::size_t begin = at + function.size();
    function_ = text.substr(begin, text.size() - 1 - begin);
    function_line_ = function_.empty() ? 0 : line;
  }
}

// A kernel has its parameters in CONSTANT[0], even if there are none; a device function has no such section.
void ResourceUsage::read_amounts(std::int64_t line, std::string_view text) {
  KernelRecord kernel;
  bool is_kernel = false;
  while (!text.empty()) {
    const std::string_view cell = text.substr(0, text.find(' '));
    text = without_spaces(text.substr(cell.size()));
    const std::size_t colon = std::min(cell.find(':'), cell.size());
    const std::string_view key = cell.substr(0, colon);
    std::string_view number = cell.substr(std::min(colon + 1, cell.size()));
    const Item item{cell, take_number(number), {}};
    if (key == "REG") {
      kernel.registers_per_thread = item.count();
    } else if (key == "STACK") {
      kernel.stack_frame = item.bytes();
    } else if (key == "SHARED") {
      kernel.static_shared_memory = item.bytes();
    } else if (key == "CONSTANT[0]") {
      is_kernel = true;
    }
  }
  if (is_kernel) {
    kernel.line = line;
    kernel.kernel = function_;
    kernel.arch = arch_;
    kernel.includes_reserve = true;
    sink_.kernel(std::move(kernel));
  }
}

enum class Tool : std::uint8_t { None, Compiler, Linker };

// Whose "info" ends before the colon: "ptxas info    :", "nvlink info    :". The driver's linker writes "info    :"
// alone, at the beginning of the line.
Tool tool_before(std::string_view line, std::size_t colon) {
  const auto without_blanks = [](std::string_view text) { return text.substr(0, text.find_last_not_of(' ') + 1); };
  std::string_view head = without_blanks(line.substr(0, colon));
  if (!head.ends_with("info")) {
    return Tool::None;
  }
  head = without_blanks(head.substr(0, head.size() - 4));
  if (head.ends_with("ptxas")) {
    return Tool::Compiler;
  }
  return head.ends_with("nvlink") || head.empty() ? Tool::Linker : Tool::None;
}

// Appends the line without the escape sequences of terminals: ESC [ ... final byte, ESC ( B.
void append_without_colours(std::string& text, std::string_view line) {
  for (;;) {
    const std::size_t escape = std::min(line.find('\x1b'), line.size());
    text += line.substr(0, escape);
    line.remove_prefix(escape);
    if (line.empty()) {
      return;
    }
    std::size_t end = line.size() > 1 && line[1] == '(' ? 2 : 0;
    if (line.size() > 1 && line[1] == '[') {
      end = 2;
      while (end < line.size() && (line[end] < '@' || line[end] > '~')) {
        ++end;
      }
    }
    line.remove_prefix(std::min(end + 1, line.size()));
  }
}

// Without the carriage return, and, where docker's JSON wraps it, without what follows the text of the log.
std::string_view without_wrapping(std::string_view line) {
  if (line.ends_with('}')) {
    line = line.substr(0, line.find("\\n\""));
    if (line.ends_with("\\r")) {
      line.remove_suffix(2);
    }
  }
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

constexpr std::string_view target_key = "(target: ";

// The linker names the architecture at the end of each line where it links for several.
std::string_view target_of(std::string_view text) {
  const std::size_t at = text.rfind(target_key);
  return at == nowhere ? std::string_view() : first_word(text.substr(at + target_key.size()));
}

class BuildLog {
 public:
  explicit BuildLog(const KernelSink& sink) : sink_(sink), compiler_(sink), linker_(sink), usage_(sink) {}

  void read(std::string_view text);

 private:
  void read_line(std::string_view line);
  void read_messages(std::string_view line);
  void read_message(Tool tool, std::string_view text, bool is_cut);
  void read_entry(std::string_view text, bool is_cut);
  void read_linked(std::string_view text);
  void read_used_line(EntryFunctions& functions, std::string_view text, bool is_cut);
  void read_unmarked(std::string_view line);

  // What the reader returns; nothing, and a problem, where it cannot read.
  template <class Read>
  auto read_or_report(const Read& read) -> std::optional<decltype(read())>;

  const KernelSink& sink_;
  EntryFunctions compiler_;
  EntryFunctions linker_;
  ResourceUsage usage_;
  std::int64_t line_ = 0;
  bool is_cut_ = false;  // the line has no end
  bool has_colours_ = false;
  std::string plain_{};
};

void BuildLog::read(std::string_view text) {
  has_colours_ = text.find('\x1b') != nowhere;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    is_cut_ = end == nowhere;
    ++line_;
    try {
      read_line(text.substr(0, end));
    } catch (const Unreadable& unreadable) {
      sink_.problem(line_, unreadable.what);
    }
    text.remove_prefix(is_cut_ ? text.size() : end + 1);
  }
  compiler_.finish();
  linker_.finish();
}

void BuildLog::read_line(std::string_view line) {
  if (line.size() > most_line_bytes) {
    if (line.find("ptxas info") != nowhere || line.find("nvlink info") != nowhere) {
      refuse(line, "lines up to " + std::to_string(most_line_bytes) + " bytes");
    }
    return;
  }
  if (has_colours_ && line.find('\x1b') != nowhere) {
    plain_.clear();
    append_without_colours(plain_, line);
    line = plain_;
  }
  read_messages(without_wrapping(line));
}

// The messages may stand anywhere in the line: behind time stamps, and two in one line where two compilers wrote at
// once; then the first is cut.
void BuildLog::read_messages(std::string_view line) {
  Tool tool = Tool::None;
  std::size_t begin = 0;
  for (std::size_t colon = line.find(':'); colon != nowhere; colon = line.find(':', colon + 1)) {
    if (const Tool next = tool_before(line.substr(begin), colon - begin); next != Tool::None) {
      if (tool != Tool::None) {
        read_message(tool, line.substr(begin, colon - begin), true);
      }
      tool = next;
      begin = colon + 1;
    }
  }
  if (tool == Tool::None) {
    read_unmarked(line);
  } else {
    read_message(tool, line.substr(begin), is_cut_);
  }
}

void BuildLog::read_message(Tool tool, std::string_view text, bool is_cut) {
  constexpr std::string_view entry = "Compiling entry";
  constexpr std::string_view properties = "Function properties for ";
  text = without_spaces(text);
  EntryFunctions& functions = tool == Tool::Compiler ? compiler_ : linker_;
  const bool is_used = text.starts_with("Used ") || text.starts_with("used ");
  if (is_used && text.size() > 5 && (is_digit(text[5]) || text[5] == '-')) {
    read_used_line(functions, text, is_cut);
  } else if (text.starts_with(properties)) {
    const std::string_view function = text.substr(properties.size());
    tool == Tool::Compiler ? compiler_.add_properties(function) : read_linked(function);
  } else if (text.starts_with(entry)) {
    read_entry(text, is_cut);
  }
}

// 'NAME' for 'sm_90a'. A demangled name has spaces, commas and quotes of its own; CUDA 2 named no architecture.
void BuildLog::read_entry(std::string_view text, bool is_cut) {
  constexpr std::string_view begin = "Compiling entry function '";
  const std::size_t arch_at = text.rfind("' for 'sm_");
  std::string_view arch;
  std::size_t end = nowhere;
  if (arch_at != nowhere) {
    arch = first_word(text.substr(arch_at + 7));
    end = text.substr(arch_at + 7 + arch.size()).starts_with('\'') ? arch_at : nowhere;
  } else if (text.ends_with('\'') && !is_cut) {
    end = text.size() - 1;
  }
  if (!text.starts_with(begin) || end == nowhere || end <= begin.size()) {
    compiler_.open_lost(line_);
    return sink_.problem(line_, refusal(text, "Compiling entry function 'NAME' for 'sm_N'"));
  }
  KernelRecord kernel;
  kernel.line = line_;
  kernel.kernel = text.substr(begin.size(), end - begin.size());
  kernel.arch = arch;
  compiler_.open(std::move(kernel), false);
}

// 'NAME': (target: sm_80)
void BuildLog::read_linked(std::string_view text) {
  const std::string_view quoted = text.substr(0, text.rfind(target_key));
  const std::size_t end = quoted.rfind('\'');
  if (!quoted.starts_with('\'') || end < 2) {
    return;
  }
  KernelRecord kernel;
  kernel.line = line_;
  kernel.kernel = quoted.substr(1, end - 1);
  kernel.arch = target_of(text);
  kernel.linked = true;
  kernel.includes_reserve = true;
  linker_.open(std::move(kernel), true);
}

template <class Read>
auto BuildLog::read_or_report(const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Unreadable& unreadable) {
    sink_.problem(line_, unreadable.what);
    return std::nullopt;
  }
}

void BuildLog::read_used_line(EntryFunctions& functions, std::string_view text, bool is_cut) {
  const auto used = read_or_report([&] { return read_used(text, is_cut); });
  functions.use(line_, text, used, target_of(text));
}

// The line of stack and spills has no marker.
void BuildLog::read_unmarked(std::string_view line) {
  const std::size_t at = line.find("bytes stack frame");
  if (at == nowhere) {
    return usage_.read(line_, line);
  }
  std::size_t begin = line.substr(0, at).find_last_not_of(' ');
  while (begin != nowhere && is_digit(line[begin])) {
    --begin;
  }
  const std::string_view text = line.substr(begin + 1);
  if (is_digit(without_spaces(text).front())) {
    compiler_.add_stack(line_, text, read_or_report([&] { return read_stack(text); }));
  }
}

}  // namespace

void read_build_log(std::string_view text, const KernelSink& sink) { BuildLog(sink).read(text); }

}  // namespace occcalc
