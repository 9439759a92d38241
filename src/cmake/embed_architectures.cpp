// Writes data/architectures/*.json as C++: the limits as constants, so that a program starts without parsing them, and
// the JSON texts, for who asks for sources. Runs at build time, reads with the program's own strict reader, and so
// stops the build at any fault in the data.
//
//   embed_architectures OUTPUT INPUT...

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

#include "cmake/embed.hpp"
#include "input/arch_json.hpp"
#include "occcalc/error.hpp"

namespace {

using namespace occcalc;
using embed::quoted;
using embed::quoted_in_pieces;
using embed::read_file;

// The C++ literal of each type of a limit.
std::string literal(int number) { return std::to_string(number); }
std::string literal(std::int64_t number) { return std::to_string(number); }
std::string literal(bool flag) { return flag ? "true" : "false"; }
std::string literal(std::optional<int> number) { return number ? std::to_string(*number) : "std::nullopt"; }
std::string literal(Dim3 size) {
  return "{" + std::to_string(size.x) + ", " + std::to_string(size.y) + ", " + std::to_string(size.z) + "}";
}
std::string literal(CarveoutKind kind) {
  return "static_cast<CarveoutKind>(" + std::to_string(static_cast<int>(kind)) + ")";
}
std::string literal(L1Kind kind) { return "static_cast<L1Kind>(" + std::to_string(static_cast<int>(kind)) + ")"; }
std::string literal(const CarveoutSizes& sizes) {
  std::string text = "{";
  for (const std::int64_t size : sizes) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  }
  return text + "}";
}

std::string confidence_literal(Confidence confidence) {
  return "static_cast<Confidence>(" + std::to_string(static_cast<int>(confidence)) + ")";
}

void write_architecture(std::ostream& out, const input::ArchDocument& document) {
  out << "    {.name = " << quoted(document.name) << ",\n     .compute_capability = ";
  if (document.compute_capability) {
    out << "ComputeCapability{" << document.compute_capability->major << ", " << document.compute_capability->minor
        << "}";
  } else {
    out << "std::nullopt";
  }
  out << ",\n     .suffixes = " << quoted(document.suffixes) << ",\n     .generation = " << quoted(document.generation)
      << ",\n     .architecture = " << quoted(document.architecture) << ",\n     .chips = " << quoted(document.chips)
      << ",\n     .products = " << quoted(document.products)
      << ",\n     .confidence = " << confidence_literal(document.confidence) << ",\n     .limits = {";
  const char* separator = "";
  for_each_limit(document.limits, [&](std::string_view name, const auto& value) {
    out << separator << "." << name << " = " << literal(value);
    separator = ",\n                ";
  });
  out << "},\n     .latencies = {";
  separator = "";
  for_each_latency(document.latencies, [&](std::string_view name, const auto& value) {
    out << separator << "." << name << " = " << literal(value);
    separator = ", ";
  });
  out << "}},\n";
}

// Ascending capability; what has none comes last.
bool comes_before(const input::ArchDocument& a, const input::ArchDocument& b) {
  if (a.compute_capability.has_value() != b.compute_capability.has_value()) {
    return a.compute_capability.has_value();
  }
  return a.compute_capability < b.compute_capability;
}

int embed_all(const std::string& output, const std::vector<std::string>& inputs) {
  std::vector<input::ArchDocument> documents;
  std::ostringstream texts;
  std::string date;
  for (const std::string& path : inputs) {
    const std::string text = read_file(path);
    const auto no_base = [](std::string_view) { return std::nullopt; };
    const auto read = input::read_architectures(text, path, input::Sources::Required, no_base);
    documents.insert(documents.end(), read.begin(), read.end());
    date = std::max(date, input::read_document_date(text));
    texts << "    {" << quoted(read.front().generation) << "," << quoted_in_pieces(text) << "},\n";
  }
  std::sort(documents.begin(), documents.end(), comes_before);

  std::ofstream out(output, std::ios::binary);
  out << "// Generated from data/architectures/ by embed_architectures.cpp.\n"
         "#include \"input/built_in.hpp\"\n\nnamespace occcalc::input {\n\nnamespace {\n\n"
         "constexpr Architecture table[] = {\n";
  for (const input::ArchDocument& document : documents) {
    write_architecture(out, document);
  }
  out << "};\n\nconstexpr BuiltInText texts[] = {\n"
      << texts.str() << "};\n\n}  // namespace\n\n"
      << "std::span<const Architecture> built_in_table() noexcept { return table; }\n"
      << "std::span<const BuiltInText> built_in_texts() noexcept { return texts; }\n"
      << "std::string_view built_in_date() noexcept { return " << quoted(date)
      << "; }\n\n}  // namespace occcalc::input\n";
  out.close();
  if (!out) {
    throw Error(output + ": cannot be written");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 2) {
    std::cerr << "usage: embed_architectures OUTPUT INPUT...\n";
    return 2;
  }
  try {
    return embed_all(arguments.front(), {arguments.begin() + 1, arguments.end()});
  } catch (const std::exception& error) {
    std::cerr << "embed_architectures: " << error.what() << "\n";
    return 1;
  }
}
