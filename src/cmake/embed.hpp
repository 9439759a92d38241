/// What the generators of built-in data share.
#pragma once

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "occcalc/error.hpp"

namespace occcalc::embed {

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    throw Error(path + ": cannot be read");
  }
  return text.str();
}

inline std::string quoted(std::string_view text) {
  std::ostringstream out;
  out << "R\"json(" << text << ")json\"";
  return out.str();
}

// Compilers limit the length of one literal; neighbours are joined.
inline std::string quoted_in_pieces(std::string_view text) {
  constexpr std::size_t most = 8000;
  std::string pieces;
  for (; !text.empty(); text.remove_prefix(std::min(most, text.size()))) {
    pieces += "\n    " + quoted(text.substr(0, most));
  }
  return pieces;
}

}  // namespace occcalc::embed
