#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "occcalc/error.hpp"

namespace occcalc::cli {

namespace {

// nvcc's spelling.
std::string long_spelling(std::string word) { return word == "-arch" || word.starts_with("-arch=") ? "-" + word : word; }

std::string name_part(const std::string& word) { return word.substr(0, word.find('=')); }

[[noreturn]] void needs_value(const Option& option, const std::string& found) {
  throw InputError(std::string(option.name), "needs a value " + std::string(option.value) + ", found " + found);
}

// Each option and its value as one word, `--block=256`, so that no value can be taken for an option (-1) or lost.
std::vector<std::string> joined_words(const std::vector<std::string>& words) {
  std::vector<std::string> joined;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string word = long_spelling(words[i]);
    if (word == "--") {
      joined.insert(joined.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    const Option* const option = find_option(name_part(word));
    if (option == nullptr || option->value.empty()) {
      joined.push_back(std::move(word));
      continue;
    }
    if (word.find('=') == std::string::npos) {
      if (i + 1 == words.size()) {
        needs_value(*option, "the end");
      }
      if (find_option(name_part(long_spelling(words[i + 1]))) != nullptr) {
        needs_value(*option, words[i + 1]);
      }
      word += "=" + words[++i];
    }
    const std::string value = word.substr(word.find('=') + 1);
    if (value.empty()) {
      needs_value(*option, "an empty one");
    }
    joined.push_back(std::string(option->name) + "=" + value);
  }
  return joined;
}

// Registering an option costs more than the whole calculation, so only those that occur are.
std::vector<const Option*> occurring(const std::vector<std::string>& words) {
  std::vector<const Option*> found;
  for (const std::string& word : words) {
    const Option* const option = find_option(name_part(word));
    if (option != nullptr && std::find(found.begin(), found.end(), option) == found.end()) {
      found.push_back(option);
    }
  }
  return found;
}

std::string spellings(const Option& option) {
  return option.letter.empty() ? std::string(option.name) : std::string(option.letter) + "," + std::string(option.name);
}

[[noreturn]] void refuse_unknown(const std::string& word) {
  const std::string name = name_part(word);
  const std::string_view meant = instead_of(name);
  throw InputError(name, "unknown option; " +
                             (meant.empty() ? "`occcalc --help-all` lists all" : "write " + std::string(meant)));
}

}  // namespace

Arguments Arguments::parse(const std::vector<std::string>& words) {
  Arguments arguments;
  std::vector<std::string> joined = joined_words(words);
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::map<const Option*, std::vector<std::string>> values;
  std::vector<std::pair<const Option*, CLI::Option*>> registered;
  for (const Option* const option : occurring(joined)) {
    CLI::Option* const added = option->value.empty() ? app.add_flag(spellings(*option))
                                                     : app.add_option(spellings(*option), values[option]);
    added->allow_extra_args(false);  // a second word is no second value
    registered.emplace_back(option, added);
  }
  std::reverse(joined.begin(), joined.end());  // as CLI11 takes them
  try {
    app.parse(std::move(joined));
  } catch (const CLI::ParseError& error) {
    throw InputError("command line", error.what());
  }
  for (const auto& [option, parsed] : registered) {
    if (parsed->count() > 0) {
      arguments.values_[option->name] = values[option];
    }
  }
  for (const std::string& word : app.remaining()) {
    if (word.size() > 1 && word.front() == '-' && word != "--") {
      refuse_unknown(word);
    }
    if (word != "--") {
      arguments.words_.push_back(word);
    }
  }
  return arguments;
}

const std::string* Arguments::value(std::string_view option) const {
  const auto match = values_.find(option);
  if (match == values_.end() || match->second.empty()) {
    return nullptr;
  }
  if (match->second.size() > 1) {
    throw InputError(std::string(option), "given " + std::to_string(match->second.size()) +
                                              " times; sweeps are not built yet, give one value");
  }
  return &match->second.front();
}

std::vector<std::string> Arguments::values(std::string_view option) const {
  const auto match = values_.find(option);
  return match == values_.end() ? std::vector<std::string>() : match->second;
}

std::vector<std::string_view> Arguments::given() const {
  std::vector<std::string_view> names;
  for (const auto& [name, values] : values_) {
    names.push_back(name);
  }
  return names;
}

}  // namespace occcalc::cli
