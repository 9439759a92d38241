/// Many rows on their way to the output: sorted, gated, in any format.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/chunks.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/gates.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/selection.hpp"
#include "report/fields.hpp"
#include "report/rows.hpp"

namespace occcalc::cli {

using RowUse = std::function<void(const report::Row& row, std::int64_t position)>;

/// Rows that can be had again, in any order.
class RowSource {
 public:
  RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;
  RowSource(RowSource&&) = delete;
  RowSource& operator=(RowSource&&) = delete;
  virtual ~RowSource() = default;

  [[nodiscard]] virtual std::int64_t size() const = 0;
  /// Calls `use` for the rows from begin to end, one after the other. Thread-safe.
  virtual void walk(std::int64_t begin, std::int64_t end, const RowUse& use) const = 0;
  /// Calls `use` for the rows of these numbers; positions begin at `position`. Thread-safe.
  virtual void pick(std::span<const std::int64_t> numbers, std::int64_t position, const RowUse& use) const = 0;
  /// The table that people read by default.
  [[nodiscard]] virtual std::unique_ptr<report::RowTable> table(report::Style style) const = 0;
};

/// Rows that are held in memory.
class HeldRows : public RowSource {
 public:
  explicit HeldRows(std::vector<report::Row> rows) : rows_(std::move(rows)) {}

  [[nodiscard]] std::int64_t size() const override { return static_cast<std::int64_t>(rows_.size()); }
  void walk(std::int64_t begin, std::int64_t end, const RowUse& use) const override;
  void pick(std::span<const std::int64_t> numbers, std::int64_t position, const RowUse& use) const override;

 protected:
  [[nodiscard]] const std::vector<report::Row>& rows() const noexcept { return rows_; }

 private:
  std::vector<report::Row> rows_;
};

/// The output options applied to rows. `known`: their fields.
class RowOutput {
 public:
  /// Complains of wrong fields. Throws InputError.
  RowOutput(const Arguments& arguments, const Output& output, const report::Fields& known, const Asked& asked,
            Gates gates);

  /// Whether the rows can be written as they come, each once.
  [[nodiscard]] bool can_stream() const;
  /// Writes rows as they come. `more_problems` is asked, after the last row, for what else is wrong with the inputs; it
  /// says it, and how much.
  [[nodiscard]] ExitStatus stream(const TaskSource& tasks, const Progress::Whole& whole,
                                  const std::function<std::int64_t()>& more_problems = nullptr);
  /// Appends a row to a chunk of a stream. Thread-safe.
  void append(const report::Row& row, Chunk& chunk) const;

  /// Says what is wrong with the input; the first ones by name.
  void complain(const std::vector<std::string>& errors);
  /// How much was wrong with the input.
  [[nodiscard]] std::int64_t problems() const noexcept { return problems_; }
  [[nodiscard]] std::int64_t shown() const noexcept { return shown_; }

  /// Writes rows in the order and the number asked for.
  [[nodiscard]] ExitStatus write(const RowSource& rows);

 private:
  [[nodiscard]] std::unique_ptr<report::RowWriter> make_writer() const;
  void each(const RowSource& rows, std::int64_t begin, std::int64_t end, const RowUse& use) const;
  void each_while(const RowSource& rows, std::int64_t count,
                  const std::function<bool(const report::Row&, std::int64_t)>& use) const;
  void sort(const RowSource& rows);
  void stream_all(const TaskSource& tasks, const Progress::Whole& whole,
                  const std::function<std::int64_t()>& more_problems);
  void write_table(const RowSource& rows);
  void write_columns(const RowSource& rows);
  [[nodiscard]] ExitStatus finish();

  const Arguments& arguments_;
  const Output& output_;
  report::Fields fields_;
  const report::Field* sort_field_ = nullptr;
  std::unique_ptr<report::RowWriter> writer_;
  Gates gates_;
  OutputFile file_;
  std::int64_t shown_ = 0;
  std::int64_t problems_ = 0;
  std::optional<std::vector<std::int64_t>> order_;
  GateCounts counts_;
};

}  // namespace occcalc::cli
