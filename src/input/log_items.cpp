#include "input/log_items.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>

#include "input/text.hpp"

namespace occcalc::input {

namespace {

constexpr std::string_view count_accepted = "a whole number up to 2147483647";
constexpr std::string_view bytes_accepted = "whole bytes below 2^63";

bool is_word(char c) { return is_digit(c) || (input::lower(c) >= 'a' && input::lower(c) <= 'z') || c == '_'; }

// Until sm_20 the bytes were those of the user and of the system, "a+b"; a block takes both.
std::optional<std::int64_t> take_sum(std::string_view& rest) {
  std::optional<std::int64_t> sum = take_number(rest);
  while (rest.starts_with('+')) {
    rest.remove_prefix(1);
    const std::optional<std::int64_t> more = take_number(rest);
    sum = sum && more && *more <= INT64_MAX - *sum ? std::optional(*sum + *more) : std::nullopt;
  }
  return sum;
}

Item read_item(std::string_view text) {
  text = without_spaces(text);
  std::string_view rest = text;
  if (rest.starts_with("Used ") || rest.starts_with("used ")) {
    rest.remove_prefix(5);
  }
  Item item{text, take_sum(rest), {}};
  item.unit = without_spaces(rest);
  return item;
}

bool is_whole(const Item& item) {
  constexpr std::array<std::string_view, 6> units = {
      "bytes lmem", "bytes cumulative stack size", "textures", "surfaces", "samplers", "bytes gmem"};
  return (item.unit.starts_with("bytes cmem[") && item.unit.find(']') != nowhere) ||
         std::any_of(units.begin(), units.end(), [&item](std::string_view unit) { return item.has_unit(unit); });
}

}  // namespace

std::string refusal(std::string_view found, std::string_view accepted) {
  return "found " + abridged(found) + "; accepted: " + std::string(accepted);
}

void refuse(std::string_view found, std::string_view accepted) { throw Unreadable{refusal(found, accepted)}; }

std::string_view without_spaces(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_word) - text.begin()));
}

std::optional<std::int64_t> take_number(std::string_view& rest) {
  std::int64_t number = 0;
  if (rest.empty() || !is_digit(rest.front())) {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

bool Item::has_unit(std::string_view name) const {
  return unit.starts_with(name) && (unit.size() == name.size() || !is_word(unit[name.size()]));
}

int Item::count() const {
  if (!amount || *amount > INT_MAX) {
    refuse(text, count_accepted);
  }
  return static_cast<int>(*amount);
}

std::int64_t Item::bytes() const {
  if (!amount) {
    refuse(text, bytes_accepted);
  }
  return *amount;
}

bool Used::take(const Item& item) {
  if (item.has_unit("registers")) {
    registers = item.count();
  } else if (item.has_unit("barriers")) {
    barriers = item.count();
  } else if (item.has_unit("bytes smem")) {
    shared_memory = item.bytes();
  } else if (item.has_unit("stack")) {
    stack = item.bytes();
  } else {
    return false;
  }
  return true;
}

Used read_used(std::string_view text, bool is_cut) {
  Used used;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const Item item = read_item(rest.substr(0, comma));
    const bool is_last = comma == nowhere;
    if (!used.take(item) && is_last && is_cut && !is_whole(item)) {
      refuse(text, "a whole line");
    }
    if (is_last) {
      break;
    }
    rest.remove_prefix(comma + 1);
  }
  if (!used.registers) {
    refuse(text, "Used N registers, ...");
  }
  return used;
}

Stack read_stack(std::string_view text) {
  constexpr std::array<std::string_view, 3> units = {"bytes stack frame", "bytes spill stores", "bytes spill loads"};
  std::array<std::int64_t, 3> amounts{};
  std::string_view rest = text;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::size_t comma = i + 1 < units.size() ? rest.find(',') : nowhere;
    const Item item = read_item(rest.substr(0, comma));
    if (!item.has_unit(units[i])) {
      refuse(text, "N bytes stack frame, N bytes spill stores, N bytes spill loads");
    }
    amounts[i] = item.bytes();
    rest.remove_prefix(comma == nowhere ? rest.size() : comma + 1);
  }
  return {amounts[0], amounts[1], amounts[2]};
}

}  // namespace occcalc::input
