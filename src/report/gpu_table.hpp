/// GPU products for people: a line each, or all that is known of one.
#pragma once

#include <array>
#include <span>
#include <string>
#include <tuple>

#include "report/rows.hpp"

namespace occcalc::report {

class GpuTable : public RowTable {
 public:
  using Cells = std::array<std::string, 8>;

  GpuTable(std::span<const Row> rows, Style style);

  [[nodiscard]] std::string head(const Row& first) override;
  [[nodiscard]] std::string row(const Row& row) override;
  [[nodiscard]] std::string tail() const override;

 private:
  [[nodiscard]] std::string line(const Cells& cells) const;

  std::array<std::size_t, std::tuple_size_v<Cells>> widths_{};
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
