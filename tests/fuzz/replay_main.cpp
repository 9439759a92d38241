// Runs a fuzz target without libFuzzer: on each seed, then on mutations of the seeds. The same inputs in every run: the
// random numbers have a fixed seed, and the work is counted in inputs and bytes, not in time.
//   fuzz-<name> FILE_OR_FOLDER...

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace std::string_view_literals;

constexpr std::size_t most_seed_bytes = 1 << 14;  // mutations of small inputs reach more than those of large ones
constexpr int most_mutations = 16000;
constexpr std::size_t most_mutated_bytes = 32 << 20;

// What readers stumble over.
constexpr std::array special = {"\0"sv,
                                "\xff"sv,
                                "\xc3"sv,
                                "\xef\xbb\xbf"sv,
                                "\r"sv,
                                "\n"sv,
                                "\r\n"sv,
                                "\""sv,
                                "\""sv,
                                "\\"sv,
                                ","sv,
                                ":"sv,
                                "{"sv,
                                "}"sv,
                                "["sv,
                                "]"sv,
                                "("sv,
                                ")"sv,
                                "-1"sv,
                                "1e999"sv,
                                "0"sv,
                                "%"sv,
                                "'"sv,
                                " "sv,
                                "1,205.0"sv,
                                "\\u0000"sv,
                                "null"sv,
                                "2147483648"sv,
                                "99999999999999999999"sv,
                                "[[[[[[[[[[[[[[[["sv,
                                "\0\0\0\0"sv,
                                "\xff\xff"sv,
                                "\xff\xff\xff\xff"sv,
                                "\xff\xff\xff\xff\xff\xff\xff\x7f"sv,
                                "\xff\xff\xff\xff\xff\xff\xff\xff"sv,
                                "\x7f"
                                "ELF\2\1\1\x41\x08\0\0\0\0\0\0\0\2\0\xbe\0"sv,
                                "\x50\xed\x55\xba\1\0\x10\0"sv,
                                "\x28\xb5\x2f\xfd"sv,
                                "!<arch>\n"sv,
                                "`\n"sv};

class Mutator {
 public:
  void mutate(std::string& text) {
    for (std::uint64_t times = 1 + below(4); times > 0; --times) {
      mutate_once(text);
    }
  }

 private:
  // 0 to bound - 1; of distributions each standard library has its own.
  std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : random_() % bound; }

  void mutate_once(std::string& text) {
    constexpr std::uint64_t most_piece = 64;
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min<std::size_t>(below(most_piece), text.size() - at);
    switch (below(6)) {
      case 0: text.resize(at); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, text.substr(at, length)); break;
      case 3: text.insert(at, special[below(special.size())]); break;
      case 4: {  // what is behind it stays where it is: binaries say where their parts are
        const std::string_view piece = special[below(special.size())];
        text.replace(at, piece.size(), piece);
        break;
      }
      default:
        if (at < text.size()) {
          text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << below(8)));
        }
    }
  }

  std::mt19937_64 random_{1};  // NOLINT: the same inputs in every run
};

// A copy of its own, so that AddressSanitizer sees a read behind the end.
void run(std::string_view text) {
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

std::vector<std::filesystem::path> files_of(int count, char** arguments) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < count; ++i) {
    const std::filesystem::path given = arguments[i];
    if (!std::filesystem::is_directory(given)) {
      files.push_back(given);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(given)) {
      if (entry.is_regular_file()) {
        files.push_back(entry.path());
      }
    }
  }
  std::sort(files.begin(), files.end());  // folders are listed in no order
  return files;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> seeds = {"", "{", "[", "\"", "\n"};
  for (const std::filesystem::path& path : files_of(count, arguments)) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
      return 1;
    }
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    run(seeds.back());
    seeds.back().resize(std::min(seeds.back().size(), most_seed_bytes));
  }
  Mutator mutator;
  std::size_t bytes = 0;
  int mutations = 0;
  for (; mutations < most_mutations && bytes < most_mutated_bytes; ++mutations) {
    std::string text = seeds[static_cast<std::size_t>(mutations) % seeds.size()];
    mutator.mutate(text);
    run(text);
    bytes += text.size();
  }
  std::printf("%zu seeds, %d mutations, %zu bytes\n", seeds.size(), mutations, bytes);
  return 0;
}
