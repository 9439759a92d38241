/// @file
/// Sweeps: the product of lists and ranges, walked without being stored.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "occcalc/arch_catalog.hpp"
#include "occcalc/kernel.hpp"

namespace occcalc {

/// Whole numbers in the order written: single ones and ranges with a step. A range costs no memory.
class NumberList {
 public:
  NumberList() = default;
  explicit NumberList(std::int64_t value) { add(value); }

  void add(std::int64_t value) { add(value, value, 1); }
  /// first, first + step ... up to `last`; first <= last, step >= 1.
  void add(std::int64_t first, std::int64_t last, std::int64_t step);

  /// How many; at most 2^63 - 1.
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] std::int64_t operator[](std::int64_t index) const noexcept;
  [[nodiscard]] std::int64_t greatest() const noexcept;
  /// A value that stands twice; nullopt if none does.
  [[nodiscard]] std::optional<std::int64_t> duplicate() const;

 private:
  struct Range {
    std::int64_t first;
    std::int64_t last;
    std::int64_t step;
    std::int64_t size;
    [[nodiscard]] std::optional<std::int64_t> shared(const Range& other) const noexcept;
  };
  std::vector<Range> ranges_;
  std::int64_t size_ = 0;
};

/// One architecture of a sweep, with the carveouts to try on it.
struct SweepPart {
  const Architecture* architecture = nullptr;
  std::string name;  ///< canonical, with its suffix
  std::vector<Carveout> carveouts{};
};

/// Lists whose product is the sweep. `kernel` and `launch` hold what does not vary.
struct Sweep {
  std::vector<SweepPart> parts{};
  std::vector<Dim3> shapes{};  ///< blocks given as dimensions; threads[i] stands for shapes[-1 - i] if negative
  NumberList threads{};        ///< threads per block
  std::optional<NumberList> registers{};  ///< nullopt: unknown
  NumberList static_memory{};
  NumberList dynamic_memory{};
  NumberList barriers{};
  KernelResources kernel{};
  LaunchConfig launch{};
};

/// The rows of a sweep, by number: arch, block, registers, static, dynamic, barriers, carveout, the last fastest.
class SweepRows {
 public:
  struct Row {
    const SweepPart* part = nullptr;
    KernelResources kernel{};
    LaunchConfig launch{};
  };

  /// Walks rows in their order, from any of them on.
  class Walker {
   public:
    [[nodiscard]] const Row& row() const noexcept { return row_; }
    /// The next row; undefined behind the last.
    void next();

   private:
    friend class SweepRows;
    static constexpr std::size_t axes = 6;  // carveout, barriers, dynamic, static, registers, block

    Walker(const Sweep& sweep, std::size_t part, std::int64_t index_in_part);
    void enter_part(std::size_t part);
    void set(std::size_t axis);

    const Sweep* sweep_;
    std::size_t part_ = 0;
    std::array<std::int64_t, axes> sizes_{};
    std::array<std::int64_t, axes> at_{};
    Row row_;
  };

  /// `sweep` must outlive the rows.
  explicit SweepRows(const Sweep& sweep);

  /// The number of rows; nullopt above 10^12.
  [[nodiscard]] std::optional<std::int64_t> size() const noexcept { return size_; }
  /// The number of rows, rounded, however many they are.
  [[nodiscard]] double estimate() const noexcept { return estimate_; }
  /// A walker at a row from 0 to size() - 1.
  [[nodiscard]] Walker from(std::int64_t index) const;

 private:
  const Sweep* sweep_;
  std::vector<std::int64_t> ends_;  // of each part's rows
  std::optional<std::int64_t> size_;
  double estimate_ = 0;
};

}  // namespace occcalc
