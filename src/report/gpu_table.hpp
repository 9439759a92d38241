/// GPU products for people: a line each, or all that is known of one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/rows.hpp"

namespace occcalc::report {

class GpuTable : public RowTable {
 public:
  GpuTable(std::span<const Row> rows, Style style);

  [[nodiscard]] std::string head(const Row& first) override;
  [[nodiscard]] std::string row(const Row& row) override;
  [[nodiscard]] std::string tail() const override;

 private:
  std::vector<std::string> lines_;  // the head, then the rows
  std::size_t next_ = 1;
  bool has_unknown_ = false;
  Style style_;
};

/// All that is known of each, with its sources.
class GpuDetails : public RowTable {
 public:
  explicit GpuDetails(Style style) : style_(style) {}

  [[nodiscard]] std::string head(const Row& first) override;
  [[nodiscard]] std::string row(const Row& row) override;
  [[nodiscard]] std::string tail() const override;

 private:
  std::string separator_;
  Style style_;
};

}  // namespace occcalc::report
