// Rows of CSV and JSON, whatever the pieces in which they arrive.

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "input/records.hpp"
#include "occcalc/error.hpp"

namespace {

using namespace occcalc;
using namespace occcalc::input;

constexpr std::size_t most_rows = 1000;
constexpr std::size_t block_bytes = 65'536;
constexpr std::size_t piece_sizes[] = {1, 7, 4096, 65'535, block_bytes};

// Gives a text in pieces of this size, as a pipe might.
RecordReader::Read pieces(std::string text, std::size_t piece) {
  return [text = std::move(text), piece, at = std::size_t{0}](char* to, std::size_t size) mutable {
    const std::size_t count = std::min({piece, size, text.size() - at});
    std::memcpy(to, text.data() + at, count);
    at += count;
    return count;
  };
}

// All that a reader tells: "line: value, value" for a row, the errors, and the columns.
struct Told {
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  std::vector<std::string> errors;
  bool operator==(const Told& other) const {
    return columns == other.columns && rows == other.rows && errors == other.errors;
  }
};

Told tell(const std::string& text, std::size_t piece = block_bytes) {
  RecordReader reader(pieces(text, piece), "rows");
  Told told{reader.columns(), {}, {}};
  while (const auto block = reader.next(most_rows)) {
    const auto use = [&told](const Record& record) {
      std::string row = std::to_string(record.line) + ":";
      for (const RecordValue& value : record.values) {
        row += " " + (value.is_missing ? "-" : value.json.empty() ? value.text : value.json);
      }
      told.rows.push_back(row);
    };
    reader.read(*block, use, told.errors);
  }
  return told;
}

std::string refusal(const std::string& text, std::size_t piece = block_bytes) {
  try {
    static_cast<void>(RecordReader(pieces(text, piece), "rows"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("CSV has a header, cells that may be quoted or empty, and lines") {
  const Told told = tell("a,b\n1,2\n\n \r\n\"x,\"\"y\"\"\",\n\"p\nq\",\"\"\r\n3, 4 ");
  CHECK(told.columns == Texts{"a", "b"});
  CHECK(told.rows == Texts{"2: 1 2", "5: x,\"y\" -", "6: p\nq -", "8: 3  4 "});
  CHECK(told.errors.empty());
  CHECK(tell("\xef\xbb\xbf\"a\",b\n1,2").rows == Texts{"2: 1 2"});
  CHECK(tell("\n\n\"a\nb\",c\n1,2").rows == Texts{"5: 1 2"});
  CHECK(tell("a,b\n").rows.empty());
  CHECK(tell("a,b").columns == Texts{"a", "b"});
  CHECK(tell("a\n5\" disk\n").rows == Texts{"2: 5\" disk"});  // a quote inside a cell is a letter
  CHECK(tell(std::string("a,b\nx\0y,2\n", 10)).rows == Texts{std::string("2: x\0y 2", 8)});
}

TEST_CASE("JSON is objects a line, in an array or over several lines") {
  const Texts wanted{"1: 1 \"x\"", "2: - 2"};
  for (const char* const text : {"{\"a\":1,\"b\":\"x\"}\n{\"b\":2}\n", "[{\"a\":1,\"b\":\"x\"},\n{\"b\":2,\"a\":null}]",
                                 "{\"a\":1,\"b\":\"x\"}\r\n{\"b\":2}"}) {
    INFO(text);
    CHECK(tell(text).rows == wanted);
    CHECK(tell(text).errors.empty());
  }
  CHECK(tell("[\n{\n\"a\": 1\n},\n\n{\"a\":\n2}\n]\n").rows == Texts{"2: 1", "6: 2"});
  CHECK(tell("{\n\"a\": [1, {\"c\": \"}\\\"{\"}]\n}\n{\"a\": \"{\"}").rows ==
        Texts{"1: [1,{\"c\":\"}\\\"{\"}]", "4: \"{\""});
  CHECK(RecordReader(pieces("{\"a\":1}\n", 1), "").syntax() == RecordSyntax::Lines);
  CHECK(RecordReader(pieces("[{\"a\":1}]", 1), "").syntax() == RecordSyntax::Items);
  CHECK(RecordReader(pieces("a,b", 1), "").syntax() == RecordSyntax::Csv);
}

TEST_CASE("the pieces in which a text arrives change nothing") {
  std::string csv = "k,\"n\nm\",v\n";
  std::string lines;
  std::string array = "[\n";
  for (int i = 0; i < 1500; ++i) {
    const std::string number = std::to_string(i);
    const std::string filler(static_cast<std::size_t>(i % 97), 'x');
    csv += "\"a\"\"" + number + "\n,\"," + number + ",\"" + filler + "\"" + (i % 3 == 0 ? "\r\n" : "\n");
    csv += i % 500 == 7 ? "too,few\n" : "";
    lines += "{\"k\":\"\\\"{" + filler + "\",\"n\":" + number + "}\n" + (i % 500 == 7 ? "{\"k\":}\n" : "");
    array += "{\"k\":\"}" + filler + "\",\n\"n\":" + number + "},\n" + (i % 500 == 7 ? "{\"k\":}," : "");
  }
  for (const std::string& text : {csv, csv + "\"open\n", lines, lines + "{\"k\"", array + "]", array + "{\"k\":"}) {
    const Told wanted = tell(text);
    CHECK(wanted.rows.size() == 1500);
    CHECK(wanted.errors.size() >= 3);
    for (const std::size_t piece : piece_sizes) {
      INFO(piece);
      CHECK((tell(text, piece) == wanted));
    }
  }
}

TEST_CASE("rows that end at, before and behind the end of a block are whole") {
  for (std::size_t size = block_bytes - 4; size <= block_bytes + 4; ++size) {
    std::string text = "k,v\n";
    text += std::string(size - text.size() - 4, 'x') + ",1\r\n\"a\n\"\"b\",2\r\n\xc3\xa9,3";
    const Told wanted = tell(text);
    CHECK(wanted.rows.size() == 3);
    CHECK(wanted.rows.back() == "5: \xc3\xa9 3");
    for (const std::size_t piece : piece_sizes) {
      INFO(size << " in pieces of " << piece);
      CHECK((tell(text, piece) == wanted));
    }
  }
}

TEST_CASE("a key that first stands at the end of the first block is a column or none, whatever the pieces") {
  for (std::size_t size = block_bytes - 2; size <= block_bytes + 8; ++size) {
    std::string text = "{\"a\":\"\"}\n";
    const std::string last = "{\"a\":1,\"b\":2}\n";
    text.insert(6, size - text.size() - last.size(), 'x');
    text += last + "{\"a\":3}\n";
    const Told wanted = tell(text);
    for (const std::size_t piece : piece_sizes) {
      INFO(size << " in pieces of " << piece);
      CHECK((tell(text, piece) == wanted));
    }
  }
}

TEST_CASE("blank lines before the header may be many") {
  CHECK(refusal(std::string(2 * block_bytes, '\n') + "a,b\n1,2\n") == "accepted");
}

TEST_CASE("a bad row is named with its line, and the others are read") {
  for (const auto& [text, named] : std::vector<std::pair<std::string, std::string>>{
           {"a,b\n1,2\n\"x\ny\",3\nfew\n4,5\n", "rows:5: has 1 cell, the header 2"},
           {"a,b\n1,2\n1,2\n\n1,2,3\n4,5\n", "rows:5: has 3 cells, the header 2"},
           {"a,b\n1,2\n1,2\n\n\"1\"2,3\n4,5\n", "rows:5: found '2,3' behind a quoted cell"},
           {"{\"a\":1}\n\n\n{\"a\":2}\n{\"a\" 1}\n{\"a\":3}\n", "rows:5:6: "},
           {"{\"a\":1}\n\n\n{\"a\":2}\n{\"a\":1,\"a\":2}\n{\"a\":3}\n", "rows:5"},
           {"{\"a\":1}\n\n\n{\"a\":2}\n[1]\n{\"a\":3}\n", "rows:5: found '[1]'"},
           {"[{\"a\":1},\n\n\n{\"a\":2},\n{\"a\"},{\"a\":3}]\n", "rows:5:5: "},
           {"[{\"a\":1},\n\n\n{\"a\":2},\n7, {\"a\":3}]\n", "rows:5: found '7"},
           {"{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n\n{\"a\":4", "rows:5:"}}) {
    INFO(text);
    const Told told = tell(text);
    CHECK(told.rows.size() == 3);
    REQUIRE(told.errors.size() == 1);
    CHECK(contains(told.errors[0], named));
  }
}

TEST_CASE("what a row's use throws is an error of its own") {
  RecordReader reader(pieces("a\n1\n2\n3\n", 1), "rows");
  std::vector<std::string> errors;
  int used = 0;
  const auto use = [&used](const Record& record) {
    if (++used == 2) {
      throw InputError("line " + std::to_string(record.line), "is two");
    }
  };
  while (const auto block = reader.next(most_rows)) {
    reader.read(*block, use, errors);
  }
  CHECK(used == 3);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0] == "line 3: is two");
}

TEST_CASE("what does not end is told with the line where it begins") {
  CHECK(tell("a,b\n1,2\n3,\"4\n5,6\n").errors == Texts{"rows:3: a quoted cell does not end"});
  const std::string long_cell = "a,b\n1,2\n\"x\"," + std::string(3 << 20, 'y');
  CHECK(tell(long_cell).rows.size() == 1);
  REQUIRE(tell(long_cell).errors.size() == 1);
  CHECK(contains(tell(long_cell).errors[0], "rows:3: a row does not end within 1048576 bytes"));
  for (const char* const text : {"[{\"a\":1}", "[{\"a\":1},", "[{\"a\":1},\n", "[{\"a\":1},{"}) {
    INFO(text);
    CHECK(tell(text).rows == Texts{"1: 1"});
    CHECK(tell(text).errors.size() == 1);
  }
}

TEST_CASE("a text without columns is refused, and one that has too many") {
  for (const char* const text : {"", "\n", " \r\n\t", "\xef\xbb\xbf"}) {
    CHECK(contains(refusal(text, 1), "rows: is empty; accepted: "));
  }
  CHECK(contains(refusal("\n\na,b,a\n"), "rows:3: the column 'a' stands twice"));
  CHECK(contains(refusal("\na,\"b\n"), "rows:2: a quoted cell does not end"));
  CHECK(contains(refusal("a,\"b\"c\n"), "rows:1: found 'c' behind a quoted cell"));
  CHECK(contains(refusal(std::string(3 << 20, 'a')), "rows:1: no header row ends within 1048576 bytes"));
  std::string header = "0";
  std::string object = "{\"0\":0";
  for (int i = 1; i < 1000; ++i) {
    header += "," + std::to_string(i);
    object += ",\"" + std::to_string(i) + "\":0";
  }
  CHECK(tell(header).columns.size() == 1000);
  CHECK(tell(object + "}").columns.size() == 1000);
  CHECK(contains(refusal(header + ",x"), "1000"));
  CHECK(contains(refusal(object + ",\"x\":0}"), "1000"));
}

TEST_CASE("a key that stands in none of the first rows is named") {
  std::string text;
  while (text.size() < 2 * block_bytes) {
    text += "{\"a\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}\n";
  }
  const auto rows = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  const Told told = tell(text + "{\"b\":1}\n{\"a\":2}\n");
  CHECK(told.rows.size() == rows + 1);
  REQUIRE(told.errors.size() == 1);
  CHECK(contains(told.errors[0], "rows:" + std::to_string(rows + 1) + ": the key 'b'"));
}

TEST_CASE("a first object may be longer than a block") {
  const std::string first = "{\"a\":\"" + std::string(2 * block_bytes, 'x') + "\",\n\"b\":1}";
  for (const std::string& text : {first, "[" + first + ",{\"b\":2}]"}) {
    CHECK(tell(text).columns == Texts{"a", "b"});
    CHECK(tell(text).errors.empty());
  }
  CHECK(tell("{\"a\":\"" + std::string(2 * block_bytes, 'x') + "\"}\n{\"a\":2}\n").rows.size() == 2);
}
