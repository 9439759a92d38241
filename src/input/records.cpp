#include "input/records.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "input/csv_text.hpp"
#include "input/json_text.hpp"
#include "input/text.hpp"
#include "input/utf8.hpp"
#include "occcalc/error.hpp"

namespace occcalc::input {

namespace {

constexpr std::size_t block_bytes = 1 << 16;
constexpr std::size_t most_record_bytes = 1 << 20;
constexpr std::size_t most_columns = 1000;
constexpr std::string_view blank = " \t\r\n";
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool is_blank(std::string_view text) { return text.find_first_not_of(blank) == std::string_view::npos; }

std::int64_t line_ends(std::string_view text) { return std::count(text.begin(), text.end(), '\n'); }

// Behind the JSON value that begins at `at`: a scalar goes up to a separator.
std::size_t value_end(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  bool in_quotes = false;
  for (const std::size_t begin = at; at < text.size(); ++at) {
    const char c = text[at];
    if (in_quotes) {
      at += c == '\\' ? 1 : 0;
      in_quotes = c != '"';
    } else if (c == '"') {
      in_quotes = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (depth == 0 && at > begin &&
               (c == ',' || c == ']' || c == '}' || blank.find(c) != std::string_view::npos)) {
      return at;
    } else if ((c == '}' || c == ']') && depth > 0 && --depth == 0) {
      return at + 1;
    }
  }
  return unfinished;
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
  skip_blank_lines();
  if (text_.front() != '{' && text_.front() != '[') {
    read_header();
    return;
  }
  while (!is_at_end_ && text_.size() < block_bytes) {  // before it is looked through, however little each read gives
    read_more();
  }
  find_syntax();
  while (!holds_first_rows() && text_.size() < block_bytes + most_record_bytes) {
    read_more();
  }
  read_first_objects();
}

void RecordReader::read_more() {
  const std::size_t before = text_.size();
  text_.resize(before + block_bytes);
  const std::size_t got = read_(text_.data() + before, block_bytes);
  text_.resize(before + got);
  is_at_end_ = got == 0;
}

void RecordReader::skip_blank_lines() {
  while (text_.size() < byte_order_mark.size() && !is_at_end_) {
    read_more();
  }
  text_.erase(0, text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  for (;;) {
    const std::size_t first = std::min(text_.find_first_not_of(blank), text_.size());
    static_cast<void>(take(first));
    if (!text_.empty()) {
      return;
    }
    if (is_at_end_) {
      throw InputError(source_,
                       "is empty; accepted: CSV with a header row, or JSON objects, one a line or in an array");
    }
    read_more();
  }
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
  const std::int64_t line = line_;
  const std::string header = take(std::min(end, text_.size())).text;
  for (const std::string& cell : csv_cells(without_line_end(header), at(line))) {
    std::string name = to_utf8(cell);
    if (index_.contains(name)) {
      throw InputError(at(line), "the column " + abridged(name) + " stands twice; name each once");
    }
    add_column(std::move(name));
  }
}

// An object a line, or items: an array, or objects over several lines. A first line that is no whole object may still
// be one of many lines: then the next line begins another.
void RecordReader::find_syntax() {
  while (std::count(text_.begin(), text_.end(), '\n') < 2 && !is_at_end_ && text_.size() < most_record_bytes) {
    read_more();
  }
  const std::string_view text = text_;
  const std::size_t newline = std::min(text.find('\n'), text.size());
  const std::size_t second = std::min(text.find_first_not_of(blank, newline), text.size());
  const bool is_whole = value_end(text.substr(0, newline), 0) != unfinished;
  const bool is_line = text.front() == '{' && (is_whole || text.substr(second).starts_with('{'));
  syntax_ = is_line ? RecordSyntax::Lines : RecordSyntax::Items;
}

// Where the next row begins, from `from` on; the end of the text if there is none.
std::size_t RecordReader::row_begin(std::string_view text, std::size_t from) const {
  return syntax_ == RecordSyntax::Items ? std::min(text.find_first_not_of(" \t\r\n,[]", from), text.size()) : from;
}

std::size_t RecordReader::row_end(std::string_view text, std::size_t begin) const {
  switch (syntax_) {
    case RecordSyntax::Csv: return csv_end(text, begin);
    case RecordSyntax::Items: return value_end(text, begin);
    case RecordSyntax::Lines: break;
  }
  const std::size_t newline = text.find('\n', begin);
  return newline == std::string_view::npos ? unfinished : newline + 1;
}

// All rows that begin within the first block are there.
bool RecordReader::holds_first_rows() const {
  for (std::size_t begin = row_begin(text_, 0); begin < block_bytes && !is_at_end_;) {
    const std::size_t end = begin < text_.size() ? row_end(text_, begin) : unfinished;
    if (end == unfinished) {
      return false;
    }
    begin = row_begin(text_, end);
  }
  return true;
}

// Calls `use` with the text and the line of each row that is not blank.
template <class Use>
void RecordReader::for_each_row(std::string_view text, std::int64_t line, const Use& use) const {
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t begin = row_begin(text, from);
    line += line_ends(text.substr(from, begin - from));
    const std::size_t end = std::min(row_end(text, begin), text.size());
    const std::string_view row = text.substr(begin, end - begin);
    if (!is_blank(row)) {
      use(without_line_end(row), line);
    }
    line += line_ends(row);
    from = end;
  }
}

// The keys in the order of their appearance.
void RecordReader::read_first_objects() {
  std::exception_ptr first_error;
  for_each_row(text_, line_, [&](std::string_view row, std::int64_t line) {
    if (static_cast<std::size_t>(row.data() - text_.data()) >= block_bytes) {
      return;  // perhaps not all of it is there, and the rows that count must not depend on that
    }
    nlohmann::ordered_json object;
    try {
      object = parse_ordered_json(row, source_, line);
    } catch (const InputError&) {  // it is named when its turn comes, and now if there is no other
      first_error = first_error == nullptr ? std::current_exception() : first_error;
    }
    for (const auto& member : object.items()) {
      if (object.is_object() && !index_.contains(member.key())) {
        add_column(member.key());
      }
    }
  });
  if (columns_.empty() && first_error != nullptr) {
    std::rethrow_exception(first_error);
  }
}

void RecordReader::add_column(std::string name) {
  if (columns_.size() == most_columns) {
    throw InputError(source_, "has more than " + std::to_string(most_columns) + " columns");
  }
  index_.emplace(name, columns_.size());
  columns_.push_back(std::move(name));
}

RecordBlock RecordReader::take(std::size_t size) {
  RecordBlock block{text_.substr(0, size), line_, ""};
  line_ += line_ends(block.text);
  text_.erase(0, size);
  return block;
}

// The end of the input: nothing behind it can be read.
RecordBlock RecordReader::rest(const std::string& what) {
  RecordBlock block{"", line_, at(line_) + ": " + what};
  text_.clear();
  is_at_end_ = true;
  place_ = Place::End;
  return block;
}

std::optional<RecordBlock> RecordReader::next(std::size_t most_rows) {
  for (;;) {
    const std::size_t end = syntax_ == RecordSyntax::Items ? whole_items(most_rows) : whole_rows(most_rows);
    if (end > 0) {
      return take(end);
    }
    const std::size_t first =
        syntax_ == RecordSyntax::Items ? std::min(text_.find_first_not_of(blank), text_.size()) : 0;
    if (is_at_end_ && first == text_.size()) {
      const bool is_cut = syntax_ == RecordSyntax::Items && place_ != Place::Anything && place_ != Place::End;
      return is_cut ? std::optional(rest("the array does not end; accepted: " + expectation())) : std::nullopt;
    }
    if (is_at_end_ || text_.size() > most_record_bytes) {
      static_cast<void>(take(first));
      return rest(is_at_end_ ? "found " + abridged(text_.substr(0, text_.find('\n'))) + "; accepted: " + expectation()
                             : "a row does not end within " + std::to_string(most_record_bytes) +
                                   " bytes; is there a quote that does not close?");
    }
    read_on();
  }
}

// Reads until something comes that may end a row: what is there already has been looked through, and a row may come in
// very small pieces.
void RecordReader::read_on() {
  const std::string_view enders = syntax_ == RecordSyntax::Items ? ",]}" : "\n";
  bool may_end = false;
  while (!may_end && !is_at_end_ && text_.size() <= most_record_bytes) {
    const std::size_t before = text_.size();
    read_more();
    may_end = text_.find_first_of(enders, before) != std::string::npos;
  }
}

// Where the whole rows at the beginning of the text end: about a block of them; 0 if there is none. The last row of the
// input needs no end; what is wrong with it will be named.
std::size_t RecordReader::whole_rows(std::size_t most_rows) const {
  std::size_t whole = 0;
  for (std::size_t rows = 0; rows < most_rows && whole < std::min(text_.size(), block_bytes);) {
    const std::size_t end = row_end(text_, whole);
    if (end == unfinished) {
      return is_at_end_ ? text_.size() : whole;
    }
    rows += is_blank(std::string_view(text_).substr(whole, end - whole)) ? 0U : 1U;
    whole = end;
  }
  return whole;
}

// The same for items, with the separators between them, which stand where they belong; place_ is then what follows. The
// scan ends before what does not belong.
std::size_t RecordReader::whole_items(std::size_t most_rows) {
  std::size_t whole = 0;
  for (std::size_t rows = 0; rows < most_rows && whole < std::min(text_.size(), block_bytes);) {
    const std::size_t begin = text_.find_first_not_of(blank, whole);
    if (begin == std::string::npos) {
      break;
    }
    if (pass(text_[begin])) {
      whole = begin + 1;
      continue;
    }
    const bool is_item =
        place_ == Place::Item || place_ == Place::ItemOrEnd || (place_ == Place::Anything && text_[begin] == '{');
    const std::size_t end = is_item ? value_end(text_, begin) : unfinished;
    if (end == unfinished && !(is_item && is_at_end_)) {
      break;
    }
    whole = std::min(end, text_.size());
    if (end == unfinished) {
      place_ = Place::End;  // what is wrong with the item says enough
    } else if (place_ != Place::Anything) {
      place_ = Place::CommaOrEnd;
    }
    ++rows;
  }
  return whole;
}

// Goes on behind a separator that may stand here; false if it may not.
bool RecordReader::pass(char separator) {
  if (separator == '[' && place_ == Place::Anything) {
    place_ = Place::ItemOrEnd;
  } else if (separator == ',' && place_ == Place::CommaOrEnd) {
    place_ = Place::Item;
  } else if (separator == ']' && (place_ == Place::CommaOrEnd || place_ == Place::ItemOrEnd)) {
    place_ = Place::End;
  } else {
    return false;
  }
  return true;
}

std::string RecordReader::expectation() const {
  switch (place_) {
    case Place::Item: return "a JSON object";
    case Place::ItemOrEnd: return "a JSON object or ]";
    case Place::CommaOrEnd: return ", or ]";
    case Place::End: return "nothing behind the array";
    case Place::Anything: break;
  }
  return "a JSON object";
}

void RecordReader::read(const RecordBlock& block, const std::function<void(const Record&)>& use,
                        std::vector<std::string>& errors) const {
  if (!block.error.empty()) {
    errors.push_back(block.error);
  }
  for_each_row(block.text, block.line, [&](std::string_view row, std::int64_t line) {
    try {
      use(parse(row, line));
    } catch (const InputError& error) {
      errors.emplace_back(error.what());
    }
  });
}

Record RecordReader::parse(std::string_view text, std::int64_t line) const {
  return syntax_ == RecordSyntax::Csv ? parse_csv(text, line) : parse_object(text, line);
}

Record RecordReader::parse_csv(std::string_view text, std::int64_t line) const {
  std::vector<std::string> cells = csv_cells(text, at(line));
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
    throw InputError(at(line), "found " + abridged(object.dump()) + "; accepted: a JSON object");
  }
  Record record{line, std::vector<RecordValue>(columns_.size())};
  for (const auto& member : object.items()) {
    const auto column = index_.find(member.key());
    if (column == index_.end()) {
      throw InputError(at(line), "the key " + abridged(member.key()) +
                                     " stands in none of the first rows, whose keys are the columns");
    }
    record.values[column->second] = value_of(member.value());
  }
  return record;
}

}  // namespace occcalc::input
