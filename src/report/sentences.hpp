/// Reasons and notes as sentences, the same in text and JSON.
#pragma once

#include <string>

#include "report/report.hpp"

namespace occcalc::report {

/// Why a launch is impossible, with its numbers; no final stop.
[[nodiscard]] std::string sentence(const Reason& reason, const Row& report);

/// All its reasons in a few words: "no launch, short of 36,864 B".
[[nodiscard]] std::string short_reason(const Row& row);

/// What to know about an answer; no final stop.
[[nodiscard]] std::string sentence(const Note& note, const Report& report);

/// "registers", "shared memory", "warp slots" ...: the words of text reports.
[[nodiscard]] std::string_view words_of(Resource resource) noexcept;

/// With its first letter a capital, where that is one of a to z.
[[nodiscard]] std::string capitalized(std::string text);

/// "registers and shared memory"
[[nodiscard]] std::string joined_words(const ResourceSet& resources);

}  // namespace occcalc::report
