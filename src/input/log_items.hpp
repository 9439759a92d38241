/// The amounts in the lines of compilers: "Used 32 registers, used 1 barriers, 8192 bytes smem".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace occcalc::input {

inline constexpr std::size_t nowhere = std::string_view::npos;

/// Thrown for a line that was recognised and cannot be read.
struct Unreadable {
  std::string what;
};

[[nodiscard]] std::string refusal(std::string_view found, std::string_view accepted);
[[noreturn]] void refuse(std::string_view found, std::string_view accepted);

[[nodiscard]] std::string_view without_spaces(std::string_view text);

/// The letters, digits and underscores at the beginning.
[[nodiscard]] std::string_view first_word(std::string_view text);

/// The digits at the beginning of `rest`, which moves behind them. nullopt: none, or 2^63 and above.
[[nodiscard]] std::optional<std::int64_t> take_number(std::string_view& rest);

/// One of the amounts that commas separate: "used 1 barriers", "1072+16 bytes smem". Its numbers throw Unreadable.
struct Item {
  std::string_view text;
  std::optional<std::int64_t> amount;
  std::string_view unit;

  [[nodiscard]] bool has_unit(std::string_view name) const;
  [[nodiscard]] int count() const;
  [[nodiscard]] std::int64_t bytes() const;
};

/// What a "Used" line states. ptxas leaves zero bytes of shared memory out.
struct Used {
  std::optional<int> registers = std::nullopt;
  std::optional<int> barriers = std::nullopt;
  std::int64_t shared_memory = 0;
  std::optional<std::int64_t> stack = std::nullopt;

  /// False for what is not used here: memory of constants, textures, what later compilers will add.
  bool take(const Item& item);
};

/// By item, not by place: compilers add items and leave them out. Where a line is cut its last item must be known, lest
/// shared memory goes missing. Throws Unreadable.
[[nodiscard]] Used read_used(std::string_view text, bool is_cut);

/// Stack frame and spills of one function.
struct Stack {
  std::int64_t frame = 0;
  std::int64_t spill_stores = 0;
  std::int64_t spill_loads = 0;
};

/// Throws Unreadable.
[[nodiscard]] Stack read_stack(std::string_view text);

}  // namespace occcalc::input
