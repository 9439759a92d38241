#include "cli/given_rows.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <map>
#include <memory>
#include <optional>

#include "cli/configuration.hpp"
#include "cli/given_columns.hpp"
#include "cli/gpu_parts.hpp"
#include "cli/output.hpp"
#include "cli/read_sweep.hpp"
#include "cli/row_output.hpp"
#include "cli/selection.hpp"
#include "cli/whole_gpu.hpp"
#include "input/lists.hpp"
#include "input/records.hpp"
#include "input/text.hpp"
#include "input/utf8.hpp"
#include "input/values.hpp"
#include "occcalc/error.hpp"
#include "occcalc/findings.hpp"
#include "report/numbers.hpp"
#include "report/sweep_table.hpp"

namespace occcalc::cli {

namespace {

using input::Record;
using input::RecordValue;
using report::Row;

// [16,2,1], as our own JSON has it, is 16x2x1.
std::string as_dimensions(const std::string& text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') {
    return text;
  }
  std::string sizes = text.substr(1, text.size() - 2);
  std::erase(sizes, ' ');
  std::replace(sizes.begin(), sizes.end(), ',', 'x');
  return sizes;
}

// Rows of input with their answers.
class GivenRows {
 public:
  GivenRows(const Arguments& arguments, const ArchCatalog& catalog, Format format)
      : arguments_(arguments),
        catalog_(catalog),
        is_json_(format == Format::Json || format == Format::Jsonl),
        file_(*arguments.value("--from")),
        reader_([this](char* to, std::size_t size) { return file_.read(to, size); }, file_.name()),
        columns_(reader_, names_sms(arguments)),
        gpus_(read_gpu_parts(arguments, catalog)),
        questions_(arguments),
        options_(read_lists(with_archs(arguments, gpus_), catalog)),
        is_option_{arguments.has("--arch") || arguments.has("--gpu"),
                   arguments.has("--block"),
                   arguments.has("--regs"),
                   arguments.has("--smem-static") || arguments.has("--smem"),
                   arguments.has("--smem-dynamic") || arguments.has("--smem"),
                   arguments.has("--barriers"),
                   arguments.has("--carveout"),
                   arguments.has("--cluster"),
                   arguments.has("--grid"),
                   arguments.has("--gpu") || arguments.has("--arch"),
                   names_sms(arguments)},
        gpu_catalog_(needs_gpus() ? std::optional(read_gpu_catalog(arguments)) : std::nullopt),
        rows_each_(count_rows_each()) {
    const bool asks = columns_.has(Given::Grid) || columns_.has(Given::Cluster);
    for (const NamedPart& gpu : gpus_) {
      if (asks && !has_gpu() && gpu.part->sms.count == 0 && arguments.has("--gpu")) {
        throw InputError("--gpu",
                         "how many SMs " + input::abridged(gpu.part->name) +
                             " has is not known, or differs between its products; name one of them, or give --sms");
      }
    }
    for (const auto& [field, option] : {std::pair(Given::Arch, "--arch"), std::pair(Given::Block, "--block")}) {
      const bool follows = field == Given::Arch && columns_.has(Given::Gpu);  // from the product
      if (!columns_.has(field) && takes(field) && !follows && !reader_.is_empty()) {
        throw InputError(reader_.source(), "has no column " +
                                               std::string(given_names[static_cast<std::size_t>(field)]) +
                                               "; add it, or give " + option + " for all rows");
      }
    }
  }

  [[nodiscard]] const Columns& columns() const { return columns_; }
  /// Rows say what they run on.
  [[nodiscard]] bool has_gpu() const {
    return (columns_.has(Given::Gpu) && takes(Given::Gpu)) || (columns_.has(Given::SmCount) && takes(Given::SmCount));
  }
  /// Some rows of the input, of each of which the options make rows `begin` to `end`.
  struct Piece {
    std::shared_ptr<const input::RecordBlock> block;
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  /// nullopt at the end.
  [[nodiscard]] std::optional<Piece> next() {
    if (block_ == nullptr || next_begin_ >= rows_each_) {
      const std::int64_t most = std::max<std::int64_t>(1, most_rows_of_piece / rows_each_);
      std::optional<input::RecordBlock> block = reader_.next(static_cast<std::size_t>(most));
      if (!block) {
        return std::nullopt;
      }
      block_ = std::make_shared<const input::RecordBlock>(std::move(*block));
      next_begin_ = 0;
    }
    const std::int64_t begin = next_begin_;
    next_begin_ = std::min(rows_each_, begin + most_rows_of_piece);
    return Piece{block_, begin, next_begin_};
  }

  /// From now on next() waits for nothing. Thread-safe.
  void stop() { file_.stop(); }

  /// Calls `use` for the rows of a piece; what is wrong with some is appended to `errors`. Thread-safe.
  void read(const Piece& piece, const std::function<void(const Row&)>& use, std::vector<std::string>& errors) const {
    Parts parts;
    std::vector<std::string> said;  // of an earlier piece of the same rows
    reader_.read(
        *piece.block, [&](const Record& record) { evaluate(record, piece, parts, use); },
        piece.begin == 0 ? errors : said);
  }

 private:
  // What the name of a GPU may stand for, and the SMs that the options give them.
  struct Products {
    std::vector<const Gpu*> gpus{};
    std::optional<Sms> layout = std::nullopt;
  };

  // What rows named so far, by what they wrote.
  struct Parts {
    std::map<std::string, SweepPart, std::less<>> archs{};
    std::map<std::string, Products, std::less<>> products{};
  };

  [[nodiscard]] bool takes(Given field) const { return !is_option_[static_cast<std::size_t>(field)]; }

  static constexpr std::int64_t most_rows_of_piece = 4096;  // so that its text takes little memory

  // The most rows that the lists of the options make of one row of the input.
  [[nodiscard]] std::int64_t count_rows_each() const {
    Sweep sweep = options_;
    if (sweep.threads.size() == 0) {
      sweep.threads = NumberList(1);
    }
    if (sweep.parts.empty()) {  // one, whose `all` is as many carveouts as a part can have
      std::size_t carveouts = 0;
      for (const std::string& item : input::split_items("--carveout", arguments_.values("--carveout"))) {
        carveouts += input::equal_ignoring_case(item, "all") ? CarveoutSizes::capacity : 1;
      }
      sweep.parts.emplace_back();
      sweep.parts.back().carveouts.resize(std::max<std::size_t>(1, carveouts));
    }
    const SweepRows rows(sweep);
    const double count = rows.estimate() * static_cast<double>(questions_.launches());
    constexpr double most = 1e12;
    if (!rows.size() || count > most) {
      throw InputError("--from",
                       "the options make " + report::shortest(count) + " rows of each; at most 10^12 are accepted");
    }
    return *rows.size() * questions_.launches();
  }

  // Each row is the product of the options' lists, with its own values where there is no option.
  void evaluate(const Record& record, const Piece& piece, Parts& parts,
                const std::function<void(const Row&)>& use) const {
    Sweep sweep = options_;
    fill(record, parts, sweep);
    const SweepRows rows(sweep);
    const std::int64_t launches = questions_.launches();
    const std::int64_t end = std::min(*rows.size() * launches, piece.end);
    if (piece.begin >= end) {
      return;
    }
    Row row;
    row.line = record.line;
    for (const std::size_t column : columns_.passed()) {
      row.passed.push_back(passed_value(record.values[column]));
    }
    const WholeGpuQuestions::Launch own = launch_of(record);
    SweepRows::Walker walker = rows.from(piece.begin / launches);
    for (std::int64_t i = piece.begin; i < end; ++i) {
      const SweepRows::Row& from = walker.row();
      const SmLimits& sm = from.part->architecture->limits;
      row.arch = from.part->name;
      row.architecture = from.part->architecture;
      row.kernel = from.kernel;
      row.launch = from.launch;
      row.occupancy = compute_occupancy(sm, row.kernel, row.launch);
      row.reasons = find_reasons(sm, row.kernel, row.launch, row.occupancy);
      if (questions_.has_any() || has_gpu()) {
        const auto part = gpus_.size() == 1 ? 0 : static_cast<std::size_t>(from.part - sweep.parts.data());
        const WholeGpuQuestions::Launch launch = questions_.launch(i % launches, own);
        questions_.answer(launch, part_of(record, gpus_[part].part, launch, *from.part->architecture, parts), row);
      }
      use(row);
      if ((i + 1) % launches == 0) {
        walker.next();
      }
    }
  }

  [[nodiscard]] bool needs_gpus() const { return columns_.has(Given::Gpu) && takes(Given::Gpu); }

  // The products that a row names.
  const Products& products_of(const Record& record, const std::string& name, Parts& parts) const {
    auto known = parts.products.find(name);
    if (known == parts.products.end()) {
      Products products{find_gpus(*gpu_catalog_, columns_.where(record, Given::Gpu), name)};
      if (has_layout(arguments_)) {
        products.layout = read_layout(arguments_, products.gpus);
      }
      known = parts.products.emplace(name, std::move(products)).first;
    }
    return known->second;
  }

  // What the row runs on, where no option says it: the product that it names, and the SMs.
  [[nodiscard]] std::shared_ptr<const report::GpuPart> part_of(const Record& record,
                                                               const std::shared_ptr<const report::GpuPart>& of_options,
                                                               const WholeGpuQuestions::Launch& launch,
                                                               const Architecture& architecture, Parts& parts) const {
    const std::string* const name = value(record, Given::Gpu);
    const std::optional<int> sms = count(record, Given::SmCount, "SMs", input::most_sms);
    if (name == nullptr && !sms) {
      return of_options;
    }
    auto part = std::make_shared<report::GpuPart>(*of_options);
    if (name != nullptr) {
      const Products& products = products_of(record, *name, parts);
      const std::vector<const Gpu*>& gpus = products.gpus;
      require_agreement(
          columns_.where(record, Given::Gpu), *name, gpus,
          {.sms = !sms && !products.layout && (launch.grid || launch.cluster), .memory = asks_memory(arguments_)});
      *part = named_part(gpus, *name, architecture);
      part->sms = products.layout.value_or(part->sms);
    }
    if (sms && *sms != part->sms.count) {
      part->sms = {*sms};  // a part of it
    }
    return part;
  }

  // The grid and the cluster of the row, where no option gives them.
  [[nodiscard]] WholeGpuQuestions::Launch launch_of(const Record& record) const {
    WholeGpuQuestions::Launch launch;
    if (const std::string* const text = value(record, Given::Grid)) {
      launch.grid = input::read_grid(columns_.where(record, Given::Grid), as_dimensions(*text));
    }
    if (const std::string* const text = value(record, Given::Cluster)) {
      launch.cluster = input::read_cluster(columns_.where(record, Given::Cluster), as_dimensions(*text));
    }
    return launch;
  }

  void fill(const Record& record, Parts& parts, Sweep& sweep) const {
    if (takes(Given::Arch)) {
      sweep.parts = {part(record, parts)};
    }
    if (takes(Given::Block)) {
      const Dim3 block =
          input::read_block(columns_.where(record, Given::Block), required(record, Given::Block, "--block"));
      const bool is_line = block.y == 1 && block.z == 1;
      sweep.threads = NumberList(is_line ? block.x : -1);
      sweep.shapes = {block};
    }
    constexpr int most_barriers = 16;
    if (const auto registers = count(record, Given::Registers, "registers per thread", INT_MAX)) {
      sweep.registers = NumberList(*registers);
    }
    if (const auto barriers = count(record, Given::Barriers, "barriers", most_barriers)) {
      sweep.barriers = NumberList(*barriers);
    }
    if (const auto bytes = size(record, Given::StaticMemory)) {
      sweep.static_memory = NumberList(*bytes);
    }
    if (const auto bytes = size(record, Given::DynamicMemory)) {
      sweep.dynamic_memory = NumberList(*bytes);
    }
    // The capacity of the row's own architecture means nothing for another.
    if (takes(Given::Arch) || is_of_own_arch(record, sweep)) {
      set_capacity(record, sweep);
    }
  }

  // The architecture of the options is the row's own, or the row has none.
  [[nodiscard]] bool is_of_own_arch(const Record& record, const Sweep& sweep) const {
    const std::string* const own = columns_.value(record, Given::Arch);
    if (own == nullptr) {
      return true;
    }
    const Architecture* const architecture = catalog_.find(*own);
    return architecture != nullptr && std::all_of(sweep.parts.begin(), sweep.parts.end(), [&](const SweepPart& part) {
             return part.architecture == architecture;
           });
  }

  // As the row names it, or as its product has it.
  [[nodiscard]] std::string arch_of(const Record& record, Parts& parts) const {
    const std::string* const product = value(record, Given::Gpu);
    if (columns_.value(record, Given::Arch) != nullptr || product == nullptr) {
      return required(record, Given::Arch, "--arch");
    }
    const std::string where = columns_.where(record, Given::Gpu);
    const std::vector<const Gpu*>& gpus = products_of(record, *product, parts).gpus;
    const auto& capability = gpus.front()->compute_capability;
    if (!capability ||
        !std::all_of(gpus.begin(), gpus.end(), [&](const Gpu* gpu) { return gpu->compute_capability == capability; })) {
      throw InputError(where, "the architecture of " + input::abridged(*product) + " is not known; add a column arch");
    }
    return to_string(ArchName{*capability});
  }

  [[nodiscard]] SweepPart part(const Record& record, Parts& parts) const {
    const std::string name = arch_of(record, parts);
    auto known = parts.archs.find(name);
    if (known == parts.archs.end()) {
      NamedArchitecture named = find_named(catalog_, columns_.where(record, Given::Arch), name);
      SweepPart part{named.architecture, std::move(named.name)};
      read_carveouts(arguments_, part);
      known = parts.archs.emplace(name, std::move(part)).first;
    }
    return known->second;
  }

  void set_capacity(const Record& record, Sweep& sweep) const {
    const std::optional<std::int64_t> bytes = size(record, Given::Capacity);
    if (!bytes) {
      return;
    }
    for (SweepPart& part : sweep.parts) {
      const CarveoutSizes& sizes = part.architecture->limits.carveouts;
      if (std::find(sizes.begin(), sizes.end(), *bytes) == sizes.end()) {
        std::string accepted;
        for (const std::int64_t accepted_size : sizes) {
          accepted += (accepted.empty() ? "" : ", ") + std::to_string(accepted_size);
        }
        throw InputError(columns_.where(record, Given::Capacity),
                         "found " + std::to_string(*bytes) + "; accepted on " + part.name + ": " + accepted);
      }
      part.carveouts = {Carveout::bytes(*bytes)};
    }
  }

  [[nodiscard]] const std::string& required(const Record& record, Given field, const std::string& option) const {
    const std::string* const text = columns_.value(record, field);
    if (text == nullptr) {
      throw InputError(columns_.where(record, field), "is missing; give it, or " + option + " for all rows");
    }
    return *text;
  }

  // The value of the row, where it has one and no option gives it.
  [[nodiscard]] const std::string* value(const Record& record, Given field) const {
    return takes(field) ? columns_.value(record, field) : nullptr;
  }

  [[nodiscard]] std::optional<int> count(const Record& record, Given field, std::string_view what, int most) const {
    const std::string* const text = value(record, field);
    return text == nullptr ? std::nullopt
                           : std::optional(input::read_count(columns_.where(record, field), *text, what, 0, most));
  }

  [[nodiscard]] std::optional<std::int64_t> size(const Record& record, Given field) const {
    const std::string* const text = value(record, field);
    return text == nullptr ? std::nullopt : std::optional(input::read_size(columns_.where(record, field), *text));
  }

  [[nodiscard]] report::PassedValue passed_value(const RecordValue& value) const {
    if (value.is_missing) {
      return {"", "null"};
    }
    return {value.text, value.json.empty() && is_json_ ? input::to_json(value.text) : value.json};
  }

  const Arguments& arguments_;
  const ArchCatalog& catalog_;
  bool is_json_;
  InputFile file_;
  input::RecordReader reader_;
  Columns columns_;
  std::vector<NamedPart> gpus_;
  WholeGpuQuestions questions_;
  Sweep options_;
  std::array<bool, given_names.size()> is_option_;
  std::optional<GpuCatalog> gpu_catalog_;
  std::int64_t rows_each_;
  std::shared_ptr<const input::RecordBlock> block_;
  std::int64_t next_begin_ = 0;
};

// Rows that were read, kept for a sort or a table.
class HeldGivenRows : public HeldRows {
 public:
  HeldGivenRows(std::vector<Row> rows, std::span<const report::Field> passed)
      : HeldRows(std::move(rows)), passed_(passed) {}

  [[nodiscard]] std::unique_ptr<report::RowTable> table(report::Style style) const override {
    std::vector<std::string> names;
    for (const report::Field& field : passed_) {
      names.emplace_back(field.name);
    }
    return std::make_unique<report::SweepTable>(report::shape_of(rows(), std::move(names)), style);
  }

 private:
  std::span<const report::Field> passed_;
};

// More rows than are held: no InputError, which would be one of a row.
struct TooManyRows {};

// All rows, or the first that are asked for.
std::vector<Row> hold(GivenRows& given, const Output& output, RowOutput& rows_output) {
  constexpr std::size_t most_held = 1'000'000;
  const std::size_t wanted = output.top && output.sort.empty() ? static_cast<std::size_t>(*output.top) : SIZE_MAX;
  std::vector<Row> rows;
  const auto keep = [&](const Row& row) {
    if (rows.size() == most_held && rows.size() < wanted) {
      throw TooManyRows();
    }
    if (rows.size() < wanted) {
      rows.push_back(row);
    }
  };
  try {
    while (rows.size() < wanted && !interrupted()) {
      const std::optional<GivenRows::Piece> piece = given.next();
      if (!piece) {
        break;
      }
      std::vector<std::string> errors;
      given.read(*piece, keep, errors);
      rows_output.complain(errors);
    }
  } catch (const TooManyRows&) {
    throw InputError("--from",
                     "more than 1,000,000 rows are not held for a table, --sort or --top; write them with --csv or "
                     "--format jsonl");
  }
  return rows;
}

}  // namespace

ExitStatus run_given_rows(const Arguments& arguments) {
  const Output output = read_output(arguments);
  refuse_questions(arguments, output, false);
  check_questions(arguments);
  refuse_stdin_twice(arguments, "--from", arguments.values("--from"));
  const ArchCatalog catalog = read_catalog(arguments);
  GivenRows given(arguments, catalog, output.format);
  refuse_what_is_not_known(arguments, given.has_gpu());
  Asked asked = asked_by(arguments);
  for (const auto& [field, question] : {std::pair(Given::Grid, "waves"), std::pair(Given::Cluster, "clusters"),
                                        std::pair(Given::Gpu, "gpu"), std::pair(Given::SmCount, "gpu")}) {
    if (given.columns().has(field)) {
      asked.emplace_back(question);
    }
  }
  RowOutput rows_output(arguments, output, all_fields(given.columns().fields()), asked, Gates(arguments));
  if (!rows_output.can_stream()) {
    const HeldGivenRows rows(hold(given, output, rows_output), given.columns().fields());
    return rows_output.write(rows);
  }
  const auto next_task = [&]() -> Task {
    std::optional<GivenRows::Piece> piece = given.next();
    if (!piece) {
      return nullptr;
    }
    return [&, piece = std::move(*piece)](Chunk& chunk) {
      given.read(
          piece, [&](const Row& row) { rows_output.append(row, chunk); }, chunk.errors);
    };
  };
  return rows_output.stream({next_task, true, [&] { given.stop(); }}, {});
}

}  // namespace occcalc::cli
