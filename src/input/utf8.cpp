#include "input/utf8.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace occcalc::input {

using nlohmann::json;

std::string to_utf8(const std::string& text) {
  const bool is_ascii =
      std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return is_ascii ? text : json::parse(to_json(text)).get<std::string>();
}

std::string to_json(const std::string& text) { return json(text).dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace occcalc::input
