#include "cli/sweep.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "cli/configuration.hpp"
#include "cli/output.hpp"
#include "cli/read_sweep.hpp"
#include "cli/row_output.hpp"
#include "cli/selection.hpp"
#include "input/lists.hpp"
#include "occcalc/error.hpp"
#include "occcalc/findings.hpp"
#include "occcalc/occupancy_table.hpp"
#include "occcalc/sweep.hpp"
#include "report/numbers.hpp"
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
      // In place: a copy of what was just stored would wait for the stores.
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

// The rows of a sweep, computed each time they are asked for.
class SweptRows : public RowSource {
 public:
  SweptRows(const Sweep& sweep, const SweepRows& rows) : sweep_(sweep), rows_(rows), evaluator_(sweep) {}

  [[nodiscard]] std::int64_t size() const override { return *rows_.size(); }

  void walk(std::int64_t begin, std::int64_t end, const RowUse& use) const override {
    Evaluator::Walk walk(evaluator_);
    SweepRows::Walker walker = rows_.from(begin);
    for (std::int64_t i = begin; i < end; ++i) {
      use(walk.evaluate(walker.row()), i);
      walker.next();
    }
  }

  void pick(std::span<const std::int64_t> numbers, std::int64_t position, const RowUse& use) const override {
    Evaluator::Walk walk(evaluator_);
    for (const std::int64_t number : numbers) {
      use(walk.evaluate(rows_.from(number).row()), position++);
    }
  }

  [[nodiscard]] std::unique_ptr<report::RowTable> table(report::Style style) const override {
    return std::make_unique<report::SweepTable>(shape(), style);
  }

 private:
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

  const Sweep& sweep_;
  const SweepRows& rows_;
  Evaluator evaluator_;
};

std::string row_count(double rows) {
  constexpr double most_exact = 1e15;
  return rows < most_exact ? report::grouped(static_cast<std::int64_t>(rows)) : report::shortest(rows);
}

}  // namespace

bool is_sweep(const Arguments& arguments) {
  return std::any_of(axes.begin(), axes.end(),
                     [&arguments](std::string_view option) { return input::is_list(arguments.values(option)); });
}

ExitStatus run_sweep(const Arguments& arguments) {
  const Output output = read_output(arguments);
  refuse_questions(arguments, output, false);
  check_questions(arguments);
  static_cast<void>(choose_fields(output, arguments, false, all_fields({})));  // complain before anything else
  const ArchCatalog catalog = read_catalog(arguments);
  const Sweep sweep = read_sweep(arguments, catalog);
  const SweepRows rows(sweep);
  if (!rows.size()) {
    throw InputError("sweep", "has " + row_count(rows.estimate()) + " rows; at most 10^12 are accepted");
  }
  return RowOutput(arguments, output, all_fields({}), Gates(arguments)).write(SweptRows(sweep, rows));
}

}  // namespace occcalc::cli
