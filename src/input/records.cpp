#include "input/records.hpp"

#include <algorithm>
#include <utility>

#include "input/json_text.hpp"
#include "input/text.hpp"
#include "occcalc/error.hpp"

namespace occcalc::input {

namespace {

constexpr std::size_t block_bytes = 1 << 16;
constexpr std::size_t most_record_bytes = 1 << 20;
constexpr std::size_t most_columns = 1000;
constexpr std::size_t unfinished = std::string_view::npos;
constexpr std::string_view blank = " \t\r\n";
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

std::string_view without_line_end(std::string_view text) {
  if (text.ends_with('\n')) {
    text.remove_suffix(1);
  }
  if (text.ends_with('\r')) {
    text.remove_suffix(1);
  }
  return text;
}

// Behind the line end of the row that begins at `at`. A quote opens only at the beginning of a cell.
std::size_t csv_end(std::string_view text, std::size_t at) {
  bool at_cell = true;
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      quoted = c != '"';  // of two quotes the second opens again
      at_cell = !quoted;
    } else if (c == '"' && at_cell) {
      quoted = true;
    } else if (c == '\n') {
      return at + 1;
    } else {
      at_cell = c == ',';
    }
  }
  return unfinished;
}

// The next object of an array, from `at` on; the end of the text if there is none.
std::size_t object_begin(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t\r\n,[]", at), text.size());
}

// Behind the object that begins at `at`.
std::size_t object_end(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      at += c == '\\' ? 1 : 0;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return at + 1;
    }
  }
  return unfinished;
}

std::string beginning(std::string_view text) {
  constexpr std::size_t most = 60;
  return "'" + std::string(text.substr(0, most)) + (text.size() > most ? "...'" : "'");
}

// The text of the cell at the beginning of `rest`, which moves behind it and its comma.
std::string take_cell(std::string_view& rest, const std::string& where) {
  std::string text;
  if (!rest.starts_with('"')) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    text = rest.substr(0, end);
    rest.remove_prefix(end);
  } else {
    for (std::size_t at = 1;; ++at) {
      const std::size_t quote = rest.find('"', at);
      if (quote == std::string_view::npos) {
        throw InputError(where, "a quoted cell does not end");
      }
      text += rest.substr(at, quote - at);
      at = quote + 1;
      if (at == rest.size() || rest[at] != '"') {
        rest.remove_prefix(at);
        break;
      }
      text += '"';
    }
    if (!rest.empty() && rest.front() != ',') {
      throw InputError(where,
                       "found " + beginning(rest) + " behind a quoted cell; accepted: a comma or the end of the row");
    }
  }
  return text;
}

std::vector<std::string> cells_of(std::string_view row, const std::string& where) {
  std::vector<std::string> cells;
  for (std::string_view rest = row;;) {
    cells.push_back(take_cell(rest, where));
    if (rest.empty()) {
      return cells;
    }
    rest.remove_prefix(1);
    if (cells.size() > most_columns) {
      throw InputError(where, "has more than " + std::to_string(most_columns) + " cells");
    }
  }
}

RecordValue value_of(const nlohmann::ordered_json& value) {
  if (value.is_null()) {
    return {true, "", "null"};
  }
  RecordValue result{false, "", value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
  result.text = value.is_string() ? value.get<std::string>() : result.json;
  return result;
}

}  // namespace

RecordReader::RecordReader(Read read, std::string source) : read_(std::move(read)), source_(std::move(source)) {
  while (!is_at_end_ && text_.size() < block_bytes) {
    read_more();
  }
  if (text_.starts_with(byte_order_mark)) {
    text_.erase(0, byte_order_mark.size());
  }
  const std::size_t first = text_.find_first_not_of(blank);
  if (first == std::string::npos) {
    throw InputError(source_, "is empty; accepted: CSV with a header row, or JSON objects, one a line or in an array");
  }
  line_ += std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(first), '\n');
  text_.erase(0, first);
  if (text_.front() != '{' && text_.front() != '[') {
    read_header();
    return;
  }
  const std::string_view first_line = std::string_view(text_).substr(0, text_.find('\n'));
  const bool is_line = text_.front() == '{' && object_end(first_line, 0) != unfinished;
  syntax_ = is_line ? RecordSyntax::Lines : RecordSyntax::Array;
  read_first_objects();
}

void RecordReader::read_more() {
  const std::size_t before = text_.size();
  text_.resize(before + block_bytes);
  const std::size_t got = read_(text_.data() + before, block_bytes);
  text_.resize(before + got);
  is_at_end_ = got == 0;
}

void RecordReader::read_header() {
  std::size_t end = csv_end(text_, 0);
  while (end == unfinished && !is_at_end_ && text_.size() < most_record_bytes) {
    read_more();
    end = csv_end(text_, 0);
  }
  if (end == unfinished && !is_at_end_) {
    throw InputError(at(line_), "no header row ends within " + std::to_string(most_record_bytes) + " bytes");
  }
  const std::string header = text_.substr(0, end);
  for (std::string& name : cells_of(without_line_end(header), at(line_))) {
    if (index_.contains(name)) {
      throw InputError(at(line_), "the column " + beginning(name) + " stands twice; name each once");
    }
    add_column(nlohmann::json::parse(to_json(name)).get<std::string>());  // as UTF-8
  }
  line_ += std::count(header.begin(), header.end(), '\n');
  text_.erase(0, header.size());
}

// The keys of the objects of the first block, in the order of their appearance.
void RecordReader::read_first_objects() {
  for (std::size_t begin = 0; begin < text_.size();) {
    if (syntax_ == RecordSyntax::Array) {
      begin = object_begin(text_, begin);
    }
    if (syntax_ == RecordSyntax::Array && !std::string_view(text_).substr(begin).starts_with('{')) {
      return;  // next() will say what is found there
    }
    const std::size_t end = std::min(record_end(text_, begin), text_.size());
    const std::string_view text = std::string_view(text_).substr(begin, end - begin);
    begin = end;
    if (text.find_first_not_of(blank) == std::string_view::npos) {
      continue;
    }
    try {
      const nlohmann::ordered_json object = parse_ordered_json(text, source_, line_);
      for (const auto& member : object.items()) {
        if (object.is_object() && !index_.contains(member.key())) {
          add_column(member.key());
        }
      }
    } catch (const InputError&) {
      // It is named when its turn comes.
    }
  }
}

void RecordReader::add_column(std::string name) {
  if (columns_.size() == most_columns) {
    throw InputError(source_, "has more than " + std::to_string(most_columns) + " columns");
  }
  index_.emplace(name, columns_.size());
  columns_.push_back(std::move(name));
}

std::size_t RecordReader::record_end(std::string_view text, std::size_t begin) const {
  switch (syntax_) {
    case RecordSyntax::Csv: return csv_end(text, begin);
    case RecordSyntax::Array: return object_end(text, begin);
    case RecordSyntax::Lines: break;
  }
  const std::size_t newline = text.find('\n', begin);
  return newline == std::string_view::npos ? unfinished : newline + 1;
}

// The end of the input: nothing behind it can be read.
RecordBlock RecordReader::rest(const std::string& what) {
  RecordBlock block{"", line_, at(line_) + ": " + what};
  text_.clear();
  is_at_end_ = true;
  return block;
}

std::optional<RecordBlock> RecordReader::next() {
  for (;;) {
    if (syntax_ == RecordSyntax::Array) {
      static_cast<void>(take(object_begin(text_, 0)));
      if (!text_.empty() && text_.front() != '{') {
        return rest("found " + beginning(text_.substr(0, text_.find('\n'))) + "; accepted: a JSON object");
      }
    }
    if (const std::size_t end = whole_rows(); end > 0) {
      return take(end);
    }
    if (is_at_end_ && text_.empty()) {
      return std::nullopt;
    }
    if (is_at_end_) {
      return take(text_.size());  // a last row without its end; what is wrong with it will be named
    }
    if (text_.size() > most_record_bytes) {
      return rest("a row does not end within " + std::to_string(most_record_bytes) +
                  " bytes; is there a quote that does not close?");
    }
    read_more();
  }
}

// Where the whole rows at the beginning of the text end: about a block of them; 0 if there is none.
std::size_t RecordReader::whole_rows() const {
  std::size_t whole = 0;
  while (whole < std::min(text_.size(), block_bytes)) {
    const std::size_t begin = syntax_ == RecordSyntax::Array ? object_begin(text_, whole) : whole;
    const std::size_t end = begin == text_.size() ? unfinished : record_end(text_, begin);
    if (end == unfinished || (syntax_ == RecordSyntax::Array && text_[begin] != '{')) {
      break;
    }
    whole = end;
  }
  return whole;
}

RecordBlock RecordReader::take(std::size_t size) {
  RecordBlock block{text_.substr(0, size), line_, ""};
  line_ += std::count(block.text.begin(), block.text.end(), '\n');
  text_.erase(0, size);
  return block;
}

void RecordReader::read(const RecordBlock& block, const std::function<void(const Record&)>& use,
                        std::vector<std::string>& errors) const {
  if (!block.error.empty()) {
    errors.push_back(block.error);
  }
  const std::string_view text = block.text;
  std::int64_t line = block.line;
  for (std::size_t begin = 0; begin < text.size();) {
    if (syntax_ == RecordSyntax::Array) {
      const std::size_t object = object_begin(text, begin);
      line += std::count(text.begin() + static_cast<std::ptrdiff_t>(begin),
                         text.begin() + static_cast<std::ptrdiff_t>(object), '\n');
      begin = object;
    }
    const std::size_t end = std::min(record_end(text, begin), text.size());
    const std::string_view row = text.substr(begin, end - begin);
    if (row.find_first_not_of(blank) != std::string_view::npos) {
      try {
        use(parse(row, line));
      } catch (const InputError& error) {
        errors.emplace_back(error.what());
      }
    }
    line += std::count(row.begin(), row.end(), '\n');
    begin = end;
  }
}

Record RecordReader::parse(std::string_view text, std::int64_t line) const {
  return syntax_ == RecordSyntax::Csv ? parse_csv(text, line) : parse_object(text, line);
}

Record RecordReader::parse_csv(std::string_view text, std::int64_t line) const {
  std::vector<std::string> cells = cells_of(without_line_end(text), at(line));
  if (cells.size() != columns_.size()) {
    throw InputError(at(line), "has " + std::to_string(cells.size()) + (cells.size() == 1 ? " cell" : " cells") +
                                   ", the header " + std::to_string(columns_.size()));
  }
  Record record{line, {}};
  for (std::string& cell : cells) {
    record.values.push_back({cell.empty(), std::move(cell), ""});
  }
  return record;
}

Record RecordReader::parse_object(std::string_view text, std::int64_t line) const {
  const nlohmann::ordered_json object = parse_ordered_json(text, source_, line);
  if (!object.is_object()) {
    throw InputError(at(line), "found " + beginning(object.dump()) + "; accepted: a JSON object");
  }
  Record record{line, std::vector<RecordValue>(columns_.size())};
  for (const auto& member : object.items()) {
    const auto column = index_.find(member.key());
    if (column == index_.end()) {
      throw InputError(at(line), "the key " + beginning(member.key()) +
                                     " stands in none of the first rows, whose keys are the columns");
    }
    record.values[column->second] = value_of(member.value());
  }
  return record;
}

}  // namespace occcalc::input
