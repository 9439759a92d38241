#include "cli/sweep.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <span>

#include "cli/configuration.hpp"
#include "cli/gpu_parts.hpp"
#include "cli/output.hpp"
#include "cli/plot.hpp"
#include "cli/read_sweep.hpp"
#include "cli/row_output.hpp"
#include "cli/selection.hpp"
#include "cli/whole_gpu.hpp"
#include "input/lists.hpp"
#include "occcalc/error.hpp"
#include "occcalc/findings.hpp"
#include "occcalc/occupancy_table.hpp"
#include "occcalc/sweep.hpp"
#include "report/chart.hpp"
#include "report/layout.hpp"
#include "report/numbers.hpp"
#include "report/sweep_table.hpp"

namespace occcalc::cli {

namespace {

using report::Row;

constexpr std::array<std::string_view, 11> axes = {"--arch",         "--block",   "--regs",     "--smem-static",
                                                   "--smem-dynamic", "--smem",    "--barriers", "--carveout",
                                                   "--gpu",          "--cluster", "--grid"};

// Rows of a sweep with their answers.
class Evaluator {
 public:
  /// `gpus`: one for each part, or one for all.
  Evaluator(const Sweep& sweep, const WholeGpuQuestions& questions, std::span<const NamedPart> gpus)
      : sweep_(sweep), questions_(questions), gpus_(gpus) {
    for (const SweepPart& part : sweep.parts) {
      tables_.emplace_back(part.architecture->limits);
    }
  }

  /// The rows of one walk: what stays the same from row to row is not written again.
  class Walk {
   public:
    explicit Walk(const Evaluator& evaluator) : evaluator_(evaluator) {}

    /// `launch`: the number of the cluster and grid.
    [[nodiscard]] const Row& evaluate(const SweepRows::Row& from, std::int64_t launch) {
      if (part_ != from.part) {
        enter(*from.part);
      }
      row_.kernel = from.kernel;
      row_.launch = from.launch;
      // In place: a copy of what was just stored would wait for the stores.
      new (&row_.occupancy) Occupancy(table_->compute(from.kernel, from.launch));
      row_.reasons.clear();
      add_reasons(row_.architecture->limits, row_.kernel, row_.launch, row_.occupancy, row_.reasons);
      if (evaluator_.questions_.has_any()) {
        evaluator_.questions_.answer(evaluator_.questions_.launch(launch, {}), gpu_, row_);
      }
      return row_;
    }

   private:
    void enter(const SweepPart& part) {
      part_ = &part;
      const auto number = static_cast<std::size_t>(part_ - evaluator_.sweep_.parts.data());
      table_ = &evaluator_.tables_[number];
      gpu_ = evaluator_.gpus_[evaluator_.gpus_.size() == 1 ? 0 : number].part;
      row_.architecture = part.architecture;
      row_.arch = part.name;
    }

    const Evaluator& evaluator_;
    const SweepPart* part_ = nullptr;
    const OccupancyTable* table_ = nullptr;
    std::shared_ptr<const report::GpuPart> gpu_;
    Row row_;
  };

 private:
  const Sweep& sweep_;
  const WholeGpuQuestions& questions_;
  std::span<const NamedPart> gpus_;
  std::vector<OccupancyTable> tables_;
};

// Of the widest text.
template <class Shape>
std::size_t width_of(const input::ShapeList<Shape>& list) {
  std::size_t width = report::grouped(list.numbers.greatest()).size();
  for (const Shape& shape : list.shapes) {
    width = std::max(width, report::size_text({shape.x, shape.y, shape.z}).size());
  }
  return width;
}

// How the rows are drawn; nullopt: as a table.
using Drawing = std::optional<report::ChartTable::Writer>;

Drawing drawing_of(const Arguments& arguments, const Output& output) {
  using Writer = report::ChartTable::Writer;
  return output.format == Format::Svg ? Drawing(Writer::Svg)
         : arguments.has("--plot")    ? Drawing(Writer::Text)
                                      : Drawing();
}

// The rows of a sweep, computed each time they are asked for: each configuration with every cluster and grid.
class SweptRows : public RowSource {
 public:
  SweptRows(const Sweep& sweep, const SweepRows& rows, const WholeGpuQuestions& questions,
            std::span<const NamedPart> gpus, const Drawing& drawing)
      : drawing_(drawing),
        sweep_(sweep),
        rows_(rows),
        questions_(questions),
        gpus_(gpus),
        launches_(questions.launches()),
        evaluator_(sweep, questions, gpus) {}

  [[nodiscard]] std::int64_t size() const override { return *rows_.size() * launches_; }

  void walk(std::int64_t begin, std::int64_t end, const RowUse& use) const override {
    Evaluator::Walk walk(evaluator_);
    SweepRows::Walker walker = rows_.from(begin / launches_);
    std::int64_t launch = begin % launches_;
    for (std::int64_t i = begin; i < end; ++i) {
      use(walk.evaluate(walker.row(), launch), i);
      if (++launch == launches_) {
        launch = 0;
        walker.next();
      }
    }
  }

  void pick(std::span<const std::int64_t> numbers, std::int64_t position, const RowUse& use) const override {
    Evaluator::Walk walk(evaluator_);
    for (const std::int64_t number : numbers) {
      use(walk.evaluate(rows_.from(number / launches_).row(), number % launches_), position++);
    }
  }

  [[nodiscard]] std::unique_ptr<report::RowTable> table(report::Style style) const override {
    if (drawing_) {
      return std::make_unique<report::ChartTable>(chart_axes(shape().varies, static_cast<double>(size())), *drawing_,
                                                  style);
    }
    return std::make_unique<report::SweepTable>(shape(), style);
  }

 private:
  [[nodiscard]] report::SweepShape shape() const {
    const auto digits = [](const NumberList& list) { return report::grouped(list.greatest()).size(); };
    report::SweepShape shape;
    const auto set = [&shape](report::Axis axis, bool varies, std::size_t width) {
      shape.varies[static_cast<std::size_t>(axis)] = varies;
      shape.widths[static_cast<std::size_t>(axis)] = width;
    };
    const bool grows = sweep_.launch.dynamic_shared_memory_per_thread > 0 && sweep_.threads.size() > 1;
    std::size_t gpu_width = 0;
    for (const NamedPart& gpu : gpus_) {
      gpu_width = std::max(gpu_width, report::display_width(gpu.part->name));
    }
    std::size_t arch_width = 0;
    for (const SweepPart& part : sweep_.parts) {
      arch_width = std::max(arch_width, part.name.size());
    }
    const bool several_archs = std::any_of(sweep_.parts.begin(), sweep_.parts.end(), [this](const SweepPart& part) {
      return part.name != sweep_.parts.front().name;
    });
    std::size_t block_width = digits(sweep_.threads);
    for (const Dim3& block : sweep_.shapes) {
      block_width = std::max(block_width, report::block_text(block).size());
    }
    set(report::Axis::Gpu, gpus_.size() > 1, gpu_width);
    set(report::Axis::Arch, several_archs && gpus_.size() == 1, arch_width);
    set(report::Axis::Block, sweep_.threads.size() > 1, block_width);
    set(report::Axis::Registers, sweep_.registers && sweep_.registers->size() > 1,
        sweep_.registers ? digits(*sweep_.registers) : 0);
    set(report::Axis::StaticMemory, sweep_.static_memory.size() > 1, digits(sweep_.static_memory));
    set(report::Axis::DynamicMemory, sweep_.dynamic_memory.size() > 1 || grows, digits(sweep_.dynamic_memory));
    set(report::Axis::Barriers, sweep_.barriers.size() > 1, digits(sweep_.barriers));
    set(report::Axis::Carveout, sweep_.parts.front().carveouts.size() > 1, 10);
    shape.asked = questions_.asked();
    if (const auto* const clusters = questions_.clusters()) {
      set(report::Axis::Cluster, clusters->size() > 1, width_of(*clusters));
    }
    if (const auto* const grids = questions_.grids()) {
      set(report::Axis::Grid, grids->size() > 1, width_of(*grids));
    }
    return shape;
  }

  Drawing drawing_;
  const Sweep& sweep_;
  const SweepRows& rows_;
  const WholeGpuQuestions& questions_;
  std::span<const NamedPart> gpus_;
  std::int64_t launches_;
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
  refuse_what_is_not_known(arguments);
  check_questions(arguments);
  const Asked asked = asked_by(arguments);
  static_cast<void>(choose_fields(output, asked, false, all_fields({})));  // complain before anything else
  const WholeGpuQuestions questions(arguments);
  const ArchCatalog catalog = read_catalog(arguments);
  const std::vector<NamedPart> gpus = read_gpu_parts(arguments, catalog);
  const Sweep sweep = read_sweep(with_archs(arguments, gpus), catalog);
  const SweepRows rows(sweep);
  const double count = rows.estimate() * static_cast<double>(questions.launches());
  constexpr double most = 1e12;
  if (!rows.size() || count > most) {
    throw InputError("sweep", "has " + row_count(count) + " rows; at most 10^12 are accepted");
  }
  const SweptRows swept(sweep, rows, questions, gpus, drawing_of(arguments, output));
  if (draws(arguments, output)) {
    static_cast<void>(swept.table(output.style));  // complains of what is no chart, before anything is written
  }
  return RowOutput(arguments, output, all_fields({}), asked, Gates(arguments)).write(swept);
}

}  // namespace occcalc::cli
