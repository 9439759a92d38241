#include "cli/kernel_names.hpp"

#include <functional>

#include "input/demangle.hpp"
#include "input/utf8.hpp"

namespace occcalc::cli {

std::shared_ptr<const report::KernelName> KernelNames::find(const std::string& kernel) {
  constexpr std::size_t most_bytes = std::size_t{1} << 20;  // of a part; names that are still used outlive it
  Part& part = parts_[std::hash<std::string_view>()(kernel) % parts_.size()];
  {
    const std::lock_guard lock(part.mutex);
    if (const auto known = part.names.find(kernel); known != part.names.end()) {
      return known->second;
    }
  }
  auto names = std::make_shared<report::KernelName>();
  names->kernel = input::to_printable(kernel);
  names->name = input::demangled(names->kernel);
  const std::lock_guard lock(part.mutex);
  if (part.bytes > most_bytes) {
    part.names.clear();
    part.bytes = 0;
  }
  part.bytes += names->kernel.size() + names->name.size();
  if (names->kernel == kernel) {  // the key is its text
    part.names.emplace(names->kernel, names);
  }
  return names;
}

}  // namespace occcalc::cli
