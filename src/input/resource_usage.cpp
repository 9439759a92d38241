#include "input/resource_usage.hpp"

#include <algorithm>
#include <utility>

#include "input/log_items.hpp"

namespace occcalc::input {

void ResourceUsage::read(std::int64_t line, std::string_view text) {
  if (text.ends_with(':')) {
    return read_head(line, text);
  }
  if (awaits_arch_) {
    constexpr std::string_view key = "arch = ";
    if (const std::size_t at = text.find(key); at != nowhere) {
      next_arch_ = first_word(text.substr(at + key.size()));
      awaits_arch_ = false;
    }
  } else if (function_line_ != 0) {
    if (const std::size_t at = text.find("REG:"); at != nowhere) {
      read_amounts(std::exchange(function_line_, 0), text.substr(at));
    }
  }
}

void ResourceUsage::read_head(std::int64_t line, std::string_view text) {
  constexpr std::string_view function = "Function ";
  function_line_ = 0;
  if (text.ends_with("Fatbin elf code:") || text.ends_with("Fatbin ptx code:")) {
    awaits_arch_ = text.ends_with("elf code:");
    next_arch_.clear();
    is_open_ = false;
  } else if (text.ends_with("Resource usage:")) {
    arch_ = std::exchange(next_arch_, {});
    awaits_arch_ = false;
    is_open_ = true;
  } else if (const std::size_t at = is_open_ ? text.find(function) : nowhere; at != nowhere) {
    const std::size_t begin = at + function.size();
    function_ = text.substr(begin, text.size() - 1 - begin);
    function_line_ = function_.empty() ? 0 : line;
  }
}

// A kernel has its parameters in CONSTANT[0], even if there are none; a device function has no such section.
void ResourceUsage::read_amounts(std::int64_t line, std::string_view text) {
  KernelRecord kernel;
  bool is_kernel = false;
  while (!text.empty()) {
    const std::string_view cell = text.substr(0, text.find(' '));
    text = without_spaces(text.substr(cell.size()));
    const std::size_t colon = std::min(cell.find(':'), cell.size());
    const std::string_view key = cell.substr(0, colon);
    std::string_view number = cell.substr(std::min(colon + 1, cell.size()));
    const Item item{cell, take_number(number), {}};
    if (key == "REG") {
      kernel.registers_per_thread = item.count();
    } else if (key == "STACK") {
      kernel.stack_frame = item.bytes();
    } else if (key == "SHARED") {
      kernel.static_shared_memory = item.bytes();
    } else if (key == "CONSTANT[0]") {
      is_kernel = true;
    }
  }
  if (is_kernel) {
    kernel.line = line;
    kernel.kernel = function_;
    kernel.arch = arch_;
    kernel.includes_reserve = true;
    sink_.kernel(std::move(kernel));
  }
}

}  // namespace occcalc::input
