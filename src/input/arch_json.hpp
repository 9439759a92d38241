/// Reads the JSON of data/architectures/ and of --arch-file.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "occcalc/arch_catalog.hpp"

namespace occcalc::input {

/// An architecture as read: the texts of Architecture, owned, and its provenance.
struct ArchDocument {
  std::string name;
  std::string suffixes;
  std::string generation;
  std::string architecture;
  std::string chips;
  std::string products;
  std::optional<ComputeCapability> compute_capability;
  Confidence confidence = Confidence::High;
  SmLimits limits;
  Latencies latencies;
  Provenance provenance;
};

/// Whether every limit must name its sources (our own data) or may (a user's file).
enum class Sources : std::uint8_t { Required, Optional };

/// What `based_on` names: the known architecture as a document, or nullopt.
using FindBase = std::function<std::optional<ArchDocument>(std::string_view name)>;

/// The architectures of a JSON text: a document of data/architectures/, one architecture, or an array of them. Throws
/// InputError (`source: place`, or `source:line:column` where the text is no JSON).
[[nodiscard]] std::vector<ArchDocument> read_architectures(std::string_view text, const std::string& source,
                                                           Sources sources, const FindBase& find_base);

/// The day on which a document of data/architectures/ was collected; empty if it does not say.
[[nodiscard]] std::string read_document_date(std::string_view text);

/// The architecture as the catalog keeps it; its texts are those of `document`.
[[nodiscard]] Architecture view_of(const ArchDocument& document) noexcept;

}  // namespace occcalc::input
