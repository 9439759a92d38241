/// Kernels for people: one line each, name last, what the inputs cannot say once below.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/rows.hpp"

namespace occcalc::report {

/// What the table says of all kernels together.
struct KernelSummary {
  std::int64_t kernels = 0;
  std::int64_t lines = 0;          ///< identical ones count once
  std::int64_t architectures = 0;  ///< shown
  std::int64_t others = 0;         ///< architectures that a filter left out
  /// Architectures that the kernels were compiled for, where they are evaluated on another.
  std::int64_t compiled_architectures = 0;
  std::int64_t impossible = 0;  ///< kernels that cannot launch
  std::int64_t spilling = 0;
  std::int64_t spills_unknown = 0;
  std::int64_t assumed_blocks = 0;
  std::int64_t assumed_memory = 0;
  std::vector<std::string> binding{};  ///< "registers 9", most often first
  std::vector<std::string> remarks{};  ///< more lines
};

/// The lines of the table; rows must outlive it.
class KernelTable : public RowTable {
 public:
  KernelTable(std::span<const Row> rows, KernelSummary summary, Style style);

  [[nodiscard]] std::string head(const Row& first) override;
  [[nodiscard]] std::string row(const Row& row) override;
  [[nodiscard]] std::string tail() const override;
  [[nodiscard]] bool rows_stand_alone() const override { return true; }

  struct Column {
    std::string_view head;
    void (*append)(std::string& line, const Row& row);
    bool (*has_value)(const Row& row);
    bool is_text = false;  ///< on the left
    bool is_shown = false;
    std::size_t width = 0;
  };

 private:
  static void pad(std::string& line, std::size_t begin, const Column& column);

  std::vector<Column> columns_;
  KernelSummary summary_;
  bool has_waves_ = false;
  bool has_bounds_ = false;  // of clusters
  std::string latency_legend_;
  Style style_;
};

}  // namespace occcalc::report
