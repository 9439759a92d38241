#include "input/lists.hpp"

#include <algorithm>

#include "input/text.hpp"
#include "input/values.hpp"
#include "occcalc/error.hpp"

namespace occcalc::input {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    if (end == text.size()) {
      return parts;
    }
    begin = end + 1;
  }
}

[[noreturn]] void refuse(const std::string& where, const std::string& item, const std::string& what) {
  throw InputError(where, "'" + item + "': " + what);
}

// FIRST:LAST or FIRST:LAST:STEP
std::vector<std::string> range_parts(const std::string& where, const std::string& item) {
  std::vector<std::string> parts = split(item, ':');
  const bool has_empty = std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); });
  if (parts.size() > 3 || has_empty) {
    refuse(where, item, "a range is FIRST:LAST or FIRST:LAST:STEP");
  }
  if (parts.size() == 3 && parts[2].find_first_not_of('0') == std::string::npos) {
    refuse(where, item, "the step must be at least 1");
  }
  return parts;
}

void add_range(const std::string& where, const std::string& item, std::int64_t default_step,
               const std::function<std::int64_t(std::string_view)>& read, NumberList& list) {
  const std::vector<std::string> parts = range_parts(where, item);
  const std::int64_t first = read(parts[0]);
  const std::int64_t last = read(parts[1]);
  const std::int64_t step = parts.size() == 3 ? read(parts[2]) : default_step;
  if (first > last) {
    refuse(where, item, "the first value is above the last; write " + parts[1] + ":" + parts[0]);
  }
  list.add(first, last, step);
}

void require_unique(const std::string& where, const NumberList& list, std::string_view hint) {
  if (const std::optional<std::int64_t> twice = list.duplicate()) {
    throw InputError(where,
                     "the value " + std::to_string(*twice) + " stands twice; name each once" + std::string(hint));
  }
}

void refuse_twice(const std::string& where, const std::string& item) {
  throw InputError(where, "'" + item + "' stands twice; name each once");
}

// `read` reads one, with up to three dimensions.
template <class Shape>
std::int64_t read_line(const std::string& where, std::string_view text,
                       Shape (*read)(const std::string&, std::string_view)) {
  const Shape shape = read(where, text);
  if (text.find_first_of("xX") != std::string_view::npos) {
    refuse(where, std::string(text), "dimensions have no range");
  }
  return shape.x;
}

template <class Shape>
void add_shape(const std::string& where, const std::string& item, const Shape& shape, NumberList& numbers,
               std::vector<Shape>& shapes) {
  if (shape.y == 1 && shape.z == 1) {
    numbers.add(shape.x);
    return;
  }
  if (std::find(shapes.begin(), shapes.end(), shape) != shapes.end()) {
    refuse_twice(where, item);
  }
  shapes.push_back(shape);
  numbers.add(-static_cast<std::int64_t>(shapes.size()));
}

template <class Shape>
ShapeList<Shape> read_shapes(const std::string& where, const std::vector<std::string>& texts,
                             Shape (*read)(const std::string&, std::string_view)) {
  ShapeList<Shape> list;
  for (const std::string& item : split_items(where, texts)) {
    if (item.find(':') == std::string::npos) {
      add_shape(where, item, read(where, item), list.numbers, list.shapes);
    } else {
      add_range(
          where, item, 1, [&](std::string_view text) { return read_line(where, text, read); }, list.numbers);
    }
  }
  require_unique(where, list.numbers, "");
  return list;
}

}  // namespace

ShapeList<Dim3> read_clusters(const std::string& where, const std::vector<std::string>& texts) {
  return read_shapes(where, texts, read_cluster);
}

ShapeList<Grid> read_grids(const std::string& where, const std::vector<std::string>& texts) {
  return read_shapes(where, texts, read_grid);
}

std::vector<std::string> split_items(const std::string& where, const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  for (const std::string& text : texts) {
    for (std::string& item : split(text, ',')) {
      if (item.empty()) {
        throw InputError(where, "'" + text + "' has an empty part; a list is A,B,C");
      }
      items.push_back(std::move(item));
    }
  }
  return items;
}

bool is_list(const std::vector<std::string>& texts) {
  return texts.size() > 1 || std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
           return text.find_first_of(",:") != std::string::npos || equal_ignoring_case(text, "all");
         });
}

NumberList read_numbers(const std::string& where, const std::vector<std::string>& texts, std::int64_t step,
                        const std::function<std::int64_t(std::string_view)>& read) {
  NumberList list;
  for (const std::string& item : split_items(where, texts)) {
    if (item.find(':') == std::string::npos) {
      list.add(read(item));
    } else {
      add_range(where, item, step, read, list);
    }
  }
  require_unique(where, list, "");
  return list;
}

void read_blocks(const std::string& where, const std::vector<std::string>& texts, Sweep& sweep) {
  constexpr int most_threads = 1024;
  const auto read = [&where](std::string_view text) { return read_line(where, text, read_block); };
  for (const std::string& item : split_items(where, texts)) {
    if (equal_ignoring_case(item, "all")) {
      sweep.threads.add(warp_size, most_threads, warp_size);
    } else if (item.find(':') != std::string::npos) {
      const std::vector<std::string> parts = range_parts(where, item);
      if (parts.size() == 2 && read(parts[0]) % warp_size != 0) {
        refuse(where, item,
               "a range of 32 threads a step begins at a multiple of 32; write " +
                   (read(parts[1]) < warp_size ? "" : "32:" + parts[1] + ", or ") + item + ":1");
      }
      add_range(where, item, warp_size, read, sweep.threads);
    } else {
      add_shape(where, item, read_block(where, item), sweep.threads, sweep.shapes);
    }
  }
  require_unique(where, sweep.threads, ", and for a 16x16 block write 16x16");
}

}  // namespace occcalc::input
