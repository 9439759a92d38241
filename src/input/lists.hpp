/// Lists and ranges as users write them: `64,128,256`, `32:1024`, `32:128:32,256`.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "occcalc/grid.hpp"
#include "occcalc/sweep.hpp"

namespace occcalc::input {

/// The items of all the texts of an option, split at commas. Throws InputError for an empty item.
[[nodiscard]] std::vector<std::string> split_items(const std::string& where, const std::vector<std::string>& texts);

/// Whether the texts of an option name several values, or one in the syntax of a list or range.
[[nodiscard]] bool is_list(const std::vector<std::string>& texts);

/// A list of counts or sizes: `read` reads one value, `step` is that of a range without one. Throws InputError.
[[nodiscard]] NumberList read_numbers(const std::string& where, const std::vector<std::string>& texts,
                                      std::int64_t step, const std::function<std::int64_t(std::string_view)>& read);

/// Sizes in up to three dimensions: numbers and ranges of the first alone, and those with more.
template <class Shape>
struct ShapeList {
  NumberList numbers{};
  std::vector<Shape> shapes{};  ///< numbers[i] stands for shapes[-1 - i] if negative

  [[nodiscard]] std::int64_t size() const noexcept { return numbers.size(); }
  [[nodiscard]] Shape operator[](std::int64_t index) const {
    const std::int64_t number = numbers[index];
    Shape shape;
    shape.x = static_cast<decltype(shape.x)>(number);
    return number < 0 ? shapes[static_cast<std::size_t>(-1 - number)] : shape;
  }
};

/// Clusters and grids: numbers, ranges, dimensions. Throws InputError.
[[nodiscard]] ShapeList<Dim3> read_clusters(const std::string& where, const std::vector<std::string>& texts);
[[nodiscard]] ShapeList<Grid> read_grids(const std::string& where, const std::vector<std::string>& texts);

/// Blocks: thread counts, ranges, dimensions, `all` (32:1024:32). Fills threads and shapes of the sweep.
void read_blocks(const std::string& where, const std::vector<std::string>& texts, Sweep& sweep);

}  // namespace occcalc::input
