#include <algorithm>
#include <csignal>
#include <exception>
#include <iterator>
#include <new>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "input/text.hpp"
#include "occcalc/arch_catalog.hpp"
#include "occcalc/error.hpp"
#include "occcalc/version.hpp"

namespace {

using namespace occcalc;
using namespace occcalc::cli;

enum class Command : std::uint8_t { Calculator, Archs, Gpus, Kernels, Later };

struct NamedCommand {
  std::string_view name;
  Command command;
};

constexpr NamedCommand commands[] = {{"archs", Command::Archs},     {"arch", Command::Archs},
                                     {"kernels", Command::Kernels}, {"kernel", Command::Kernels},
                                     {"gpus", Command::Gpus},       {"gpu", Command::Gpus},
                                     {"compare", Command::Later},   {"completions", Command::Later}};

const NamedCommand* find_command(const std::vector<Word>& words) {
  const auto* const match = std::find_if(std::begin(commands), std::end(commands), [&words](const NamedCommand& known) {
    return !words.empty() && words.front().text == known.name;
  });
  return match == std::end(commands) ? nullptr : match;
}

Commands options_of(const NamedCommand& named) {
  switch (named.command) {
    case Command::Archs: return Archs;
    case Command::Gpus: return Gpus;
    case Command::Kernels: return Kernels;
    default: return Calculator;
  }
}

std::string version_text() {
  return "occcalc " + std::to_string(OCCCALC_VERSION_MAJOR) + "." + std::to_string(OCCCALC_VERSION_MINOR) + "." +
         std::to_string(OCCCALC_VERSION_PATCH) + ", data of " + std::string(built_in_data_date()) + "\n";
}

std::string words_of(Commands command) {
  return command == Archs     ? "occcalc archs"
         : command == Gpus    ? "occcalc gpus"
         : command == Kernels ? "occcalc kernels"
                              : "occcalc [options]";
}

// Options that are known but not built, or that belong to another command.
void check_options(const Arguments& arguments, Commands command) {
  for (const std::string_view name : arguments.given()) {
    const Option& option = *find_option(name);
    if (option.help == Help::Later) {
      throw InputError(std::string(name), "is not built yet");
    }
    if ((option.commands & command) == 0) {
      throw InputError(std::string(name), "does not belong to `" + words_of(command) + "`");
    }
  }
}

[[noreturn]] void refuse_word(const Word& word) {
  const std::string where = word.after.empty() ? "command line" : std::string(word.after);
  const Option* const before = word.after.empty() ? nullptr : find_option(word.after);
  if (before != nullptr && before->value.empty()) {
    throw InputError(where, "takes no value, found '" + word.text + "' behind it");
  }
  if (input::is_digits(word.text) && before != nullptr) {
    throw InputError(where,
                     "stray number '" + word.text + "' behind its value; a list is 64,128 and a range FIRST:LAST:STEP");
  }
  if (word.text.find_first_of("./") != std::string::npos) {
    throw InputError(where, "stray word '" + word.text + "'; to read a file write `occcalc kernels " + word.text + "`");
  }
  throw InputError(where, "stray word '" + word.text + "'; every value follows its option, see `occcalc -h`");
}

std::vector<std::string> texts(std::vector<Word>::const_iterator first, std::vector<Word>::const_iterator last) {
  std::vector<std::string> texts;
  std::transform(first, last, std::back_inserter(texts), [](const Word& word) { return word.text; });
  return texts;
}

ExitStatus run(const Arguments& arguments) {
  const std::vector<Word>& words = arguments.words();
  const NamedCommand* const named = find_command(words);
  const bool full_help = arguments.has("--help-all");
  if (full_help || arguments.has("--help")) {
    static_cast<void>(write_stdout(help(named == nullptr ? Calculator : options_of(*named), full_help)));
    return answered;
  }
  if (arguments.has("--version")) {
    static_cast<void>(write_stdout(version_text()));
    return answered;
  }
  if (named != nullptr && named->command == Command::Later) {
    throw InputError("occcalc " + words.front().text, "is not built yet");
  }
  if (named != nullptr) {
    check_options(arguments, options_of(*named));
    const std::vector<std::string> rest = texts(words.begin() + 1, words.end());
    return named->command == Command::Kernels ? run_kernels(arguments, rest)
           : named->command == Command::Gpus  ? run_gpus(arguments, rest)
                                              : run_archs(arguments, rest);
  }
  check_options(arguments, Calculator);
  if (!words.empty()) {
    refuse_word(words.front());
  }
  return run_calculator(arguments);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is seen where it is written to, and ends the program quietly
  std::signal(SIGXFSZ, SIG_IGN);  // so is a file that may not grow
  occupy_standard_streams();
  try {
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    if (words.empty()) {
      write_stderr_text(usage());
      return could_not_answer;
    }
    const ExitStatus status = run(Arguments::parse(words));
    if (interrupted()) {
      end_as_interrupted();
    }
    return status;
  } catch (const std::bad_alloc&) {
    write_stderr("occcalc: error: out of memory");
  } catch (const std::exception& error) {
    write_stderr("occcalc: error: " + std::string(error.what()));
  }
  return could_not_answer;
}
