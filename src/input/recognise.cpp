// What a text is. File names tell little: logs are called anything, and standard input has no name.
#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include "occcalc/readers.hpp"

namespace occcalc {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t window_bytes = 1 << 20;
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

// The kind of the first marker: a text that holds several kinds is read as the one that it begins with.
InputKind first_marker(std::string_view text) {
  std::size_t first = std::string_view::npos;
  InputKind kind = InputKind::Unknown;
  for (const Marker& marker : markers) {
    const std::size_t at = find_marker(text.substr(0, first), marker);
    if (at != std::string_view::npos) {
      first = at;
      kind = marker.kind;
    }
  }
  return kind;
}

// A build may talk for long before it compiles its first kernel; profilers name themselves at once.
bool is_late_build_log(std::string_view text) {
  return std::any_of(markers.begin(), markers.end(), [text](const Marker& marker) {
    return marker.kind == InputKind::BuildLog && find_marker(text, marker) != std::string_view::npos;
  });
}

// ELF, archives, fatbins, gzip and UTF-16 all have NUL bytes soon; the magic numbers are for files that are shorter.
bool is_binary(std::string_view text) {
  constexpr std::size_t soon = 4096;
  constexpr std::array magics = {
      "\x7f"
      "ELF"sv,
      "!<arch>"sv,
      "\x1f\x8b"sv,
      "\x28\xb5\x2f\xfd"sv,
      "\xff\xfe"sv,
      "\xfe\xff"sv};
  return text.substr(0, soon).find('\0') != std::string_view::npos ||
         std::any_of(magics.begin(), magics.end(), [text](std::string_view magic) { return text.starts_with(magic); });
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

InputKind recognise(std::string_view text) {
  if (is_binary(text)) {
    return InputKind::Unknown;
  }
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  text.remove_prefix(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
  const bool has_bracket = text.starts_with('{') || text.starts_with('[');
  if (has_bracket && begins_as_json(text)) {
    return InputKind::Json;
  }
  const InputKind kind = first_marker(text.substr(0, window_bytes));
  if (kind != InputKind::Unknown) {
    return kind;
  }
  if (is_late_build_log(text)) {
    return InputKind::BuildLog;
  }
  return has_bracket ? InputKind::Json : InputKind::Unknown;
}

}  // namespace occcalc
