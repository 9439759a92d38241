#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "input/edit_distance.hpp"
#include "input/gpu_json.hpp"
#include "input/text.hpp"
#include "occcalc/gpu.hpp"

namespace occcalc {

namespace {

// Words that tell a product from no other.
constexpr std::array<std::string_view, 6> brands = {"nvidia", "geforce", "tesla", "quadro", "gpu", "graphics"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "NVIDIA GeForce RTX4090" is rtx, 4090: runs of letters and of digits, without brands.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < name.size();) {
    const bool letters = is_letter(name[at]);
    std::size_t end = at;
    while (end < name.size() && (letters ? is_letter(name[end]) : input::is_digit(name[end]))) {
      ++end;
    }
    if (end == at) {
      ++at;
      continue;
    }
    std::string word(name.substr(at, end - at));
    std::transform(word.begin(), word.end(), word.begin(), input::lower);
    if (std::find(brands.begin(), brands.end(), word) == brands.end()) {
      words.push_back(std::move(word));
    }
    at = end;
  }
  return words;
}

// Each word of `asked` stands in `words`, in the same order.
bool has_words(const std::vector<std::string>& words, const std::vector<std::string>& asked) {
  auto at = words.begin();
  for (const std::string& word : asked) {
    at = std::find(at, words.end(), word);
    if (at == words.end()) {
      return false;
    }
    ++at;
  }
  return true;
}

// "4090 D": a GeForce without the letters of its series, which its number tells.
std::vector<std::string> without_series(std::vector<std::string> words) {
  constexpr std::array<std::string_view, 3> series = {"rtx", "gtx", "gt"};
  if (words.size() > 1 && std::find(series.begin(), series.end(), words.front()) != series.end() &&
      input::is_digits(words[1])) {
    words.erase(words.begin());
  }
  return words;
}

// Its name, its aliases and what it is called in short, as words.
std::vector<std::vector<std::string>> names_of(const Gpu& gpu) {
  std::vector<std::vector<std::string>> names = {words_of(gpu.name)};
  if (gpu.name.starts_with("GeForce ")) {
    names.push_back(without_series(names.front()));
  }
  for (const std::string& alias : gpu.aliases) {
    names.push_back(words_of(alias));
  }
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  return std::accumulate(words.begin(), words.end(), std::string());
}

// The least distance to some of its words in a row: "h101" is near "H100 PCIe".
std::size_t distance_to_part(std::string_view asked, const std::vector<std::string>& words) {
  std::size_t least = asked.size();
  for (std::size_t first = 0; first < words.size(); ++first) {
    std::string part;
    for (std::size_t i = first; i < words.size() && part.size() < 2 * asked.size(); ++i) {
      part += words[i];
      least = std::min(least, input::edit_distance(asked, part));
    }
  }
  return least;
}

}  // namespace

GpuCatalog::GpuCatalog() : gpus_(input::read_gpus(input::built_in_gpus(), "data/gpus.json")) {}

void GpuCatalog::add_json(std::string_view text, const std::string& source) {
  for (Gpu& added : input::read_gpus(text, source)) {
    const auto known = std::find_if(gpus_.begin(), gpus_.end(), [&added](const Gpu& gpu) {
      return input::equal_ignoring_case(gpu.name, added.name);
    });
    if (known != gpus_.end()) {
      *known = std::move(added);
    } else {
      gpus_.push_back(std::move(added));
    }
  }
}

std::vector<const Gpu*> GpuCatalog::find(std::string_view name) const {
  const std::vector<std::string> asked = words_of(name);
  std::vector<const Gpu*> exact;
  std::vector<const Gpu*> partial;
  if (asked.empty()) {  // without a word that tells products apart, only the very name will do
    for (const Gpu& gpu : gpus_) {
      if (input::equal_ignoring_case(gpu.name, name)) {
        exact.push_back(&gpu);
      }
    }
    return exact;
  }
  for (const Gpu& gpu : gpus_) {
    const auto names = names_of(gpu);
    if (std::find(names.begin(), names.end(), asked) != names.end()) {
      exact.push_back(&gpu);
    } else if (std::any_of(names.begin(), names.end(), [&](const auto& words) { return has_words(words, asked); })) {
      partial.push_back(&gpu);
    }
  }
  return exact.empty() ? partial : exact;
}

std::vector<std::string> GpuCatalog::suggestions(std::string_view name) const {
  constexpr std::size_t most_letters = 64;
  constexpr std::size_t most = 3;
  const std::string asked = joined(words_of(name)).substr(0, most_letters);
  struct Near {
    std::size_t distance;
    bool begins_so;  // of two that are as near the first
    std::string name;
  };
  std::vector<Near> near;
  for (const Gpu& gpu : gpus_) {
    std::size_t least = most_letters;
    for (const auto& words : names_of(gpu)) {
      least = std::min(least, distance_to_part(asked, words));
    }
    if (least <= 1 + asked.size() / 4) {
      near.push_back({least, joined(words_of(gpu.name)).starts_with(asked), gpu.name});
    }
  }
  std::stable_sort(near.begin(), near.end(), [](const Near& a, const Near& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.begins_so && !b.begins_so;
  });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most, near.size()); ++i) {
    names.push_back(near[i].name);
  }
  return names;
}

}  // namespace occcalc
