// PTX, what compilers hand to ptxas: the entries, their target, and what stands between their parameters and their
// bodies (PTX ISA, "Kernel and Function Directives", "Performance-Tuning Directives", "Cluster Dimension Directives").
// Where the ISA leaves a choice, ptxas 13.0 was asked.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "input/text.hpp"
#include "occcalc/compute_capability.hpp"
#include "occcalc/kernel.hpp"
#include "occcalc/readers.hpp"

namespace occcalc {

namespace {

using input::is_digit;

// Names may hold $ and %. Bytes beyond ASCII are taken whole, so that no half of a character is quoted.
constexpr bool is_word(char c) {
  const char letter = input::lower(c);
  return is_digit(c) || (letter >= 'a' && letter <= 'z') || c == '_' || c == '$' || c == '%' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_name(std::string_view token) { return !token.empty() && is_word(token.front()) && !is_digit(token.front()); }

bool is_directive(std::string_view token) { return token.starts_with('.') && is_name(token.substr(1)); }

// Walks over the words, the directives with their point, the strings with their quotes and the single other characters
// of a text. Comments may stand between any two.
class PtxTokens {
 public:
  explicit PtxTokens(std::string_view text) : text_(text) { advance(); }

  // Empty at the end.
  [[nodiscard]] std::string_view token() const noexcept { return text_.substr(begin_, end_ - begin_); }
  // Where the token begins.
  [[nodiscard]] std::int64_t line();

  std::string_view advance();
  // From the token '{' to the one behind its '}'; false at the end of the text.
  bool skip_block();

 private:
  [[nodiscard]] std::size_t behind(std::string_view mark, std::size_t from) const;
  [[nodiscard]] std::size_t word_end(std::size_t from) const;
  [[nodiscard]] std::size_t comment_end(std::size_t from) const;
  [[nodiscard]] std::size_t string_end(std::size_t from) const { return behind("\"", from + 1); }

  std::string_view text_;
  std::size_t begin_ = 0;  // of the token
  std::size_t end_ = 0;
  std::size_t counted_ = 0;  // lines are counted up to here
  std::int64_t line_ = 1;
};

std::int64_t PtxTokens::line() {
  const std::string_view lines = text_.substr(counted_, begin_ - counted_);
  line_ += std::count(lines.begin(), lines.end(), '\n');
  counted_ = begin_;
  return line_;
}

std::size_t PtxTokens::behind(std::string_view mark, std::size_t from) const {
  const std::size_t at = text_.find(mark, from);
  return at == std::string_view::npos ? text_.size() : at + mark.size();
}

std::size_t PtxTokens::word_end(std::size_t from) const {
  while (from < text_.size() && is_word(text_[from])) {
    ++from;
  }
  return from;
}

// `from` itself where no comment begins there.
std::size_t PtxTokens::comment_end(std::size_t from) const {
  const std::string_view begin = text_.substr(from, 2);
  if (begin == "//") {
    return behind("\n", from);
  }
  return begin == "/*" ? behind("*/", from + 2) : from;
}

std::string_view PtxTokens::advance() {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  begin_ = end_;
  for (std::size_t end = begin_;; begin_ = end) {
    begin_ = std::min(text_.find_first_not_of(blanks, begin_), text_.size());
    end = comment_end(begin_);
    if (end == begin_) {
      break;
    }
  }
  if (begin_ == text_.size()) {
    end_ = begin_;
  } else if (text_[begin_] == '"') {
    end_ = string_end(begin_);
  } else {
    end_ = std::max(word_end(text_[begin_] == '.' ? begin_ + 1 : begin_), begin_ + 1);
  }
  return token();
}

// Most of a text are bodies: they are not taken apart.
bool PtxTokens::skip_block() {
  std::size_t depth = 0;
  std::size_t at = begin_;
  while (at < text_.size()) {
    switch (text_[at]) {
      case '"': at = string_end(at); continue;
      case '/': at = std::max(comment_end(at), at + 1); continue;
      case '{': ++depth; break;
      case '}': --depth; break;
      default: ++at; continue;
    }
    ++at;
    if (depth == 0) {
      end_ = at;
      advance();
      return true;
    }
  }
  begin_ = end_ = at;
  return false;
}

// 256, 0x100, 0400, 0b11, and all with a U behind them; nullopt: none of these, or above INT_MAX.
std::optional<int> read_number(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, int>, 5> bases = {
      {{"0x", 16}, {"0X", 16}, {"0b", 2}, {"0B", 2}, {"0", 8}}};
  text.remove_suffix(text.ends_with('U') ? 1 : 0);
  int base = 10;
  for (const auto& [prefix, prefix_base] : bases) {
    if (text.size() > prefix.size() && text.starts_with(prefix)) {
      text.remove_prefix(prefix.size());
      base = prefix_base;
      break;
    }
  }
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [read_end, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && read_end == end ? std::optional(number) : std::nullopt;
}

// What stands in no head: its end, or what follows a head that was cut.
bool ends_head(std::string_view token) {
  constexpr std::array<std::string_view, 11> ends = {"",        "{",       "}",        ";",     ".entry",  ".func",
                                                     ".target", ".extern", ".visible", ".weak", ".version"};
  return std::find(ends.begin(), ends.end(), token) != ends.end();
}

// One line of it: a string may hold more.
std::string quoted(std::string_view token) {
  return token.empty() ? "the end" : input::abridged(token.substr(0, token.find_first_of("\r\n")));
}

class PtxReader {
 public:
  PtxReader(std::string_view text, const KernelSink& sink) : tokens_(text), sink_(sink) {}

  void read();

 private:
  void read_target();
  void read_entry();
  bool read_head(KernelRecord& kernel);
  void read_directive(KernelRecord& kernel);
  bool skip_parameters();
  void skip_pragma();
  std::optional<Dim3> read_numbers(std::size_t most, int least = 1);

  PtxTokens tokens_;
  const KernelSink& sink_;
  std::string arch_{};
};

void PtxReader::read() {
  while (!tokens_.token().empty()) {
    const std::string_view token = tokens_.token();
    if (token == ".entry") {
      read_entry();
    } else if (token == ".target") {
      read_target();
    } else if (token == "{") {
      const std::int64_t line = tokens_.line();
      if (!tokens_.skip_block()) {
        sink_.problem(line, "found '{' without its '}'; the entries behind it are not read");
      }
    } else {
      if (token == ".version") {
        arch_.clear();  // another module
      }
      tokens_.advance();
    }
  }
}

// sm_90a, debug. A further .target of a module may have options alone.
void PtxReader::read_target() {
  bool has_arch = false;
  do {
    const std::string_view word = tokens_.advance();
    if (!has_arch && (word.starts_with("sm_") || word.starts_with("compute_"))) {
      const std::optional<ArchName> arch = parse_arch_name(word);
      arch_ = arch ? to_string(*arch) : "";
      has_arch = true;
    }
    if (is_name(word)) {
      tokens_.advance();
    }
  } while (tokens_.token() == ",");
}

// .entry NAME ( parameters ) directives { body }, or ';' instead of the body where it is declared only.
void PtxReader::read_entry() {
  KernelRecord kernel;
  kernel.is_ptx = true;
  kernel.line = tokens_.line();
  kernel.arch = arch_;
  kernel.kernel = tokens_.advance();
  if (!is_name(kernel.kernel)) {
    return sink_.problem(kernel.line, "found " + quoted(kernel.kernel) + " behind .entry; expected a name");
  }
  tokens_.advance();
  const bool is_whole = read_head(kernel);
  if (is_whole && tokens_.token() == ";") {
    return;
  }
  const std::int64_t line = kernel.line;
  const std::string name = input::abridged(kernel.kernel);
  if (!is_whole || tokens_.token() != "{") {
    return sink_.problem(line, "found the entry " + name + ", but " + quoted(tokens_.token()) + " before its body");
  }
  sink_.kernel(std::move(kernel));
  if (!tokens_.skip_block()) {
    sink_.problem(line, "found the entry " + name + ", but the text ends in its body");
  }
}

// Up to what ends it; false where the parameters have no end.
bool PtxReader::read_head(KernelRecord& kernel) {
  while (!ends_head(tokens_.token())) {
    if (tokens_.token() == ".pragma") {
      skip_pragma();
    } else if (tokens_.token() != "(") {
      read_directive(kernel);
    } else if (!skip_parameters()) {
      return false;
    }
  }
  return true;
}

// Others are ignored, and so are the numbers behind them.
void PtxReader::read_directive(KernelRecord& kernel) {
  const std::string_view directive = tokens_.token();
  if (directive == ".maxntid") {
    if (const std::optional<Dim3> threads = read_numbers(3)) {
      kernel.max_threads_per_block = thread_count(*threads);
    }
  } else if (directive == ".reqntid") {
    kernel.required_block = read_numbers(3);
  } else if (directive == ".minnctapersm") {
    if (const std::optional<Dim3> blocks = read_numbers(1)) {
      kernel.min_blocks_per_sm = blocks->x;
    }
  } else if (directive == ".reqnctapercluster") {
    // ptxas takes zeros too: no size.
    const std::optional<Dim3> blocks = read_numbers(3, 0);
    kernel.cluster = blocks && thread_count(*blocks) > 0 ? blocks : std::nullopt;
    kernel.cluster_is_required = kernel.cluster.has_value();
  } else {
    tokens_.advance();
  }
}

bool PtxReader::skip_parameters() {
  while (!ends_head(tokens_.token()) && tokens_.token() != ")") {
    tokens_.advance();
  }
  const bool is_whole = tokens_.token() == ")";
  if (is_whole) {
    tokens_.advance();
  }
  return is_whole;
}

// Its semicolon does not end the head: .pragma "nounroll", "..."; .maxntid 256
void PtxReader::skip_pragma() {
  do {
    tokens_.advance();
  } while (tokens_.token().starts_with('"') || tokens_.token() == ",");
  if (tokens_.token() == ";") {
    tokens_.advance();
  }
}

// The numbers behind a directive, with commas between them. nullopt, and a problem unless the text ends there, where
// they are not so many or something else follows.
std::optional<Dim3> PtxReader::read_numbers(std::size_t most, int least) {
  const std::string_view directive = tokens_.token();
  std::array<int, 3> numbers = {1, 1, 1};
  std::size_t count = 0;
  bool is_read = false;
  do {
    const std::optional<int> number = read_number(tokens_.advance());
    is_read = number && *number >= least;
    if (is_read) {
      numbers[count] = *number;
      ++count;
      tokens_.advance();
    }
  } while (is_read && count < most && tokens_.token() == ",");
  const std::string_view token = tokens_.token();
  if (is_read && (is_directive(token) || ends_head(token))) {
    return Dim3{numbers[0], numbers[1], numbers[2]};
  }
  if (!token.empty()) {
    sink_.problem(tokens_.line(), "found " + quoted(token) + " behind " + std::string(directive) + "; expected " +
                                      (most == 1 ? "a whole number from " : "1 to 3 whole numbers from ") +
                                      std::to_string(least) + " to 2147483647");
  }
  return std::nullopt;
}

}  // namespace

void read_ptx(std::string_view text, const KernelSink& sink) {
  PtxReader(text.substr(0, text.find('\0')), sink).read();
}

}  // namespace occcalc
