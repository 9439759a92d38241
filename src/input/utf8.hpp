/// Texts of unknown bytes, made fit for JSON.
#pragma once

#include <string>

namespace occcalc::input {

/// The text, each byte that is no part of UTF-8 as U+FFFD.
[[nodiscard]] std::string to_utf8(const std::string& text);

/// The same with control characters written out, as \x1b: for names that bytes of unknown origin give.
[[nodiscard]] std::string to_printable(const std::string& text);

/// The same as JSON, in quotes.
[[nodiscard]] std::string to_json(const std::string& text);

}  // namespace occcalc::input
