#include "report/fields.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "report/csv.hpp"
#include "report/json.hpp"
#include "report/json_writer.hpp"
#include "report/numbers.hpp"

namespace occcalc::report {

namespace {

template <Resource resource>
void limit(Cell& cell, const Row& row) {
  cell.number(row.occupancy.ceiling(resource));
}

template <auto member>
void answer(Cell& cell, const Row& row) {
  cell.number(std::int64_t{row.occupancy.*member});
}

void compute_capability(Cell& cell, const Row& row) {
  const auto& capability = row.architecture->compute_capability;
  capability ? cell.text(to_string(*capability)) : cell.null();
}

// Of what the row tells of a whole GPU, where that is asked.
template <auto answer, auto member, class Write>
void write_answer(Cell& cell, const Row& row, const Write& write) {
  row.whole_gpu && (*row.whole_gpu).*answer ? write((*((*row.whole_gpu).*answer)).*member) : cell.null();
}

template <auto answer, auto member>
void count_of(Cell& cell, const Row& row) {
  write_answer<answer, member>(cell, row, [&cell](const auto& number) { cell.number(std::int64_t{number}); });
}

template <auto answer, auto member>
void real_of(Cell& cell, const Row& row) {
  write_answer<answer, member>(cell, row, [&cell](double number) { cell.real(number); });
}

const Tail* tail_of(const Row& row) {
  return row.whole_gpu && row.whole_gpu->waves && row.whole_gpu->waves->tail ? &*row.whole_gpu->waves->tail : nullptr;
}

template <auto member>
void count_of_tail(Cell& cell, const Row& row) {
  const Tail* const tail = tail_of(row);
  tail == nullptr ? cell.null() : cell.number(std::int64_t{tail->*member});
}

void efficiency(Cell& cell, const Row& row) {
  const Tail* const tail = tail_of(row);
  tail == nullptr ? cell.null() : cell.real(tail->efficiency);
}

template <auto member>
void number_of_need(Cell& cell, const Row& row) {
  const bool is_known = row.whole_gpu && row.whole_gpu->latency && row.whole_gpu->latency->asked_need;
  is_known ? cell.number(std::int64_t{(*row.whole_gpu->latency->asked_need).*member}) : cell.null();
}

void is_bound(Cell& cell, const Row& row) {
  write_answer<&WholeGpu::clusters, &Clusters::is_bound>(cell, row, [&cell](bool bound) { cell.flag(bound); });
}

void is_covered(Cell& cell, const Row& row) {
  const bool is_known = row.whole_gpu && row.whole_gpu->latency && row.whole_gpu->latency->asked_need;
  is_known ? cell.flag(row.whole_gpu->latency->asked_need->covered) : cell.null();
}

void gpu_name(Cell& cell, const Row& row) {
  row.whole_gpu && !row.whole_gpu->part->name.empty() ? cell.foreign(row.whole_gpu->part->name) : cell.null();
}

template <auto member>
void dimensions_of(Cell& cell, const Row& row) {
  row.whole_gpu ? cell.dimensions((*row.whole_gpu).*member) : cell.null();
}

void bytes_in_flight(Cell& cell, const Row& row) {
  row.whole_gpu&& row.whole_gpu->latency ? cell.number(row.whole_gpu->latency->bytes_in_flight_per_sm) : cell.null();
}

void fma_warps(Cell& cell, const Row& row) {
  row.whole_gpu&& row.whole_gpu->latency ? cell.number(row.whole_gpu->latency->fma_warps_per_sm) : cell.null();
}

using Kind = Field::Kind;

constexpr auto waves = &WholeGpu::waves;
constexpr auto clusters = &WholeGpu::clusters;

constexpr Field fields[] = {
    {"schema", Kind::Key, [](Cell& cell, const Row&) { cell.text("occcalc/1"); }},
    {"compute_capability", Kind::Key, compute_capability},
    {"arch", Kind::Column, [](Cell& cell, const Row& row) { cell.text(row.arch); }},
    {"threads_per_block", Kind::Column, answer<&Occupancy::threads_per_block>},
    {"warps_per_block", Kind::Column, answer<&Occupancy::warps_per_block>},
    {"registers_per_thread", Kind::Column,
     [](Cell& cell, const Row& row) { cell.number(row.kernel.registers_per_thread); }},
    {"static_shared_memory", Kind::Column,
     [](Cell& cell, const Row& row) { cell.number(row.kernel.static_shared_memory); }},
    {"dynamic_shared_memory", Kind::Column, [](Cell& cell, const Row& row) { cell.number(dynamic_bytes(row.launch)); }},
    {"barriers", Kind::Column, [](Cell& cell, const Row& row) { cell.number(row.kernel.barriers); }},
    {"shared_memory_per_sm", Kind::Column, answer<&Occupancy::shared_memory_per_sm>},
    {"active_blocks_per_sm", Kind::Column, answer<&Occupancy::active_blocks_per_sm>},
    {"active_warps_per_sm", Kind::Column, answer<&Occupancy::active_warps_per_sm>},
    {"max_warps_per_sm", Kind::Column, answer<&Occupancy::max_warps_per_sm>},
    {"active_threads_per_sm", Kind::Column,
     [](Cell& cell, const Row& row) {
       cell.number(std::int64_t{row.occupancy.active_blocks_per_sm} * row.occupancy.threads_per_block);
     }},
    {"max_threads_per_sm", Kind::Column,
     [](Cell& cell, const Row& row) { cell.number(row.architecture->limits.max_threads_per_sm); }},
    {"occupancy", Kind::Column,
     [](Cell& cell, const Row& row) { cell.share(row.occupancy.active_warps_per_sm, row.occupancy.max_warps_per_sm); }},
    {"limiters", Kind::Column, [](Cell& cell, const Row& row) { cell.words(row.occupancy.limiters); }},
    {"limit_warps", Kind::Column, limit<Resource::Warps>},
    {"limit_blocks", Kind::Column, limit<Resource::Blocks>},
    {"limit_registers", Kind::Column, limit<Resource::Registers>},
    {"limit_shared_memory", Kind::Column, limit<Resource::SharedMemory>},
    {"limit_barriers", Kind::Column, limit<Resource::Barriers>},
    {"limit_virtual_resources", Kind::Column, limit<Resource::VirtualResources>},
    {"allocated_registers_per_block", Kind::Column,
     [](Cell& cell, const Row& row) { cell.number(row.occupancy.allocated_registers_per_block); }},
    {"allocated_shared_memory_per_block", Kind::Column, answer<&Occupancy::allocated_shared_memory_per_block>},
    {"launchable", Kind::Column, [](Cell& cell, const Row& row) { cell.flag(row.occupancy.launchable()); }},
    {"reasons", Kind::Column, [](Cell& cell, const Row& row) { cell.reasons(row); }},
    {"gpu", Kind::Answer, gpu_name, "gpu"},
    {"sm_count", Kind::Answer, [](Cell& cell, const Row& row) { cell.number(row.sm_count()); }, "gpu"},
    {"cluster", Kind::Answer, dimensions_of<&WholeGpu::cluster>, "clusters"},
    {"grid", Kind::Answer, dimensions_of<&WholeGpu::grid>, "waves"},
    {"max_active_clusters", Kind::TreeMember, count_of<clusters, &Clusters::max_active_clusters>, "clusters"},
    {"is_bound", Kind::TreeMember, is_bound, "clusters"},
    {"usable_sms", Kind::TreeMember, count_of<clusters, &Clusters::usable_sms>, "clusters"},
    {"cluster_occupancy", Kind::TreeMember, real_of<clusters, &Clusters::cluster_occupancy>, "clusters"},
    {"gpu_occupancy", Kind::TreeMember, real_of<clusters, &Clusters::gpu_occupancy>, "clusters"},
    {"grid_blocks", Kind::TreeMember, count_of<waves, &Waves::grid_blocks>, "waves"},
    {"blocks_per_wave", Kind::TreeMember, count_of<waves, &Waves::blocks_per_wave>, "waves"},
    {"waves_per_sm", Kind::TreeMember, real_of<waves, &Waves::waves>, "waves"},  // `waves` of the tree of that name
    {"full_waves", Kind::TreeMember, count_of_tail<&Tail::full_waves>, "waves"},
    {"tail_blocks", Kind::TreeMember, count_of_tail<&Tail::blocks>, "waves"},
    {"idle_sms", Kind::TreeMember, count_of_tail<&Tail::idle_sms>, "waves"},
    {"efficiency", Kind::TreeMember, efficiency, "waves"},
    {"average_occupancy_bound", Kind::TreeMember, real_of<waves, &Waves::average_occupancy_bound>, "waves"},
    {"achieved_occupancy_bound", Kind::TreeMember, real_of<waves, &Waves::achieved_occupancy_bound>, "waves"},
    {"bytes_in_flight_per_sm", Kind::TreeMember, bytes_in_flight, "latency"},
    {"bytes_in_flight_per_thread", Kind::TreeMember, number_of_need<&MemoryNeed::bytes_in_flight_per_thread>,
     "latency"},
    {"warps_to_cover_memory", Kind::TreeMember, number_of_need<&MemoryNeed::warps_per_sm>, "latency"},
    {"covered", Kind::TreeMember, is_covered, "latency"},
    {"warps_to_cover_arithmetic", Kind::TreeMember, fma_warps, "latency"},
    {"ceilings", Kind::Tree, nullptr},
    {"notes", Kind::Tree, nullptr},
    {"cliffs", Kind::Tree, nullptr},
    {"joint_cliff", Kind::Tree, nullptr},
    {"remedies", Kind::Tree, nullptr},
    {"staircases", Kind::Tree, nullptr},
    {"budget", Kind::Tree, nullptr},
    {"target", Kind::Tree, nullptr},
    {"block_sizes", Kind::Tree, nullptr},
    {"clusters", Kind::Tree, nullptr},
    {"waves", Kind::Tree, nullptr},
    {"latency", Kind::Tree, nullptr},
    {"explain", Kind::Tree, nullptr},
};

// A short text that is copied whole, so that its length need not be known beforehand.
template <std::size_t capacity>
struct ShortText {
  std::array<char, capacity> text{};
  std::size_t size = 0;

  constexpr void append(std::string_view more) {
    for (const char c : more) {
      text[size++] = c;
    }
  }
  char* append_to(char* at) const {
    std::memcpy(at, text.data(), capacity);
    return at + size;
  }
};

// The decimals of 0/whole to whole/whole: they are few, and finding the shortest is slow.
class Shares {
 public:
  static constexpr int most = 128;

  [[nodiscard]] char* append_to(char* at, int part, int whole) {
    // Few parts have other wholes than 32, 48 and 64, which differ in these bits.
    Texts& texts = texts_[static_cast<std::size_t>(whole) / 16 % texts_.size()];
    if (whole != texts.whole) {
      fill(whole, texts);
    }
    return texts.of_part[static_cast<std::size_t>(part)].append_to(at);
  }

 private:
  struct Texts {
    int whole = -1;
    std::array<ShortText<24>, most + 1> of_part{};
  };

  static void fill(int whole, Texts& texts) {
    for (int part = 0; part <= whole; ++part) {
      auto& share = texts.of_part[static_cast<std::size_t>(part)];
      share = {};
      share.append(shortest(whole == 0 ? 0.0 : static_cast<double>(part) / whole));
    }
    texts.whole = whole;
  }

  std::array<Texts, 4> texts_{};
};

constinit thread_local Shares shares;

// The names of every set of resources: registers+shared_memory, or ["registers","shared_memory"].
using SetTexts = std::array<ShortText<80>, std::size_t{1} << all_resources.size()>;

constexpr SetTexts set_texts(std::string_view begin, std::string_view separator, std::string_view end,
                             std::string_view none) {
  SetTexts texts;
  for (std::size_t bits = 0; bits < texts.size(); ++bits) {
    auto& text = texts[bits];
    for (const Resource resource : all_resources) {
      if ((bits >> static_cast<std::size_t>(resource) & 1U) != 0) {
        text.append(text.size == 0 ? begin : separator);
        text.append(to_string(resource));
      }
    }
    text.append(text.size == 0 ? none : end);
  }
  return texts;
}

constexpr SetTexts plain_sets = set_texts("", "+", "", "");
constexpr SetTexts json_sets = set_texts("[\"", "\",\"", "\"]", "[]");

// What stands before a field's value in a row of CSV, or in an object.
template <Cell::Format format, std::size_t index, std::size_t first>
constexpr auto before_field = [] {
  ShortText<40> text;
  if constexpr (format == Cell::Format::Json) {
    text.append(index == first ? "{\"" : ",\"");
    text.append(fields[index].name);
    text.append("\":");
  } else {
    text.append(index == first ? "" : ",");
  }
  return text;
}();

constexpr bool belongs(Cell::Format format, Field::Kind kind) {
  return kind == Kind::Column || (format == Cell::Format::Json && kind == Kind::Key);
}

constexpr std::size_t first_field(Cell::Format format) {
  std::size_t index = 0;
  while (!belongs(format, fields[index].kind)) {
    ++index;
  }
  return index;
}

template <Cell::Format format, std::size_t index>
void append_field(Cell& cell, const Row& row) {
  if constexpr (belongs(format, fields[index].kind)) {
    constexpr const auto& before = before_field<format, index, first_field(format)>;
    cell.raw({before.text.data(), before.size});
    fields[index].write(cell, row);  // known to the compiler, which puts all of them into one function
  }
}

template <Cell::Format format>
void append_fields(TextBuffer& out, const Row& row) {
  Cell cell(out, format);
  [&]<std::size_t... index>(std::index_sequence<index...>) { (append_field<format, index>(cell, row), ...); }
  (std::make_index_sequence<std::size(fields)>());
  if constexpr (format == Cell::Format::Json) {
    cell.literal("}");
  }
}

struct ToText {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(double fraction) const { return shortest(fraction); }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(const Words& words) const {
    std::string text;
    for (const std::string_view word : words) {
      text += text.empty() ? "" : "+";
      text += word;
    }
    return text;
  }
  std::string operator()(const Numbers& numbers) const {
    std::string text;
    for (const std::int64_t number : numbers) {
      text += (text.empty() ? "" : "+") + std::to_string(number);
    }
    return text;
  }
};

}  // namespace

std::span<const Field> configuration_fields() noexcept { return fields; }

void Cell::share(int part, int whole) {
  if (whole <= Shares::most && part <= whole) {
    at_ = shares.append_to(at_, part, whole);
  } else {
    raw(shortest(static_cast<double>(part) / whole));
  }
}

void Cell::words(const ResourceSet& resources) {
  at_ = (is_json() ? json_sets : plain_sets)[resources.bits()].append_to(at_);
}

void Cell::reasons(const Row& row) {
  if (is_json()) {
    out_.set_end(at_);
    append_reasons(out_, row);
    at_ = out_.room(row_room);
    return;
  }
  std::string_view before = "";
  for (const Reason& reason : row.reasons) {
    raw(before);
    raw(to_string(reason.code));
    before = "+";
  }
}

void Cell::passed(const PassedValue& value) { raw(is_json() ? value.json : as_cell(value.text, format_)); }

void Cell::foreign(std::string_view text) {
  if (format_ == Format::Csv && !needs_quotes(text)) {
    raw(text);
  } else {
    raw(is_json() ? json_string(text) : as_cell(text, format_));
  }
}

void Cell::texts(const std::vector<std::string>& values) {
  std::string text = is_json() ? "[" : "";
  for (const std::string& value : values) {
    const bool is_first = &value == values.data();
    text += is_json() ? (is_first ? "" : ",") + json_string(value) : (is_first ? "" : "; ") + value;
  }
  is_json() ? raw(text + "]") : foreign(text);
}

namespace {

// 16x16x1, or [16,16,1]
template <class Size>
std::string dimensions_text(const Size& size, bool is_json) {
  const char* const between = is_json ? "," : "x";
  const std::string text = std::to_string(size.x) + between + std::to_string(size.y) + between + std::to_string(size.z);
  return is_json ? "[" + text + "]" : text;
}

}  // namespace

void Cell::dimensions(const std::optional<Dim3>& size) { size ? raw(dimensions_text(*size, is_json())) : null(); }

void Cell::dimensions(const std::optional<Grid>& size) { size ? raw(dimensions_text(*size, is_json())) : null(); }

void Cell::real(const std::optional<double>& value) {
  if (value) {
    raw(shortest(*value));
  } else {
    null();
  }
}

namespace {

// ASCII of which nothing is to be replaced. Without an early end, so that compilers test many bytes at once.
bool is_plain(std::string_view text) noexcept {
  std::uint8_t found = 0;
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    found |=
        static_cast<std::uint8_t>(static_cast<std::uint8_t>(byte < 0x20) | static_cast<std::uint8_t>(byte >= 0x7f) |
                                  static_cast<std::uint8_t>(byte == '|'));
  }
  return found == 0;
}

}  // namespace

std::string as_cell(std::string_view text, Cell::Format format) {
  if (format == Cell::Format::Csv) {
    return csv_cell(text);
  }
  if (is_plain(text)) {
    return std::string(text);
  }
  std::string cell;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const unsigned next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    // One line, and no command to a terminal: the control characters of ASCII, and those of Unicode, U+0080 to U+009F.
    const bool is_c1 = byte == 0xc2 && next >= 0x80 && next < 0xa0;
    cell += text[i] == '|' && format == Cell::Format::Markdown ? "\\" : "";
    cell += byte < 0x20 || byte == 0x7f || is_c1 ? ' ' : text[i];
    i += is_c1 ? 1 : 0;
  }
  return cell;
}

void Cell::raw_long(std::string_view text) {
  out_.set_end(at_);
  out_.append(text);
  at_ = out_.room(row_room);
}

void append_csv(TextBuffer& out, const Row& row) { append_fields<Cell::Format::Csv>(out, row); }

void append_json(TextBuffer& out, const Row& row) { append_fields<Cell::Format::Json>(out, row); }

std::string plain_text(const Field& field, const Row& row) {
  TextBuffer text;
  {
    Cell cell(text, Cell::Format::Plain);
    field.append(cell, row);
  }
  return std::string(text.view());
}

Words words(const ResourceSet& resources) {
  Words words;
  for (const Resource resource : all_resources) {
    if (resources.contains(resource)) {
      words.push_back(to_string(resource));
    }
  }
  return words;
}

std::string to_text(const Value& value) { return std::visit(ToText(), value); }

}  // namespace occcalc::report
