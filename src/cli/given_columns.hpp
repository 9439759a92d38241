/// The columns of rows of the user's own.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "input/records.hpp"
#include "report/fields.hpp"

namespace occcalc::cli {

// The fields that a row can give. Those of them that an option gives are taken from there.
enum class Given : std::uint8_t {
  Arch,
  Block,
  Registers,
  StaticMemory,
  DynamicMemory,
  Barriers,
  Capacity,
  Cluster,
  Grid,
  Gpu,
  SmCount
};

inline constexpr std::array<std::string_view, 11> given_names = {"arch",
                                                                 "threads_per_block",
                                                                 "registers_per_thread",
                                                                 "static_shared_memory",
                                                                 "dynamic_shared_memory",
                                                                 "barriers",
                                                                 "shared_memory_per_sm",
                                                                 "cluster",
                                                                 "grid",
                                                                 "gpu",
                                                                 "sm_count"};

// The columns of the input: those that are ours by field, and the user's own.
class Columns {
 public:
  /// `has_gpu`: options name a GPU; where neither they nor a column does, the columns that answer something about one
  /// are the user's. Says on standard error which of the user's columns have a name that may mean a field of ours.
  /// Throws InputError where no column is a field.
  Columns(const input::RecordReader& reader, bool has_gpu);

  [[nodiscard]] bool has(Given field) const { return given_[static_cast<std::size_t>(field)].has_value(); }

  /// The value of a field in a row; nullptr if it has none.
  [[nodiscard]] const std::string* value(const input::Record& record, Given field) const {
    const std::optional<std::size_t> column = given_[static_cast<std::size_t>(field)];
    return column && !record.values[*column].is_missing ? &record.values[*column].text : nullptr;
  }

  /// Where that value stands.
  [[nodiscard]] std::string where(const input::Record& record, Given field) const {
    return source_ + ":" + std::to_string(record.line) + ": " +
           std::string(given_names[static_cast<std::size_t>(field)]);
  }

  [[nodiscard]] const std::vector<std::size_t>& passed() const { return passed_; }
  [[nodiscard]] std::span<const report::Field> fields() const { return fields_; }

 private:
  void note_meaning(const std::string& name) const;

  std::string source_;
  std::array<std::optional<std::size_t>, given_names.size()> given_{};
  std::vector<std::size_t> passed_;
  std::vector<report::Field> fields_;
};

}  // namespace occcalc::cli
