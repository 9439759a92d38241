#include "cli/sweep.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "cli/chunks.hpp"
#include "cli/configuration.hpp"
#include "cli/files.hpp"
#include "cli/gates.hpp"
#include "cli/output.hpp"
#include "cli/read_sweep.hpp"
#include "cli/selection.hpp"
#include "input/lists.hpp"
#include "occcalc/error.hpp"
#include "occcalc/occupancy_table.hpp"
#include "occcalc/sweep.hpp"
#include "report/numbers.hpp"
#include "report/rows.hpp"
#include "report/sweep_table.hpp"

namespace occcalc::cli {

namespace {

using report::Row;

constexpr std::array<std::string_view, 8> axes = {"--arch",         "--block", "--regs",     "--smem-static",
                                                  "--smem-dynamic", "--smem",  "--barriers", "--carveout"};

// Rows of a sweep with their answers.
class Evaluator {
 public:
  explicit Evaluator(const Sweep& sweep) : sweep_(sweep) {
    for (const SweepPart& part : sweep.parts) {
      tables_.emplace_back(part.architecture->limits);
    }
  }

  /// The rows of one walk: what stays the same from row to row is not written again.
  class Walk {
   public:
    explicit Walk(const Evaluator& evaluator) : evaluator_(evaluator) {}

    [[nodiscard]] const Row& evaluate(const SweepRows::Row& from) {
      if (part_ != from.part) {
        enter(*from.part);
      }
      row_.kernel = from.kernel;
      row_.launch = from.launch;
      new (&row_.occupancy) Occupancy(table_->compute(from.kernel, from.launch));
      row_.reasons.clear();
      add_reasons(row_.architecture->limits, row_.kernel, row_.launch, row_.occupancy, row_.reasons);
      return row_;
    }

   private:
    void enter(const SweepPart& part) {
      part_ = &part;
      table_ = &evaluator_.tables_[static_cast<std::size_t>(part_ - evaluator_.sweep_.parts.data())];
      row_.architecture = part.architecture;
      row_.arch = part.name;
    }

    const Evaluator& evaluator_;
    const SweepPart* part_ = nullptr;
    const OccupancyTable* table_ = nullptr;
    Row row_;
  };

 private:
  const Sweep& sweep_;
  std::vector<OccupancyTable> tables_;
};

// Says how far it is, on a terminal, once a second has passed.
class Progress {
 public:
  explicit Progress(std::int64_t rows) : rows_(rows), shown_(can_show_progress()) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  Progress(Progress&&) = delete;
  Progress& operator=(Progress&&) = delete;
  ~Progress() {
    if (is_drawn_) {
      write_stderr_text("\r\x1b[K");
    }
  }

  void show(std::int64_t done) {
    const auto now = std::chrono::steady_clock::now();
    if (!shown_ || now < next_) {
      return;
    }
    next_ = now + std::chrono::milliseconds(200);
    is_drawn_ = true;
    write_stderr_text("\r\x1b[K" + std::to_string(done * 100 / rows_) + " %" + " of " + report::grouped(rows_) +
                      " rows");
  }

 private:
  std::int64_t rows_;
  bool shown_;
  bool is_drawn_ = false;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
};

// What orders a row: numbers before texts, nothing last.
struct SortKey {
  std::int64_t index = 0;
  bool is_missing = false;
  double number = 0;
  std::string text{};
};

SortKey key_of(const report::Field& field, const Row& row, std::int64_t index) {
  SortKey key{index};
  std::string text = plain_text(field, row);
  char* end = nullptr;
  key.number = std::strtod(text.c_str(), &end);
  key.is_missing = text.empty();
  if (!text.empty() && *end != '\0') {
    key.number = 0;
    key.text = std::move(text);
  }
  return key;
}

class Order {
 public:
  explicit Order(bool descending) : descending_(descending) {}
  bool operator()(const SortKey& a, const SortKey& b) const {
    if (a.is_missing != b.is_missing) {
      return b.is_missing;
    }
    if (a.number != b.number) {
      return descending_ ? a.number > b.number : a.number < b.number;
    }
    if (a.text != b.text) {
      return descending_ ? a.text > b.text : a.text < b.text;
    }
    return a.index < b.index;
  }

 private:
  bool descending_;
};

// A sweep on its way to the output.
class Run {
 public:
  Run(const Arguments& arguments, const Output& output, const Sweep& sweep, std::int64_t rows)
      : arguments_(arguments),
        output_(output),
        sweep_(sweep),
        all_(sweep),
        evaluator_(sweep),
        gates_(arguments),
        rows_(rows),
        file_(output.path) {}

  ExitStatus run() {
    notice_interrupts();
    if (!output_.sort.empty()) {
      sort();
    }
    if (interrupted()) {
      return answered;
    }
    shown_ = order_ ? static_cast<std::int64_t>(order_->size()) : rows_;
    if (output_.top) {
      shown_ = std::min<std::int64_t>(shown_, *output_.top);
    }
    if (output_.format == Format::Table && output_.columns.empty()) {
      write_table();
    } else if (output_.format == Format::Table) {
      write_columns();
    } else {
      write_rows();
    }
    if (interrupted()) {
      return answered;  // main() ends as the signal would
    }
    file_.commit();
    return gates_.judge(counts_, shown_, sweep_.registers.has_value()) ? answered : answered_no;
  }

 private:
  // Calls `use(row, position)` for the shown rows from begin to end.
  template <class Use>
  void each(std::int64_t begin, std::int64_t end, const Use& use) const {
    Evaluator::Walk walk(evaluator_);
    if (order_) {
      for (std::int64_t i = begin; i < end; ++i) {
        use(walk.evaluate(all_.from((*order_)[static_cast<std::size_t>(i)]).row()), i);
      }
      return;
    }
    SweepRows::Walker walker = all_.from(begin);
    for (std::int64_t i = begin; i < end; ++i) {
      use(walk.evaluate(walker.row()), i);
      walker.next();
    }
  }

  // The row numbers in order; with --top only so many are kept.
  void sort() {
    const report::Field& field = find_plain_field("--sort", output_.sort);
    const Order order(output_.descending);
    std::vector<SortKey> keys;
    const auto most = static_cast<std::size_t>(output_.top ? *output_.top : std::numeric_limits<int>::max());
    each_while(rows_, [&](const Row& row, std::int64_t index) {
      SortKey key = key_of(field, row, index);
      if (keys.size() < most) {
        keys.push_back(std::move(key));
        std::push_heap(keys.begin(), keys.end(), order);
      } else if (order(key, keys.front())) {
        std::pop_heap(keys.begin(), keys.end(), order);
        keys.back() = std::move(key);
        std::push_heap(keys.begin(), keys.end(), order);
      }
      return true;
    });
    std::sort_heap(keys.begin(), keys.end(), order);
    order_.emplace();
    for (const SortKey& key : keys) {
      order_->push_back(key.index);
    }
  }

  [[nodiscard]] std::unique_ptr<report::RowWriter> writer() const {
    report::Fields fields = choose_fields(output_, arguments_, false);
    const report::Complete complete = [this](const Row& row) { return complete_report(arguments_, row); };
    switch (output_.format) {
      case Format::Json: return report::json_rows(std::move(fields), true, complete);
      case Format::Jsonl: return report::json_rows(std::move(fields), false, complete);
      case Format::Markdown: return report::markdown_rows(std::move(fields));
      case Format::Values: return report::value_rows(std::move(fields));
      default: return report::csv_rows(std::move(fields));
    }
  }

  void write_rows() {
    const std::unique_ptr<report::RowWriter> rows = writer();
    Progress progress(shown_);
    bool open = file_.write(rows->head());
    std::int64_t done = 0;
    const auto make = [&](std::int64_t begin, std::int64_t end, Chunk& chunk) {
      each(begin, end, [&](const Row& row, std::int64_t position) {
        rows->append(chunk.text, row, position == 0);
        gates_.check(row, chunk.failing);
      });
    };
    run_chunks(tasks_of(open ? shown_ : 0, make), [&](const Chunk& chunk) {
      counts_.add(chunk.failing);
      progress.show(done += chunk.rows);
      open = file_.write(chunk.text.view());
      return open && !interrupted();
    });
    if (open && !interrupted()) {
      static_cast<void>(file_.write(rows->tail(shown_ == 0)));
    }
  }

  void write_table() {
    report::SweepTable table(shape(), output_.style);
    bool open = true;
    each_while(shown_, [&](const Row& row, std::int64_t position) {
      std::string text = position == 0 ? table.head(row) : "";
      text += table.row(row);
      gates_.check(row, counts_);
      open = file_.write(text);
      return open;
    });
    if (open && !interrupted()) {
      static_cast<void>(file_.write(table.tail()));
    }
  }

  // Aligned columns need their widths first, so the rows are walked twice.
  void write_columns() {
    const report::Fields fields = choose_fields(output_, arguments_, false);
    std::vector<std::size_t> widths;
    for (const report::Field* const field : fields) {
      widths.push_back(field->name.size());
    }
    each_while(shown_, [&](const Row& row, std::int64_t) {
      for (std::size_t i = 0; i < fields.size(); ++i) {
        widths[i] = std::max(widths[i], plain_text(*fields[i], row).size());
      }
      return true;
    });
    if (interrupted()) {
      return;
    }
    const auto line = [&](const auto& cell) {
      std::string text;
      for (std::size_t i = 0; i < fields.size(); ++i) {
        std::string value = cell(*fields[i]);
        value = value.empty() ? "-" : value;
        value.resize(std::max(value.size(), widths[i]), ' ');
        text += (i == 0 ? "" : "  ") + value;
      }
      text.erase(text.find_last_not_of(' ') + 1);
      return text + "\n";
    };
    bool open = file_.write(line([](const report::Field& field) { return std::string(field.name); }));
    each_while(open ? shown_ : 0, [&](const Row& row, std::int64_t) {
      gates_.check(row, counts_);
      open = file_.write(line([&row](const report::Field& field) { return plain_text(field, row); }));
      return open;
    });
  }

  // Calls `use(row, position)` for the first `rows` rows while it returns true and no signal came; shows how far it is.
  template <class Use>
  void each_while(std::int64_t rows, const Use& use) const {
    Progress progress(rows);
    bool goes_on = true;
    constexpr std::int64_t step = 1024;
    for (std::int64_t begin = 0; begin < rows && goes_on; begin += step) {
      const std::int64_t end = std::min(rows, begin + step);
      each(begin, end, [&](const Row& row, std::int64_t position) { goes_on = goes_on && use(row, position); });
      goes_on = goes_on && !interrupted();
      progress.show(end);
    }
  }

  [[nodiscard]] report::SweepShape shape() const {
    const auto digits = [](const NumberList& list) { return report::grouped(list.greatest()).size(); };
    report::SweepShape shape;
    shape.varies = {sweep_.parts.size() > 1,
                    sweep_.threads.size() > 1,
                    sweep_.registers && sweep_.registers->size() > 1,
                    sweep_.static_memory.size() > 1,
                    sweep_.dynamic_memory.size() > 1 ||
                        (sweep_.launch.dynamic_shared_memory_per_thread > 0 && sweep_.threads.size() > 1),
                    sweep_.barriers.size() > 1,
                    sweep_.parts.front().carveouts.size() > 1};
    shape.widths = {0,
                    digits(sweep_.threads),
                    sweep_.registers ? digits(*sweep_.registers) : 0,
                    digits(sweep_.static_memory),
                    digits(sweep_.dynamic_memory),
                    digits(sweep_.barriers),
                    10};
    for (const SweepPart& part : sweep_.parts) {
      shape.widths[0] = std::max(shape.widths[0], part.name.size());
    }
    for (const Dim3& block : sweep_.shapes) {
      shape.widths[1] = std::max(shape.widths[1], std::to_string(block.x).size() + std::to_string(block.y).size() +
                                                      std::to_string(block.z).size() + 2);
    }
    return shape;
  }

  const Arguments& arguments_;
  const Output& output_;
  const Sweep& sweep_;
  SweepRows all_;
  Evaluator evaluator_;
  Gates gates_;
  std::int64_t rows_;
  std::int64_t shown_ = 0;
  OutputFile file_;
  std::optional<std::vector<std::int64_t>> order_;
  GateCounts counts_;
};

}  // namespace

bool is_sweep(const Arguments& arguments) {
  return std::any_of(axes.begin(), axes.end(),
                     [&arguments](std::string_view option) { return input::is_list(arguments.values(option)); });
}

ExitStatus run_sweep(const Arguments& arguments) {
  const Output output = read_output(arguments);
  refuse_questions(arguments, output, false);
  static_cast<void>(choose_fields(output, arguments, false));  // complain before anything is written
  const ArchCatalog catalog = read_catalog(arguments);
  const Sweep sweep = read_sweep(arguments, catalog);
  const SweepRows rows(sweep);
  if (!rows.size()) {
    throw InputError("sweep", "has " + report::shortest(rows.estimate()) + " rows; at most 10^12 are accepted");
  }
  Run run(arguments, output, sweep, *rows.size());
  return run.run();
}

}  // namespace occcalc::cli
