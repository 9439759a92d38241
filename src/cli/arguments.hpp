/// The command line, taken apart.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/option_table.hpp"

namespace occcalc::cli {

/// A word that belongs to no option, and the option with a value that stands before it; empty if none does.
struct Word {
  std::string text;
  std::string_view after;
};

/// Options with their values, and the words that belong to none.
class Arguments {
 public:
  /// Throws InputError for what is no option, and for options without their value.
  static Arguments parse(const std::vector<std::string>& words);

  [[nodiscard]] bool has(std::string_view option) const { return values_.contains(option); }
  /// The only value; nullptr if the option is not given. Throws InputError if it is given twice.
  [[nodiscard]] const std::string* value(std::string_view option) const;
  /// All values, in the order given.
  [[nodiscard]] std::vector<std::string> values(std::string_view option) const;
  /// The same with one more option.
  [[nodiscard]] Arguments with(std::string_view option, std::vector<std::string> values) const {
    Arguments more = *this;
    more.values_[option] = std::move(values);
    return more;
  }
  /// The options given, by their long names.
  [[nodiscard]] std::vector<std::string_view> given() const;
  [[nodiscard]] const std::vector<Word>& words() const noexcept { return words_; }

 private:
  std::map<std::string_view, std::vector<std::string>> values_;
  std::vector<Word> words_;
};

}  // namespace occcalc::cli
