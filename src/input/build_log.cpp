#include <algorithm>
#include <utility>

#include "input/entry_functions.hpp"
#include "input/log_items.hpp"
#include "input/resource_usage.hpp"
#include "input/text.hpp"
#include "occcalc/readers.hpp"

namespace occcalc {

namespace {

using namespace input;

// The longest kernel name met has 1,532 bytes. What is longer than this is no line of a compiler.
constexpr std::size_t most_line_bytes = 1 << 20;

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
