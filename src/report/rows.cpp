#include "report/rows.hpp"

#include <algorithm>
#include <utility>

#include "report/json.hpp"
#include "report/json_writer.hpp"

namespace occcalc::report {

namespace {

// The fields are all those of these kinds, in their order.
bool has_all(const Fields& fields, std::initializer_list<Field::Kind> kinds) {
  Fields all;
  for (const Field& field : configuration_fields()) {
    if (std::find(kinds.begin(), kinds.end(), field.kind) != kinds.end()) {
      all.push_back(&field);
    }
  }
  return fields == all;
}

// Rows of plain cells between separators.
class PlainRows : public RowWriter {
 public:
  PlainRows(Fields fields, Cell::Format format, std::string_view begin, std::string_view separator,
            std::string_view end)
      : fields_(std::move(fields)), format_(format), begin_(begin), separator_(separator), end_(end) {}

  void append(TextBuffer& out, const Row& row) const override {
    Cell cell(out, format_);
    std::string_view before = begin_;
    for (const Field* const field : fields_) {
      cell.raw(before);
      field->append(cell, row);
      before = separator_;
    }
    cell.raw(end_);
  }

 protected:
  [[nodiscard]] std::string head_row() const {
    std::string text;
    std::string_view before = begin_;
    for (const Field* const field : fields_) {
      text += before;
      text += as_cell(field->name, format_);
      before = separator_;
    }
    text += end_;
    return text;
  }
  [[nodiscard]] const Fields& fields() const { return fields_; }

 private:
  Fields fields_;
  Cell::Format format_;
  std::string_view begin_;
  std::string_view separator_;
  std::string_view end_;
};

class CsvRows : public PlainRows {
 public:
  explicit CsvRows(Fields fields)
      : PlainRows(std::move(fields), Cell::Format::Csv, "", ",", "\n"),
        has_all_(has_all(this->fields(), {Field::Kind::Column})) {}
  [[nodiscard]] std::string head() const override { return head_row(); }

  void append(TextBuffer& out, const Row& row) const override {
    if (!has_all_) {
      const std::size_t before = out.view().size();
      PlainRows::append(out, row);
      if (out.view().size() == before + 1 && fields().size() == 1) {  // a blank line would be no row
        out.set_end(out.view().data() + before);
        out.append("\"\"\n");
      }
      return;
    }
    append_csv(out, row);
    out.append('\n');
  }

 private:
  bool has_all_;
};

class MarkdownRows : public PlainRows {
 public:
  explicit MarkdownRows(Fields fields) : PlainRows(std::move(fields), Cell::Format::Markdown, "| ", " | ", " |\n") {}
  [[nodiscard]] std::string head() const override {
    std::string rule;
    for (std::size_t i = 0; i < fields().size(); ++i) {
      rule += "|---";
    }
    return head_row() + rule + "|\n";
  }
};

class JsonRows : public RowWriter {
 public:
  JsonRows(Fields fields, bool in_array, Complete complete)
      : fields_(std::move(fields)), in_array_(in_array), complete_(std::move(complete)) {
    const char* before = "{";
    for (const Field* const field : fields_) {
      keys_.push_back(before + json_string(field->name) + ":");
      before = ",";
      has_trees_ = has_trees_ || field->kind == Field::Kind::Tree;
    }
    has_all_ = has_all(fields_, {Field::Kind::Key, Field::Kind::Column});
  }

  [[nodiscard]] std::string head() const override { return in_array_ ? "[" : ""; }
  [[nodiscard]] std::string_view before(bool is_first) const override {
    return !in_array_ ? "" : is_first ? "\n" : ",\n";
  }
  [[nodiscard]] std::string tail(bool is_empty) const override { return !in_array_ ? "" : is_empty ? "]\n" : "\n]\n"; }

  void append(TextBuffer& out, const Row& row) const override {
    if (has_all_) {
      append_json(out, row);
    } else if (has_trees_) {
      append_object(out, complete_(row), fields_);
    } else {
      append_flat(out, row);
    }
    out.append(in_array_ ? "" : "\n");
  }

 private:
  void append_flat(TextBuffer& out, const Row& row) const {
    Cell cell(out, Cell::Format::Json);
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      cell.raw(keys_[i]);
      fields_[i]->append(cell, row);
    }
    cell.literal("}");
  }

  Fields fields_;
  std::vector<std::string> keys_;
  bool in_array_;
  bool has_trees_ = false;
  bool has_all_ = false;
  Complete complete_;
};

}  // namespace

std::unique_ptr<RowWriter> csv_rows(Fields fields) { return std::make_unique<CsvRows>(std::move(fields)); }

std::unique_ptr<RowWriter> value_rows(Fields fields) {
  return std::make_unique<PlainRows>(std::move(fields), Cell::Format::Plain, "", "\t", "\n");
}

std::unique_ptr<RowWriter> markdown_rows(Fields fields) { return std::make_unique<MarkdownRows>(std::move(fields)); }

std::unique_ptr<RowWriter> json_rows(Fields fields, bool in_array, Complete complete) {
  return std::make_unique<JsonRows>(std::move(fields), in_array, std::move(complete));
}

}  // namespace occcalc::report
