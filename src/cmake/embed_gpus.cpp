// Writes data/gpus.json as C++. Runs at build time, reads with the program's own strict reader, and so stops the build
// at any fault in the data.
//
//   embed_gpus OUTPUT INPUT

#include <fstream>
#include <iostream>

#include "cmake/embed.hpp"
#include "input/gpu_json.hpp"

int main(int argc, char** argv) {
  using namespace occcalc;
  if (argc != 3) {
    std::cerr << "usage: embed_gpus OUTPUT INPUT\n";
    return 2;
  }
  try {
    const std::string text = embed::read_file(argv[2]);
    static_cast<void>(input::read_gpus(text, argv[2]));
    std::ofstream out(argv[1], std::ios::binary);
    out << "// Generated from data/gpus.json by embed_gpus.cpp.\n#include \"input/gpu_json.hpp\"\n\n"
           "namespace occcalc::input {\n\nstd::string_view built_in_gpus() noexcept {\n  return"
        << embed::quoted_in_pieces(text) << ";\n}\n\n}  // namespace occcalc::input\n";
    out.close();
    if (!out) {
      throw Error(std::string(argv[1]) + ": cannot be written");
    }
  } catch (const std::exception& error) {
    std::cerr << "embed_gpus: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
