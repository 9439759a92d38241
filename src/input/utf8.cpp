#include "input/utf8.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

namespace occcalc::input {

using nlohmann::json;

std::string to_utf8(const std::string& text) {
  const bool is_ascii =
      std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return is_ascii ? text : json::parse(to_json(text)).get<std::string>();
}

std::string to_printable(const std::string& text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  // U+0080 to U+009F are c2 80 to c2 9f.
  const bool is_plain = std::none_of(text.begin(), text.end(), [&](char c) { return is_control(c) || c == '\xc2'; });
  if (is_plain) {
    return to_utf8(text);
  }
  constexpr std::string_view digits = "0123456789abcdef";
  const std::string utf8 = to_utf8(text);
  std::string printable;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const bool is_c1 = utf8[i] == '\xc2' && i + 1 < utf8.size() && static_cast<unsigned char>(utf8[i + 1]) < 0xa0;
    i += is_c1 ? 1 : 0;
    if (is_c1 || is_control(utf8[i])) {
      const auto byte = static_cast<unsigned char>(utf8[i]);
      printable += {'\\', 'x', digits[byte >> 4U], digits[byte & 0xfU]};
    } else {
      printable += utf8[i];
    }
  }
  return printable;
}

std::string to_json(const std::string& text) { return json(text).dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace occcalc::input
