/// @file
/// The known architectures: built in, and from JSON text.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "occcalc/compute_capability.hpp"
#include "occcalc/sm_limits.hpp"

namespace occcalc {

/// How well the numbers of a part are supported by its sources.
enum class Confidence : std::uint8_t { Low, Medium, High };

[[nodiscard]] constexpr std::string_view to_string(Confidence confidence) noexcept {
  switch (confidence) {
    case Confidence::Low: return "low";
    case Confidence::Medium: return "medium";
    case Confidence::High: return "high";
  }
  return "";
}

/// One part: its names and its SM limits. The texts live as long as the program (built-in parts) or the catalog that
/// read them.
struct Architecture {
  std::string_view name;                                ///< "sm_80", "textbook", or a name of the user's
  std::optional<ComputeCapability> compute_capability;  ///< nullopt: no real part
  std::string_view suffixes;                            ///< target suffixes that exist: "", "a", "af"
  std::string_view generation;                          ///< "ampere"
  std::string_view architecture;                        ///< "Ampere"
  std::string_view chips;
  std::string_view products;
  Confidence confidence = Confidence::High;
  SmLimits limits;
  Latencies latencies;
};

/// A document or hardware dump that a number was read from.
struct Reference {
  std::string id;
  std::string title;
  std::string where;
  std::string kind;
};

/// Sources that disagree about one number, and which one is trusted. Values are JSON text ("24", "\"10.0\"").
struct Conflict {
  struct Value {
    std::string value;
    std::vector<std::string> sources;
  };
  std::string field;
  std::vector<Value> values;
  std::string trusted;
  std::string why;
};

/// Where the numbers of one part come from. A citation is a reference's id, optionally followed by ": place".
struct Provenance {
  struct Field {
    std::string name;  ///< as in for_each_limit() and for_each_latency()
    std::vector<std::string> citations;
  };
  std::vector<Field> sources;
  std::vector<Conflict> conflicts;
  std::vector<std::string> notes;
  std::vector<Reference> references;
};

/// Every built-in part, in ascending compute capability, `textbook` last. Constant data: nothing is parsed.
[[nodiscard]] std::span<const Architecture> built_in_architectures() noexcept;

/// The day on which the built-in data was collected, "2026-11-30".
[[nodiscard]] std::string_view built_in_data_date() noexcept;

/// The built-in part that a name stands for: `sm_80`, `sm_90a`, `compute_80`, `80`, `8.0`, `textbook`, in any letter
/// case. nullptr where there is none; never a neighbour. Constant data: nothing is parsed or allocated.
[[nodiscard]] const Architecture* find_architecture(std::string_view name) noexcept;

/// The built-in limits of a device's compute capability; nullptr where it is not known.
[[nodiscard]] const SmLimits* find_limits(ComputeCapability compute_capability) noexcept;

namespace input {
struct ArchDocument;
}

/// The built-in architectures and those that a caller adds. Reading is thread-safe, adding is not.
class ArchCatalog {
 public:
  ArchCatalog();
  ArchCatalog(const ArchCatalog&) = delete;  // the architectures point into it
  ArchCatalog& operator=(const ArchCatalog&) = delete;
  ArchCatalog(ArchCatalog&&) = default;
  ArchCatalog& operator=(ArchCatalog&&) = default;
  ~ArchCatalog() = default;

  /// Adds the architectures of a JSON text, in the format of data/architectures/ (or one of its architectures alone, or
  /// an array of them); one with a known name replaces the known one. `"based_on": "sm_80"` fills what is left out.
  /// `source` names the text in errors. Throws InputError with the place, what was found and what is accepted; the
  /// catalog is then unchanged.
  void add_json(std::string_view text, const std::string& source);

  [[nodiscard]] std::span<const Architecture> architectures() const noexcept { return architectures_; }

  /// As find_architecture(), over this catalog.
  [[nodiscard]] const Architecture* find(std::string_view name) const noexcept;

  /// Sources, conflicts and notes of a part of this catalog. For built-in parts the embedded text is parsed here.
  /// An unknown name has none.
  [[nodiscard]] Provenance provenance(std::string_view name) const;

 private:
  struct Added {
    std::string_view name;
    Provenance provenance;
  };

  void add(input::ArchDocument document);

  std::vector<Architecture> architectures_;
  std::vector<Added> added_;
  std::deque<std::string> texts_;
};

}  // namespace occcalc
