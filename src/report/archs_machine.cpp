#include <algorithm>

#include "report/arch_columns.hpp"
#include "report/archs.hpp"
#include "report/csv.hpp"
#include "report/json_writer.hpp"
#include "report/layout.hpp"

namespace occcalc::report {

namespace {

std::vector<Value> chosen(const Architecture& architecture, std::span<const std::string_view> columns) {
  const auto all = arch_columns(architecture);
  std::vector<Value> values;
  for (const std::string_view column : columns) {
    const auto match =
        std::find_if(all.begin(), all.end(), [column](const auto& known) { return known.first == column; });
    values.push_back(match == all.end() ? Value() : match->second);
  }
  return values;
}

std::vector<std::string> chosen_texts(const Architecture& architecture, std::span<const std::string_view> columns) {
  std::vector<std::string> texts;
  for (const Value& value : chosen(architecture, columns)) {
    texts.push_back(to_text(value));
  }
  return texts;
}

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
  std::string joined;
  for (const std::string& text : texts) {
    joined += &text == texts.data() ? "" : separator;
    joined += text;
  }
  return joined;
}

Words words(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

const std::vector<std::string>* citations_of(const Provenance& provenance, std::string_view limit) {
  for (const Provenance::Field& field : provenance.sources) {
    if (field.name == limit) {
      return &field.citations;
    }
  }
  return nullptr;
}

// "32 (tunebw); 24 (guide134, occ130)"
std::string conflict_text(const Provenance& provenance, std::string_view limit) {
  std::vector<std::string> values;
  for (const Conflict& conflict : provenance.conflicts) {
    if (conflict.field == limit) {
      for (const Conflict::Value& value : conflict.values) {
        values.push_back(value.value + " (" + joined(value.sources, ", ") + ")");
      }
    }
  }
  return joined(values, "; ");
}

void write_conflicts(JsonWriter& json, const Provenance& provenance) {
  json.key("conflicts");
  json.begin_array();
  for (const Conflict& conflict : provenance.conflicts) {
    json.begin_object();
    json.member("field", conflict.field);
    json.key("values");
    json.begin_array();
    for (const Conflict::Value& value : conflict.values) {
      json.begin_object();
      json.key("value");
      json.raw(value.value);
      json.member("sources", words(value.sources));
      json.end_object();
    }
    json.end_array();
    json.key("trusted");
    json.raw(conflict.trusted);
    json.member("why", conflict.why);
    json.end_object();
  }
  json.end_array();
}

void write_references(JsonWriter& json, const Provenance& provenance) {
  json.key("references");
  json.begin_object();
  for (const Reference& reference : provenance.references) {
    json.key(reference.id);
    json.begin_object();
    json.member("title", reference.title);
    json.member("where", reference.where);
    json.member("kind", reference.kind);
    json.end_object();
  }
  json.end_object();
}

// In the format of data/architectures/.
void write_architecture(JsonWriter& json, const ArchReport& arch) {
  const Architecture& architecture = *arch.architecture;
  const std::vector<std::string> targets = targets_of(architecture);
  json.begin_object();
  json.member("schema", std::string("occcalc/1"));
  for (const auto& [name, value] : arch_columns(architecture)) {
    if (name == "max_threads_per_block") {
      json.member("targets", words(targets));
      json.key("limits");
      json.begin_object();
    } else if (name == "confidence") {
      json.end_object();
    } else if (name == "dram_latency_cycles") {
      json.key("latencies");
      json.begin_object();
    }
    json.member(name, value);
  }
  json.end_object();
  json.key("sources");
  json.begin_object();
  for (const Provenance::Field& field : arch.provenance.sources) {
    json.member(field.name, words(field.citations));
  }
  json.end_object();
  write_conflicts(json, arch.provenance);
  json.member("notes", words(arch.provenance.notes));
  write_references(json, arch.provenance);
  json.end_object();
}

void write_chosen(JsonWriter& json, const ArchReport& arch, std::span<const std::string_view> columns) {
  const std::vector<Value> values = chosen(*arch.architecture, columns);
  json.begin_object();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    json.member(columns[i], values[i]);
  }
  json.end_object();
}

void write_either(JsonWriter& json, const ArchReport& arch, std::span<const std::string_view> columns) {
  columns.empty() ? write_architecture(json, arch) : write_chosen(json, arch, columns);
}

}  // namespace

std::string write_archs_columns(std::span<const ArchReport> archs, std::span<const std::string_view> columns) {
  std::vector<std::vector<std::string>> rows = {{columns.begin(), columns.end()}};
  for (const ArchReport& arch : archs) {
    rows.push_back(chosen_texts(*arch.architecture, columns));
  }
  std::string text;
  for (const std::string& line : aligned(rows, std::vector<Align>(columns.size(), Align::Left))) {
    text += line + "\n";
  }
  return text;
}

std::string write_archs_csv(std::span<const ArchReport> archs, std::span<const std::string_view> columns) {
  std::string text = csv_row(std::vector<std::string>(columns.begin(), columns.end()));
  for (const ArchReport& arch : archs) {
    text += csv_row(chosen_texts(*arch.architecture, columns));
  }
  return text;
}

std::string write_arch_details_csv(std::span<const ArchReport> archs) {
  std::string text = "name,limit,value,sources,conflicts,confidence\n";
  for (const ArchReport& arch : archs) {
    const std::string confidence(to_string(arch.architecture->confidence));
    const auto add = [&](std::string_view name, const auto& limit) {
      const std::vector<std::string>* const citations = citations_of(arch.provenance, name);
      text += csv_row(std::vector<std::string>{
          std::string(arch.architecture->name), std::string(name), to_text(limit_value(limit)),
          citations == nullptr ? "" : joined(*citations, "; "), conflict_text(arch.provenance, name), confidence});
    };
    for_each_limit(arch.architecture->limits, add);
    for_each_latency(arch.architecture->latencies, add);
  }
  return text;
}

std::string write_archs_values(std::span<const ArchReport> archs, std::span<const std::string_view> columns) {
  std::string text;
  for (const ArchReport& arch : archs) {
    text += joined(chosen_texts(*arch.architecture, columns), "\t") + "\n";
  }
  return text;
}

std::string write_archs_markdown(std::span<const ArchReport> archs, std::span<const std::string_view> columns) {
  const auto line = [](const std::vector<std::string>& cells) { return "| " + joined(cells, " | ") + " |\n"; };
  std::string text = line({columns.begin(), columns.end()}) + line(std::vector<std::string>(columns.size(), "---"));
  for (const ArchReport& arch : archs) {
    text += line(chosen_texts(*arch.architecture, columns));
  }
  return text;
}

std::string write_archs_jsonl(std::span<const ArchReport> archs, std::span<const std::string_view> columns) {
  std::string text;
  for (const ArchReport& arch : archs) {
    JsonWriter json(0);
    write_either(json, arch, columns);
    text += json.take();
  }
  return text;
}

std::string write_archs_json(std::span<const ArchReport> archs, std::span<const std::string_view> columns) {
  JsonWriter json(4);
  json.array(archs, [&](const ArchReport& arch) { write_either(json, arch, columns); });
  return json.take();
}

}  // namespace occcalc::report
