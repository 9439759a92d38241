/// @file
/// Compute capabilities (9.0) and the names of compile targets (sm_90a).
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace occcalc {

/// A compute capability as devices report it: 9.0 is {9, 0}, 12.1 is {12, 1}.
struct ComputeCapability {
  int major = 0;
  int minor = 0;

  friend constexpr auto operator<=>(const ComputeCapability&, const ComputeCapability&) = default;
};

/// A compile target: the capability and nvcc's suffix, 'a' (that capability only), 'f' (its family) or none.
struct ArchName {
  ComputeCapability compute_capability;
  char suffix = '\0';

  friend constexpr auto operator<=>(const ArchName&, const ArchName&) = default;
};

/// Reads `sm_80`, `sm_90a`, `compute_100f`, `80`, `90a`, `8.0`, `10.3a` in any letter case. Says nothing about whether
/// such a part exists; nullopt where the text has none of these forms.
[[nodiscard]] std::optional<ArchName> parse_arch_name(std::string_view text) noexcept;

/// "9.0"
[[nodiscard]] std::string to_string(ComputeCapability compute_capability);

/// "sm_90a"
[[nodiscard]] std::string to_string(ArchName name);

}  // namespace occcalc
