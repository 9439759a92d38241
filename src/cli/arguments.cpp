#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "occcalc/error.hpp"

namespace occcalc::cli {

namespace {

// nvcc's spelling.
std::string long_spelling(const std::string& word) {
  return word == "-arch" || word.starts_with("-arch=") ? "-" + word : word;
}

std::string name_part(const std::string& word) { return word.substr(0, word.find('=')); }

[[noreturn]] void refuse_unknown(const std::string& word) {
  const std::string name = name_part(word);
  const std::string_view meant = instead_of(name);
  throw InputError(
      name, "unknown option; " + (meant.empty() ? "`occcalc --help-all` lists all" : "write " + std::string(meant)));
}

// Takes the command line apart before the parser sees it: each option and its value become one word, `--block=256`, so
// that no value can be taken for an option (-1) or lost, and words that belong to no option stand apart.
class Splitter {
 public:
  explicit Splitter(const std::vector<std::string>& words) : words_(words) {
    while (next_ < words_.size()) {
      take(long_spelling(words_[next_++]));
    }
  }

  std::vector<std::string> options;
  std::vector<Word> stray;

 private:
  void take(const std::string& word) {
    if (only_words_ || word.size() < 2 || word.front() != '-') {
      stray.push_back({word, last_option_});
      return;
    }
    if (word == "--") {
      only_words_ = true;
      return;
    }
    const Option* option = find_option(name_part(word));
    if (option == nullptr && word[1] != '-' && (option = find_option(word.substr(0, 2))) != nullptr &&
        !option->value.empty()) {
      add(*option, word.substr(2));  // -oFILE
    } else if (option == nullptr) {
      refuse_unknown(word);
    } else if (word.find('=') != std::string::npos) {
      add(*option, word.substr(word.find('=') + 1));
    } else {
      add(*option);
    }
  }

  void add(const Option& option) {
    if (option.value.empty()) {
      last_option_ = option.name;
      options.emplace_back(option.name);
      return;
    }
    if (next_ == words_.size()) {
      needs_value(option, "the end");
    }
    if (find_option(name_part(long_spelling(words_[next_]))) != nullptr) {
      needs_value(option, words_[next_]);
    }
    add(option, words_[next_++]);
  }

  void add(const Option& option, const std::string& value) {
    if (option.value.empty()) {
      throw InputError(std::string(option.name), "takes no value, found '" + value + "'");
    }
    if (value.empty()) {
      needs_value(option, "an empty one");
    }
    last_option_ = option.name;
    options.push_back(std::string(option.name) + "=" + value);
  }

  [[noreturn]] static void needs_value(const Option& option, const std::string& found) {
    throw InputError(std::string(option.name),
                     "needs a value " + std::string(option.value) + ", found " + found +
                         (option.text.empty() ? "" : "; accepted: " + std::string(option.text)));
  }

  const std::vector<std::string>& words_;
  std::size_t next_ = 0;
  bool only_words_ = false;
  std::string_view last_option_;
};

// Registering an option costs more than the whole calculation, so only those that occur are.
std::vector<const Option*> occurring(const std::vector<std::string>& words) {
  std::vector<const Option*> found;
  for (const std::string& word : words) {
    const Option* const option = find_option(name_part(word));
    if (std::find(found.begin(), found.end(), option) == found.end()) {
      found.push_back(option);
    }
  }
  return found;
}

std::string spellings(const Option& option) {
  return option.letter.empty() ? std::string(option.name) : std::string(option.letter) + "," + std::string(option.name);
}

}  // namespace

Arguments Arguments::parse(const std::vector<std::string>& words) {
  Splitter split(words);
  Arguments arguments;
  arguments.words_ = std::move(split.stray);
  CLI::App app;
  app.set_help_flag();
  for (const Option* const option : occurring(split.options)) {
    std::vector<std::string>& values = arguments.values_[option->name];
    CLI::Option* const added =
        option->value.empty() ? app.add_flag(spellings(*option)) : app.add_option(spellings(*option), values);
    added->allow_extra_args(false);  // a second word is no second value
  }
  std::reverse(split.options.begin(), split.options.end());  // as CLI11 takes them
  try {
    app.parse(std::move(split.options));
  } catch (const CLI::ParseError& error) {
    throw InputError("command line", error.what());
  }
  return arguments;
}

const std::string* Arguments::value(std::string_view option) const {
  const auto match = values_.find(option);
  if (match == values_.end() || match->second.empty()) {
    return nullptr;
  }
  if (match->second.size() > 1) {
    throw InputError(std::string(option), "given " + std::to_string(match->second.size()) + " times; give it once");
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
