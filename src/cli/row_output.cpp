#include "cli/row_output.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "cli/configuration.hpp"
#include "report/layout.hpp"
#include "report/numbers.hpp"

namespace occcalc::cli {

namespace {

using report::Row;

// What orders a row: numbers before texts, nothing last.
struct SortKey {
  enum class Kind : std::uint8_t { Number, Text, Missing };
  std::int64_t index = 0;
  Kind kind = Kind::Missing;
  double number = 0;
  std::string text{};
};

// Dimensions are ordered by their product: 16x2x1 is 32.
std::optional<double> product_of(std::string_view text) {
  double product = 1;
  while (!text.empty()) {
    double size = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), size);
    const auto taken = static_cast<std::size_t>(read.ptr - text.data());
    const bool goes_on = taken < text.size() && text[taken] == 'x' && taken + 1 < text.size();
    if (read.ec != std::errc() || (taken < text.size() && !goes_on)) {
      return std::nullopt;
    }
    product *= size;
    text.remove_prefix(std::min(text.size(), taken + 1));
  }
  return std::isfinite(product) ? std::optional(product) : std::nullopt;
}

SortKey key_of(const report::Field& field, const Row& row, std::int64_t index) {
  SortKey key{index};
  std::string text = plain_text(field, row);
  if (text.empty()) {
    return key;
  }
  if (const std::optional<double> number = product_of(text)) {
    key.kind = SortKey::Kind::Number;
    key.number = *number;
  } else {
    key.kind = SortKey::Kind::Text;
    key.text = std::move(text);
  }
  return key;
}

class Order {
 public:
  explicit Order(bool descending) : descending_(descending) {}
  bool operator()(const SortKey& a, const SortKey& b) const {
    if (a.kind != b.kind) {
      return a.kind < b.kind;
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

constexpr std::int64_t most_named_errors = 20;

}  // namespace

void HeldRows::walk(std::int64_t begin, std::int64_t end, const RowUse& use) const {
  for (std::int64_t i = begin; i < end; ++i) {
    use(rows_[static_cast<std::size_t>(i)], i);
  }
}

void HeldRows::pick(std::span<const std::int64_t> numbers, std::int64_t position, const RowUse& use) const {
  for (const std::int64_t number : numbers) {
    use(rows_[static_cast<std::size_t>(number)], position++);
  }
}

RowOutput::RowOutput(const Arguments& arguments, const Output& output, const report::Fields& known, const Asked& asked,
                     Gates gates)
    : arguments_(arguments),
      output_(output),
      fields_(choose_fields(output, asked, false, known)),
      sort_field_(output.sort.empty() ? nullptr : &find_plain_field("--sort", output.sort, known)),
      writer_(make_writer()),
      gates_(gates),
      file_(output.path) {
  notice_interrupts();
}

std::unique_ptr<report::RowWriter> RowOutput::make_writer() const {
  const report::Complete complete = [this](const Row& row) { return complete_report(arguments_, row); };
  switch (output_.format) {
    case Format::Json: return report::json_rows(fields_, true, complete);
    case Format::Jsonl: return report::json_rows(fields_, false, complete);
    case Format::Markdown: return report::markdown_rows(fields_);
    case Format::Values: return report::value_rows(fields_);
    default: return report::csv_rows(fields_);
  }
}

bool RowOutput::can_stream() const {
  const bool is_whole = output_.format == Format::Table || output_.format == Format::Svg;
  return !is_whole && sort_field_ == nullptr && !output_.top;
}

void RowOutput::append(const Row& row, Chunk& chunk) const {
  chunk.text.append(writer_->before(false));
  writer_->append(chunk.text, row);
  gates_.check(row, chunk.failing);
  ++chunk.rows;
}

ExitStatus RowOutput::stream(const TaskSource& tasks, const Progress::Whole& whole,
                             const std::function<std::int64_t()>& more_problems) {
  stream_all(tasks, whole, more_problems);
  return finish();
}

void RowOutput::stream_all(const TaskSource& tasks, const Progress::Whole& whole,
                           const std::function<std::int64_t()>& more_problems) {
  bool open = true;
  std::int64_t done = 0;
  {
    Progress progress(whole, whole.bytes > 0 ? "kernels" : "rows", can_show_progress(!output_.path.empty()));
    std::int64_t bytes = 0;
    run_chunks(tasks, [&](const Chunk& chunk) {
      if (!chunk.errors.empty()) {
        progress.clear();
        complain(chunk.errors);
      }
      std::string_view text = chunk.text.view();
      if (done == 0 && chunk.rows > 0) {  // the first row of all has something else before it
        text.remove_prefix(writer_->before(false).size());
        open = file_.write(writer_->head()) && file_.write(writer_->before(true));
      }
      counts_.add(chunk.failing);
      progress.show(done += chunk.rows, bytes += chunk.bytes);
      open = open && file_.write(text);
      return open && !interrupted();
    });
  }
  shown_ = done;
  problems_ += more_problems && !interrupted() ? more_problems() : 0;
  if (!open || interrupted() || (done == 0 && problems_ > 0)) {
    return;  // nothing is to be said beside the problems
  }
  static_cast<void>((done > 0 || file_.write(writer_->head())) && file_.write(writer_->tail(done == 0)));
}

ExitStatus RowOutput::write(const RowSource& rows) {
  if (sort_field_ != nullptr) {
    sort(rows);
  }
  if (interrupted()) {
    return answered;
  }
  shown_ = order_ ? static_cast<std::int64_t>(order_->size()) : rows.size();
  if (output_.top) {
    shown_ = std::min<std::int64_t>(shown_, *output_.top);
  }
  if (output_.format == Format::Svg || (output_.format == Format::Table && output_.columns.empty())) {
    write_table(rows);
  } else if (output_.format == Format::Table) {
    write_columns(rows);
  } else {
    stream_all(tasks_of(shown_,
                        [&](std::int64_t begin, std::int64_t end, Chunk& chunk) {
                          each(rows, begin, end, [&](const Row& row, std::int64_t) { append(row, chunk); });
                        }),
               {.rows = shown_}, nullptr);
  }
  return finish();
}

void RowOutput::complain(const std::vector<std::string>& errors) {
  for (const std::string& error : errors) {
    if (++problems_ <= most_named_errors) {
      write_stderr("occcalc: error: " + error);
    }
  }
}

ExitStatus RowOutput::finish() {
  if (interrupted()) {
    return answered;  // main() ends as the signal would
  }
  if (shown_ > 0 || problems_ == 0) {
    file_.commit();
  }
  if (problems_ > most_named_errors) {
    write_stderr("occcalc: error: " + report::grouped(problems_ - most_named_errors) + " more problems");
  }
  const bool met = gates_.judge(counts_, shown_);
  return problems_ > 0 ? could_not_answer : met ? answered : answered_no;
}

// Calls `use` for the shown rows from begin to end.
void RowOutput::each(const RowSource& rows, std::int64_t begin, std::int64_t end, const RowUse& use) const {
  if (order_) {
    rows.pick(std::span(*order_).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)), begin,
              use);
  } else {
    rows.walk(begin, end, use);
  }
}

// Calls `use` for the first `count` rows while it returns true and no signal came; shows how far it is.
void RowOutput::each_while(const RowSource& rows, std::int64_t count,
                           const std::function<bool(const Row&, std::int64_t)>& use) const {
  Progress progress({.rows = count}, "rows", can_show_progress(!output_.path.empty()));
  bool goes_on = true;
  constexpr std::int64_t step = 1024;
  for (std::int64_t begin = 0; begin < count && goes_on; begin += step) {
    const std::int64_t end = std::min(count, begin + step);
    each(rows, begin, end, [&](const Row& row, std::int64_t position) { goes_on = goes_on && use(row, position); });
    goes_on = goes_on && !interrupted();
    progress.show(end);
  }
}

// The row numbers in order; with --top only so many are kept.
void RowOutput::sort(const RowSource& rows) {
  const Order order(output_.descending);
  std::vector<SortKey> keys;
  const auto most = static_cast<std::size_t>(output_.top ? *output_.top : std::numeric_limits<int>::max());
  each_while(rows, rows.size(), [&](const Row& row, std::int64_t index) {
    SortKey key = key_of(*sort_field_, row, index);
    if (keys.size() < most) {
      keys.push_back(std::move(key));
      if (keys.size() == most) {
        std::make_heap(keys.begin(), keys.end(), order);
      }
    } else if (order(key, keys.front())) {
      std::pop_heap(keys.begin(), keys.end(), order);
      keys.back() = std::move(key);
      std::push_heap(keys.begin(), keys.end(), order);
    }
    return true;
  });
  std::sort(keys.begin(), keys.end(), order);
  order_.emplace();
  for (const SortKey& key : keys) {
    order_->push_back(key.index);
  }
}

void RowOutput::write_table(const RowSource& rows) {
  const std::unique_ptr<report::RowTable> table = rows.table(output_.style);
  bool open = true;
  each(rows, 0, std::min<std::int64_t>(shown_, 1),
       [&](const Row& first, std::int64_t) { open = file_.write(table->head(first)); });
  const auto append = [&](std::int64_t begin, std::int64_t end, Chunk& chunk) {
    each(rows, begin, end, [&](const Row& row, std::int64_t) {
      chunk.text.append(table->row(row));
      gates_.check(row, chunk.failing);
      ++chunk.rows;
    });
  };
  Progress progress({.rows = shown_}, "rows", can_show_progress(!output_.path.empty()));
  std::int64_t done = 0;
  const auto take = [&](const Chunk& chunk) {
    counts_.add(chunk.failing);
    progress.show(done += chunk.rows);
    open = open && file_.write(chunk.text.view());
    return open && !interrupted();
  };
  if (table->rows_stand_alone()) {
    run_chunks(tasks_of(shown_, append), take);
  } else {
    run_here(tasks_of(shown_, append), take);
  }
  progress.clear();
  if (open && !interrupted()) {
    static_cast<void>(file_.write(table->tail()));
  }
}

// Aligned columns need their widths first, so the rows are walked twice.
void RowOutput::write_columns(const RowSource& rows) {
  std::vector<std::size_t> widths;
  for (const report::Field* const field : fields_) {
    widths.push_back(report::display_width(field->name));
  }
  each_while(rows, shown_, [&](const Row& row, std::int64_t) {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      widths[i] = std::max(widths[i], report::display_width(plain_text(*fields_[i], row)));
    }
    return true;
  });
  if (interrupted()) {
    return;
  }
  const auto line = [&](const auto& cell) {
    std::string text;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      std::string value = cell(*fields_[i]);
      value = value.empty() ? "-" : value;
      value.append(widths[i] - std::min(widths[i], report::display_width(value)), ' ');
      text += (i == 0 ? "" : "  ") + value;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  bool open =
      file_.write(line([](const report::Field& field) { return as_cell(field.name, report::Cell::Format::Plain); }));
  each_while(rows, open ? shown_ : 0, [&](const Row& row, std::int64_t) {
    gates_.check(row, counts_);
    open = file_.write(line([&row](const report::Field& field) { return plain_text(field, row); }));
    return open;
  });
}

}  // namespace occcalc::cli
