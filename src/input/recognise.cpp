// What a text is. File names tell little: logs are called anything, and standard input has no name.
#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "input/magic.hpp"
#include "occcalc/readers.hpp"

namespace occcalc {

namespace {

constexpr std::string_view blank = " \t\r\n";

bool is_anywhere(std::string_view /*text*/, std::size_t /*at*/) { return true; }

// Only blanks stand before it.
bool begins_line(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) {
    --at;
  }
  return at == 0 || text[at - 1] == '\n';
}

// "REG:24 STACK:8"
bool is_resource_usage(std::string_view text, std::size_t at) {
  constexpr std::size_t most_digits = 4;
  const std::string_view rest = text.substr(at + std::string_view("REG:").size());
  const std::size_t end = rest.substr(0, most_digits).find_first_not_of("0123456789");
  return end != 0 && rest.substr(std::min(end, rest.size())).starts_with(" STACK:");
}

struct Marker {
  std::string_view text;
  InputKind kind;
  bool (*holds)(std::string_view text, std::size_t at) = is_anywhere;
};

// Words of the tools themselves, each in every output of its kind. What ptxas and nvlink say may stand behind a prefix
// (time stamps, MSBuild's "1>"), and so may all that a CI system logs.
constexpr std::array markers = {
    Marker{"ptxas info", InputKind::BuildLog},
    Marker{"nvlink info", InputKind::BuildLog},
    Marker{"Fatbin elf code", InputKind::BuildLog},               // cuobjdump, of a container
    Marker{"Resource usage:", InputKind::BuildLog, begins_line},  // cuobjdump, of a bare cubin
    Marker{"REG:", InputKind::BuildLog, is_resource_usage},       // its lines, whatever became of the others
    Marker{"\"ID\",\"Process ID\"", InputKind::Ncu},
    Marker{"\"Process ID\",\"Process Name\"", InputKind::Ncu, begins_line},  // --print-summary
    Marker{"ID,Process ID,", InputKind::Ncu, begins_line},  // saved by another program, without the quotes
    Marker{"Section: Launch Statistics", InputKind::Ncu, begins_line},
    Marker{"Section: Occupancy", InputKind::Ncu, begins_line},
    Marker{"Section: GPU Speed Of Light", InputKind::Ncu, begins_line},
    Marker{"Section: Command line profiler metrics", InputKind::Ncu, begins_line},
    Marker{"==PROF==", InputKind::Ncu},
    Marker{"GrdX,GrdY,GrdZ", InputKind::GpuTrace},                    // nsys
    Marker{"\"GrdX\",\"GrdY\",\"GrdZ\"", InputKind::GpuTrace},        // every cell quoted, by another program
    Marker{"\"Grid X\",\"Grid Y\",\"Grid Z\"", InputKind::GpuTrace},  // nvprof --csv
    Marker{"Grid X,Grid Y,Grid Z", InputKind::GpuTrace},
    Marker{"NVPROF is profiling", InputKind::GpuTrace},
    Marker{"Profiling result:", InputKind::GpuTrace},
    Marker{"Regs*", InputKind::GpuTrace},  // the head of nvprof's table
    Marker{".address_size", InputKind::Ptx, begins_line},
    Marker{".target sm_", InputKind::Ptx, begins_line},
};

// Where the marker stands first. The search skips, so that most bytes are never looked at.
std::size_t find_marker(std::string_view text, const Marker& marker) {
  const std::boyer_moore_horspool_searcher search(marker.text.begin(), marker.text.end());
  for (const char* from = text.data();;) {
    const char* const found = std::search(from, text.data() + text.size(), search);
    const auto at = static_cast<std::size_t>(found - text.data());
    if (at == text.size()) {
      return std::string_view::npos;
    }
    if (marker.holds(text, at)) {
      return at;
    }
    from = found + 1;
  }
}

// Where the first marker of a kind stands.
std::size_t find_kind(std::string_view text, InputKind kind) {
  std::size_t first = std::string_view::npos;
  for (const Marker& marker : markers) {
    if (marker.kind == kind) {
      first = std::min(first, find_marker(text.substr(0, first), marker));
    }
  }
  return first;
}

// In the order in which they begin: a build may be followed by a run under a profiler.
std::vector<InputKind> find_kinds(std::string_view text) {
  std::vector<std::pair<std::size_t, InputKind>> found;
  for (const InputKind kind : {InputKind::BuildLog, InputKind::Ncu, InputKind::GpuTrace, InputKind::Ptx}) {
    if (const std::size_t at = find_kind(text, kind); at != std::string_view::npos) {
      found.emplace_back(at, kind);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<InputKind> kinds;
  kinds.reserve(found.size());
  for (const auto& [at, kind] : found) {
    kinds.push_back(kind);
  }
  return kinds;
}

// Files of other kinds, of which somebody else knows more.
bool is_foreign(std::string_view text) {
  using namespace input;
  return begins_with_any(text, utf16_magics) || begins_with_any(text, gzip_magics) ||
         begins_with_any(text, zstd_magics) || begins_with_any(text, old_fatbin_magics) ||
         text.starts_with(sqlite_magic);
}

// Logs begin with brackets too: "[3/7] Building CUDA object", "[ 50%]", "{ set -x".
bool begins_as_json(std::string_view text) {
  const std::size_t next = text.find_first_not_of(blank, 1);
  if (next == std::string_view::npos) {
    return true;
  }
  constexpr std::string_view within_object = "\"}";
  constexpr std::string_view within_array = "{[\"]";
  return (text.front() == '{' ? within_object : within_array).find(text[next]) != std::string_view::npos;
}

}  // namespace

std::vector<InputKind> recognise_all(std::string_view text) {
  if (is_foreign(text)) {
    return {};
  }
  if (input::is_binary(text)) {
    return {InputKind::GpuBinary};
  }
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  text.remove_prefix(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
  const bool has_bracket = text.starts_with('{') || text.starts_with('[');
  if (has_bracket && begins_as_json(text)) {
    return {InputKind::Json};
  }
  std::vector<InputKind> kinds = find_kinds(text);
  if (input::nuls_at_begin(text) > 0) {
    std::erase(kinds, InputKind::Ptx);  // within some other container, which is searched
    if (kinds.empty()) {
      kinds.push_back(InputKind::GpuBinary);
    }
  }
  if (kinds.empty() && has_bracket) {
    kinds.push_back(InputKind::Json);
  }
  return kinds;
}

InputKind recognise(std::string_view text) {
  const std::vector<InputKind> kinds = recognise_all(text);
  return kinds.empty() ? InputKind::Unknown : kinds.front();
}

}  // namespace occcalc
