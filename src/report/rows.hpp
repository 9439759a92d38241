/// Writers of many configurations: each row on its own, so that a sweep is streamed and can be split among threads.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "report/fields.hpp"

namespace occcalc::report {

class RowWriter {
 public:
  RowWriter() = default;
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;
  RowWriter(RowWriter&&) = delete;
  RowWriter& operator=(RowWriter&&) = delete;
  virtual ~RowWriter() = default;

  /// What stands before the first row.
  [[nodiscard]] virtual std::string head() const { return ""; }
  /// What stands before a row, be it the first or another.
  [[nodiscard]] virtual std::string_view before(bool is_first) const {
    static_cast<void>(is_first);
    return "";
  }
  /// Appends a row. Thread-safe.
  virtual void append(TextBuffer& out, const Row& row) const = 0;
  /// What stands behind the last row.
  [[nodiscard]] virtual std::string tail(bool is_empty) const {
    static_cast<void>(is_empty);
    return "";
  }
};

/// Rows for people.
class RowTable {
 public:
  RowTable() = default;
  RowTable(const RowTable&) = delete;
  RowTable& operator=(const RowTable&) = delete;
  RowTable(RowTable&&) = delete;
  RowTable& operator=(RowTable&&) = delete;
  virtual ~RowTable() = default;

  /// What stands before the first row.
  [[nodiscard]] virtual std::string head(const Row& first) = 0;
  [[nodiscard]] virtual std::string row(const Row& row) = 0;
  /// What stands behind the last row.
  [[nodiscard]] virtual std::string tail() const = 0;
  /// Whether the text of a row depends on that row alone; row() is thread-safe then.
  [[nodiscard]] virtual bool rows_stand_alone() const { return false; }
};

using Fields = std::vector<const Field*>;

[[nodiscard]] std::unique_ptr<RowWriter> csv_rows(Fields fields);
[[nodiscard]] std::unique_ptr<RowWriter> value_rows(Fields fields);     ///< --get
[[nodiscard]] std::unique_ptr<RowWriter> markdown_rows(Fields fields);  ///< a table of GitHub's Markdown

/// Makes a full report of a row, for fields that only that has. Thread-safe.
using Complete = std::function<Report(const Row& row)>;

/// One object a line; `in_array` makes them the items of one array.
[[nodiscard]] std::unique_ptr<RowWriter> json_rows(Fields fields, bool in_array, Complete complete);

}  // namespace occcalc::report
