/// Every option of the program, once: parsing, help and error hints read this table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace occcalc::cli {

enum class Group : std::uint8_t { Configuration, Questions, Kernels, Gates, Output, General };

/// Where an option stands in the help.
enum class Help : std::uint8_t {
  Short,  ///< in -h and --help-all
  Named,  ///< in -h only by name
  Full,   ///< in --help-all
  Later,  ///< known, but refused: not built yet
};

/// The commands an option belongs to, as bits.
enum Commands : std::uint8_t { Calculator = 1, Archs = 2, Kernels = 4, Gpus = 8, All = 15 };

constexpr Commands operator|(Commands a, Commands b) {
  return static_cast<Commands>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

struct Option {
  std::string_view name;    ///< "--arch"
  std::string_view letter;  ///< "-o"; empty if none
  std::string_view value;   ///< the word for its value in the help; empty: a flag
  Group group = Group::General;
  Help help = Help::Short;
  Commands commands = Calculator;
  std::string_view text;  ///< one line of help
};

[[nodiscard]] std::span<const Option> all_options() noexcept;

/// The option of this name or letter; nullptr if there is none.
[[nodiscard]] const Option* find_option(std::string_view name) noexcept;

/// What to write instead of an unknown option: a synonym's or the nearest name; empty if nothing is near.
[[nodiscard]] std::string_view instead_of(std::string_view unknown) noexcept;

/// The usage that stands alone.
[[nodiscard]] std::string usage();
/// -h and --help-all of a command.
[[nodiscard]] std::string help(Commands command, bool full);

}  // namespace occcalc::cli
