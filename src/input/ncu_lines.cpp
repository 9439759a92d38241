#include "input/ncu_lines.hpp"

#include <algorithm>
#include <array>

#include "input/profiler_lines.hpp"
#include "input/text.hpp"

namespace occcalc::input {

namespace {

// "Device" is the number of one; nvprof's is a name, and it has no "Process ID".
constexpr std::array<std::string_view, 11> identity_names = {"ID",     "Process ID", "Host Name",  "Kernel Name",
                                                             "Device", "Context",    "Stream",     "Kernel Time",
                                                             "CC",     "Block Size", "Invocations"};

void add_column(NcuColumns& columns, const std::string& name, std::size_t at) {
  const std::array<std::pair<std::string_view, std::optional<std::size_t>*>, 9> known = {
      {{"Block Size", &columns.block},
       {"Grid Size", &columns.grid},
       {"CC", &columns.capability},
       {"Metric Name", &columns.metric},
       {"Metric Unit", &columns.unit},
       {"Metric Value", &columns.value},
       {"Minimum", &columns.minimum},
       {"Maximum", &columns.maximum},
       {"Average", &columns.average}}};
  for (const auto& [column, place] : known) {
    if (name == column) {
      *place = at;
      columns.count = at + 1;
    }
  }
  if (std::find(identity_names.begin(), identity_names.end(), name) != identity_names.end() || name == "Grid Size") {
    columns.identity.push_back(at);
    columns.count = at + 1;
  }
  const NcuMetric* const metric = find_ncu_metric(name);
  if (metric != nullptr && metric->name == name) {
    columns.metrics.emplace_back(at, metric);
    columns.count = at + 1;
  }
}

bool has_number_behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  return at != std::string_view::npos && at + word.size() < text.size() && is_digit(text[at + word.size()]);
}

// The older form has a date and no dimensions: `name, 2024-Jan-16 10:42:52, Context 1, Stream 7`.
std::string_view without_date(std::string_view name) {
  constexpr std::size_t year = 4;
  const std::size_t comma = name.rfind(", ");
  if (comma == std::string_view::npos) {
    return name;
  }
  const std::string_view last = name.substr(comma + 2);
  const bool is_date = last.size() > year && is_digits(last.substr(0, year)) && last[year] == '-';
  return is_date ? name.substr(0, comma) : name;
}

// The name, the grid and the block of `name (4096, 1, 1)x(256, 1, 1)`.
NcuKernelLine split_dimensions(std::string_view head) {
  const std::size_t middle = head.ends_with(')') ? head.rfind(")x(") : std::string_view::npos;
  const std::size_t open = middle == std::string_view::npos ? middle : head.rfind('(', middle);
  if (open == std::string_view::npos) {
    return {.name = without_date(head)};
  }
  return {.name = trimmed(head.substr(0, open)),
          .grid = head.substr(open, middle + 1 - open),
          .block = head.substr(middle + 2)};
}

std::string_view capability_of(std::string_view tail) {
  constexpr std::string_view word = ", CC ";
  const std::size_t at = tail.find(word);
  const std::string_view rest = at == std::string_view::npos ? "" : tail.substr(at + word.size());
  return trimmed(rest.substr(0, rest.find(',')));
}

}  // namespace

std::optional<NcuColumns> read_ncu_header(std::string_view line) {
  constexpr std::size_t most_columns = 1 << 14;
  if (line.find("Kernel Name") == std::string_view::npos) {
    return std::nullopt;
  }
  const CutRow row = cut_row(line, most_columns);
  NcuColumns columns;
  bool has_kernel = false;
  for (std::size_t at = 0; at < row.cells.size(); ++at) {
    const std::string name = row.cell(at);
    columns.kernel = name == "Kernel Name" ? at : columns.kernel;
    has_kernel = has_kernel || name == "Kernel Name";
    add_column(columns, name, at);
  }
  const bool is_of_ncu = columns.identity.size() > 1 || columns.metric || !columns.metrics.empty();
  return has_kernel && is_of_ncu ? std::optional(columns) : std::nullopt;
}

std::optional<NcuKernelLine> read_ncu_kernel_line(std::string_view line) {
  const std::size_t context = line.rfind(", Context ");
  const bool is_summary = context == std::string_view::npos;
  const std::size_t end = is_summary ? line.rfind(", Device ") : context;
  if (end == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view tail = line.substr(end);
  const bool is_launch = is_summary ? has_number_behind(tail, "Device ") && has_number_behind(tail, "Invocations ")
                                    : has_number_behind(tail, "Context ") && has_number_behind(tail, "Stream ");
  NcuKernelLine result = split_dimensions(trimmed(line.substr(0, end)));
  result.capability = capability_of(tail);
  return is_launch && !result.name.empty() ? std::optional(result) : std::nullopt;
}

std::optional<NcuMetricTexts> read_ncu_metric_line(std::string_view rest) {
  constexpr std::size_t most_words = 4;
  std::vector<std::string> words;
  while (words.size() <= most_words && !trimmed(rest).empty()) {
    words.emplace_back(take_word(rest));
  }
  if (words.empty() || words.size() > most_words) {
    return std::nullopt;
  }
  if (!is_digit(words.back().front()) && !is_absent(words.back())) {
    return std::nullopt;
  }
  NcuMetricTexts texts;
  texts.unit = words.size() % 2 == 0 ? words.front() : "";
  texts.is_summary = words.size() > 2;
  texts.value = words.back();
  if (texts.is_summary) {
    texts.minimum = words[words.size() - 3];
    texts.maximum = words[words.size() - 2];
    texts.average = words.back();
  }
  return texts;
}

}  // namespace occcalc::input
