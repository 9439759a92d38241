// Traces of launches: Nsight Systems' report cuda_gpu_trace (described in its User Guide, "cuda_gpu_trace") and
// nvprof's GPU trace mode (Profiler User's Guide, "GPU-Trace and API-Trace Modes").

#include <algorithm>
#include <array>
#include <climits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/profiler_lines.hpp"
#include "input/text.hpp"
#include "input/units.hpp"
#include "occcalc/readers.hpp"

namespace occcalc {

namespace {

using input::CutRow;
using input::trimmed;

// What a row tells, in the order of the columns of both tools.
enum Field : std::size_t {
  Start,
  Duration,
  GridX,
  GridY,
  GridZ,
  BlockX,
  BlockY,
  BlockZ,
  Registers,
  StaticMemory,
  DynamicMemory,
  Name,
  field_count
};

using FieldNames = std::array<std::string_view, field_count>;

constexpr FieldNames nsys_names = {"Start", "Duration", "GrdX",    "GrdY",    "GrdZ",    "BlkX",
                                   "BlkY",  "BlkZ",     "Reg/Trd", "StcSMem", "DymSMem", "Name"};
constexpr FieldNames nvprof_names = {"Start",       "Duration",     "Grid X",
                                     "Grid Y",      "Grid Z",       "Block X",
                                     "Block Y",     "Block Z",      "Registers Per Thread",
                                     "Static SMem", "Dynamic SMem", "Name"};

// 16 bytes in 672 ns are 23.810 MB/s in nsys, 1 byte in 1.28 us is 762.94KB/s in nvprof.
constexpr int nsys_kilo = 1000;
constexpr int nvprof_kilo = 1024;

// A CSV table: where the fields are and in which unit.
struct Table {
  bool is_nvprof = false;
  std::size_t columns = 0;  // that a row needs
  std::array<std::optional<std::size_t>, field_count> at{};
  std::array<std::string, field_count> units{};

  [[nodiscard]] const FieldNames& names() const noexcept { return is_nvprof ? nvprof_names : nsys_names; }
};

// "Duration (ns)" is Duration in ns.
std::pair<std::string, std::string> split_header(const std::string& header) {
  const std::size_t open = header.rfind('(');
  if (open == std::string::npos || !header.ends_with(')')) {
    return {header, ""};
  }
  return {std::string(trimmed(std::string_view(header).substr(0, open))),
          header.substr(open + 1, header.size() - open - 2)};
}

// nullopt: the line is no header of a trace, which has GrdX or Grid X.
std::optional<Table> read_table(std::string_view line) {
  constexpr std::size_t most_columns = 100;
  const bool is_nvprof = line.find(nvprof_names[GridX]) != std::string_view::npos;
  if (!is_nvprof && line.find(nsys_names[GridX]) == std::string_view::npos) {
    return std::nullopt;
  }
  Table table;
  table.is_nvprof = is_nvprof;
  const CutRow row = input::cut_row(line, most_columns);
  for (std::size_t column = 0; column < row.cells.size(); ++column) {
    const auto [name, unit] = split_header(row.cell(column));
    for (std::size_t field = 0; field < field_count; ++field) {
      if (name == table.names()[field] && !table.at[field]) {
        table.at[field] = column;
        table.units[field] = unit;
        table.columns = column + 1;
      }
    }
  }
  return table.at[GridX] ? std::optional(table) : std::nullopt;
}

bool is_empty(std::string_view text) { return text.empty() || text == "-"; }

// "1.1152KB": the number, and the unit behind it.
std::pair<std::string_view, std::string_view> split_unit(std::string_view text) {
  const std::size_t digit = text.find_last_of("0123456789");
  const std::size_t end = digit == std::string_view::npos ? 0 : digit + 1;
  return {text.substr(0, end), trimmed(text.substr(end))};
}

bool is_time(std::string_view text) {
  const auto [number, unit] = split_unit(text);
  return !text.empty() && input::is_digit(text.front()) && input::read_printed_time(number, unit).has_value();
}

// nvprof numbers launches of a name: "saxpy(int) [112]".
std::string_view without_number(std::string_view name) {
  const std::size_t open = name.rfind(" [");
  const bool is_numbered = open != std::string_view::npos && name.ends_with(']') &&
                           input::is_digits(name.substr(open + 2, name.size() - open - 3));
  return is_numbered ? trimmed(name.substr(0, open)) : name;
}

// The columns of nvprof's text between the dynamic shared memory and the name; nullopt: no header of it.
std::optional<std::size_t> read_text_header(std::string_view line) {
  const std::size_t memory = line.find("DSMem*");
  const std::string_view rest = memory == std::string_view::npos ? "" : trimmed(line.substr(memory + 6));
  if (!trimmed(line).starts_with("Start") || line.find("Grid Size") == std::string_view::npos ||
      !rest.ends_with("Name")) {
    return std::nullopt;
  }
  std::size_t columns = 0;
  for (std::size_t at = rest.find("  "); at != std::string_view::npos; at = rest.find("  ", at)) {
    ++columns;
    at = rest.find_first_not_of(' ', at);
  }
  return columns;
}

// Takes "(64 64 1)", or a word, from the beginning of `rest`.
std::string_view take_dimensions(std::string_view& rest) {
  rest = trimmed(rest);
  const std::size_t close = rest.starts_with('(') ? rest.find(')') : std::string_view::npos;
  if (close == std::string_view::npos) {
    return input::take_word(rest);
  }
  const std::string_view dimensions = rest.substr(0, close + 1);
  rest.remove_prefix(close + 1);
  return dimensions;
}

class TraceReader {
 public:
  TraceReader(std::string_view text, const KernelSink& sink) : lines_(text), sink_(sink) {}

  void read() {
    while (lines_.next()) {
      read_line(lines_.line());
    }
  }

 private:
  void read_line(std::string_view line);
  void begin_table(Table table);
  void read_csv_row();
  void read_units(const CutRow& row);
  void read_csv_launch(const CutRow& row);
  void read_text_row(std::string_view line);
  [[nodiscard]] std::string_view take_name(std::string_view rest) const;

  // Each puts what a text states into a field of the record, or tells of a problem.
  void read_dimension(const CutRow& row, Field first, std::optional<Dim3>& dimensions) const;
  void read_registers(std::string_view name, std::string_view text);
  void read_memory(std::string_view name, std::string_view text, std::string_view unit,
                   std::optional<std::int64_t>& bytes);
  void read_duration(std::string_view text, std::string_view unit);

  void refuse(std::string_view name, std::string_view found, std::string_view accepted) const {
    problem(std::string(name) + ": found " + input::abridged(found) + "; accepted: " + std::string(accepted));
  }
  void problem(const std::string& what) const { sink_.problem(lines_.number(), what); }

  input::ProfilerLines lines_;
  const KernelSink& sink_;
  KernelRecord record_{};
  std::optional<Table> table_;
  std::optional<std::size_t> text_columns_;  // nvprof's text is read: how many columns are before the name
  bool expects_units_ = false;               // the next row may be that of the units
};

void TraceReader::read_line(std::string_view line) {
  if (line.size() > input::most_line_bytes) {
    if (table_ || text_columns_) {
      problem("found a line of " + std::to_string(line.size()) + " bytes; accepted: rows of up to " +
              std::to_string(input::most_line_bytes));
    }
    return;
  }
  if (std::optional<Table> table = read_table(line)) {
    begin_table(std::move(*table));
  } else if (const std::optional<std::size_t> columns = read_text_header(line)) {
    text_columns_ = columns;
    table_.reset();
  } else if (table_ && line.find(',') != std::string_view::npos && !line.starts_with("==")) {
    read_csv_row();
  } else if (text_columns_) {
    read_text_row(line);
  }
}

void TraceReader::begin_table(Table table) {
  table_.reset();
  text_columns_.reset();
  for (const Field field : {GridX, GridY, GridZ, BlockX, BlockY, BlockZ, Name}) {
    if (!table.at[field]) {
      problem("found a header without " + std::string(table.names()[field]) + "; accepted: all columns of " +
              (table.is_nvprof ? "nvprof --print-gpu-trace --csv" : "nsys stats -r cuda_gpu_trace -f csv"));
      return;
    }
  }
  expects_units_ = table.is_nvprof;
  table_ = std::move(table);
}

void TraceReader::read_csv_row() {
  const CutRow row = input::cut_row(lines_.row(), table_->columns);
  const std::string start = row.cell(table_->at[Start].value_or(0));
  const bool is_units = expects_units_ && input::read_printed_time("1", start).has_value();
  expects_units_ = false;
  if (is_units) {
    read_units(row);
    return;
  }
  if (start.empty() || !input::is_digit(start.front())) {
    return;  // other text
  }
  if (row.is_cut || row.cells.size() < table_->columns) {
    problem(row.is_cut ? "found a cell whose quotes do not close; accepted: a whole row"
                       : "found a row of " + std::to_string(row.cells.size()) +
                             " cells; accepted: " + std::to_string(table_->columns) + " or more, as in the header");
    return;
  }
  if (!is_empty(row.cell(*table_->at[GridX]))) {  // copies and fills of memory have no grid
    read_csv_launch(row);
  }
}

void TraceReader::read_units(const CutRow& row) {
  for (const Field field : {Duration, StaticMemory, DynamicMemory}) {
    if (table_->at[field]) {
      table_->units[field] = row.cell(*table_->at[field]);
    }
  }
}

void TraceReader::read_csv_launch(const CutRow& row) {
  const Table& table = *table_;
  const auto text = [&](Field field) { return table.at[field] ? row.cell(*table.at[field]) : ""; };
  record_ = {};
  record_.line = lines_.number();
  const std::string name = text(Name);
  record_.kernel = table.is_nvprof ? without_number(name) : name;
  read_dimension(row, GridX, record_.grid);
  read_dimension(row, BlockX, record_.block);
  read_registers(table.names()[Registers], text(Registers));
  read_memory(table.names()[StaticMemory], text(StaticMemory), table.units[StaticMemory], record_.static_shared_memory);
  read_memory(table.names()[DynamicMemory], text(DynamicMemory), table.units[DynamicMemory],
              record_.dynamic_shared_memory);
  read_duration(text(Duration), table.units[Duration]);
  sink_.kernel(std::move(record_));
}

void TraceReader::read_dimension(const CutRow& row, Field first, std::optional<Dim3>& dimensions) const {
  std::array<int, 3> sizes{};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string text = row.cell(*table_->at[first + i]);
    const std::optional<int> size = input::read_printed_count(text, 1, INT_MAX);
    if (!size) {
      refuse(table_->names()[first + i], text, "a whole number, 1 to 2147483647");
      return;
    }
    sizes[i] = *size;
  }
  dimensions = Dim3{sizes[0], sizes[1], sizes[2]};
}

void TraceReader::read_registers(std::string_view name, std::string_view text) {
  constexpr int most = 1 << 16;  // all of an SM
  record_.registers_per_thread = input::read_printed_count(text, 0, most);
  if (!record_.registers_per_thread && !is_empty(text)) {
    refuse(name, text, "a whole number, 0 to 65536");
  }
}

void TraceReader::read_memory(std::string_view name, std::string_view text, std::string_view unit,
                              std::optional<std::int64_t>& bytes) {
  if (is_empty(text)) {
    return;
  }
  const bool is_nsys = table_ && !table_->is_nvprof;
  const auto [number, own_unit] = split_unit(text);
  const std::optional<input::PrintedBytes> read =
      input::read_printed_bytes(number, own_unit.empty() ? unit : own_unit, is_nsys ? nsys_kilo : nvprof_kilo);
  if (!read) {
    refuse(name, std::string(text) + (unit.empty() ? "" : " ") + std::string(unit), "a size in B, KB or MB");
    return;
  }
  bytes = read->bytes;
  record_.rounded_bytes = record_.rounded_bytes || read->is_rounded;
}

void TraceReader::read_duration(std::string_view text, std::string_view unit) {
  if (is_empty(text)) {
    return;
  }
  const auto [number, own_unit] = split_unit(text);
  record_.reported.duration_ns = input::read_printed_time(number, own_unit.empty() ? unit : own_unit);
  if (!record_.reported.duration_ns) {
    refuse("Duration", std::string(text) + (unit.empty() ? "" : " ") + std::string(unit), "a time in ns, us, ms or s");
  }
}

// The columns between are two blanks or more apart; names of devices hold single ones.
std::string_view TraceReader::take_name(std::string_view rest) const {
  for (std::size_t column = 0; column < *text_columns_; ++column) {
    rest = trimmed(rest);
    rest.remove_prefix(std::min(rest.find("  "), rest.size()));
  }
  return without_number(trimmed(rest));
}

// Start, duration, grid, block, registers, static and dynamic shared memory are the first columns of every version.
void TraceReader::read_text_row(std::string_view line) {
  std::string_view rest = line;
  const bool is_row = is_time(input::take_word(rest));
  const std::string_view duration = input::take_word(rest);
  if (!is_row || !(duration == "-" || is_time(duration))) {
    return;  // other text
  }
  const std::string_view grid = take_dimensions(rest);
  if (grid == "-") {
    return;  // no launch: a copy, a page fault
  }
  record_ = {};
  record_.line = lines_.number();
  record_.grid = input::read_printed_dimensions(grid);
  record_.block = input::read_printed_dimensions(take_dimensions(rest));
  const std::string_view registers = input::take_word(rest);
  const std::string_view static_memory = input::take_word(rest);
  const std::string_view dynamic_memory = input::take_word(rest);
  record_.kernel = take_name(rest);
  if (!record_.grid || !record_.block || record_.kernel.empty()) {
    problem("found " + input::abridged(trimmed(line)) + "; accepted: a whole row, with Grid Size, Block Size and Name");
    return;
  }
  read_registers("Regs*", registers);
  read_memory("SSMem*", static_memory, "", record_.static_shared_memory);
  read_memory("DSMem*", dynamic_memory, "", record_.dynamic_shared_memory);
  read_duration(duration, "");
  sink_.kernel(std::move(record_));
}

}  // namespace

void read_gpu_trace(std::string_view text, const KernelSink& sink) { TraceReader(text, sink).read(); }

}  // namespace occcalc
