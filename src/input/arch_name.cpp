#include <charconv>

#include "input/text.hpp"
#include "occcalc/compute_capability.hpp"

namespace occcalc {

namespace {

// "90" or "9.0": the last digit is the minor number; a point may stand before it.
std::optional<ComputeCapability> parse_number(std::string_view digits) noexcept {
  const std::size_t point = digits.find('.');
  std::string_view major = digits.substr(0, point);
  std::string_view minor;
  if (point != std::string_view::npos) {
    minor = digits.substr(point + 1);
  } else if (digits.size() >= 2) {
    major = digits.substr(0, digits.size() - 1);
    minor = digits.substr(digits.size() - 1);
  }
  if (major.empty() || major.size() > 3 || major.front() == '0' || minor.size() != 1 || !input::is_digits(major) ||
      !input::is_digits(minor)) {
    return std::nullopt;
  }
  ComputeCapability result;
  std::from_chars(major.data(), major.data() + major.size(), result.major);
  result.minor = minor.front() - '0';
  return result;
}

}  // namespace

std::optional<ArchName> parse_arch_name(std::string_view text) noexcept {
  for (const std::string_view prefix : {"sm_", "compute_"}) {
    if (input::starts_with_ignoring_case(text, prefix)) {
      text.remove_prefix(prefix.size());
      break;
    }
  }
  char suffix = '\0';
  if (!text.empty() && (input::lower(text.back()) == 'a' || input::lower(text.back()) == 'f')) {
    suffix = input::lower(text.back());
    text.remove_suffix(1);
  }
  const std::optional<ComputeCapability> capability = parse_number(text);
  if (!capability) {
    return std::nullopt;
  }
  return ArchName{*capability, suffix};
}

std::string to_string(ComputeCapability compute_capability) {
  return std::to_string(compute_capability.major) + "." + std::to_string(compute_capability.minor);
}

std::string to_string(ArchName name) {
  std::string text =
      "sm_" + std::to_string(name.compute_capability.major) + std::to_string(name.compute_capability.minor);
  if (name.suffix != '\0') {
    text += name.suffix;
  }
  return text;
}

}  // namespace occcalc
