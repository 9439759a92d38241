/// @file
/// GPU products: what of a GPU lies beyond one SM.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "occcalc/compute_capability.hpp"

namespace occcalc {

/// A product, per GPU where a board has several. What no source states is empty.
struct Gpu {
  std::string name{};                  ///< "A100 SXM4 80GB"
  std::vector<std::string> aliases{};  ///< other names, as nvidia-smi prints them: "NVIDIA A100-SXM4-80GB"
  std::string segment{};               ///< "data-centre"
  std::optional<ComputeCapability> compute_capability = std::nullopt;
  std::optional<int> sm_count = std::nullopt;
  std::optional<int> gpc_count = std::nullopt;
  std::vector<int> sms_per_gpc{};                         ///< of each GPC, where the layout is known; otherwise empty
  std::optional<double> boost_mhz = std::nullopt;         ///< SM clock
  std::optional<double> memory_bandwidth = std::nullopt;  ///< GB/s, 10^9 bytes
  std::optional<int> dram_latency_cycles = std::nullopt;  ///< where this product was measured; as in Latencies
  std::optional<double> l2_cache = std::nullopt;          ///< MiB
  std::optional<double> memory = std::nullopt;            ///< GB as sold
  std::optional<int> gpus_per_board = std::nullopt;
  std::vector<std::string> sources{};
  std::vector<std::string> disagreements{};  ///< between sources, and what is kept
  std::vector<std::string> notes{};
};

/// The known products and those that a caller adds.
class GpuCatalog {
 public:
  /// The built-in ones.
  GpuCatalog();

  /// Adds the products of a JSON text, in the format of data/gpus.json (or one of its rows alone, or an array of them);
  /// one with a known name replaces the known one. `source` names the text in errors. Throws InputError with the place,
  /// what was found and what is accepted; the catalog is then unchanged.
  void add_json(std::string_view text, const std::string& source);

  [[nodiscard]] const std::vector<Gpu>& gpus() const noexcept { return gpus_; }

  /// The products that a name may stand for: those of exactly this name or alias if there are any ("RTX 4090",
  /// "NVIDIA GeForce RTX 4090", "4090"), otherwise those whose name has all its words ("a100", "h100 sxm"). Letter
  /// case, blanks and the maker's brands do not count. Empty where there is none.
  [[nodiscard]] std::vector<const Gpu*> find(std::string_view name) const;

  /// Names that are spelled nearly so, the nearest first, at most three.
  [[nodiscard]] std::vector<std::string> suggestions(std::string_view name) const;

 private:
  std::vector<Gpu> gpus_;
};

}  // namespace occcalc
