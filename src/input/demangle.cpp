#include "input/demangle.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace occcalc::input {

std::string demangled(const std::string& name) {
  constexpr std::size_t most = 1 << 16;  // deeper names could exhaust the stack
  if (!name.starts_with("_Z") || name.size() > most) {
    return name;
  }
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

}  // namespace occcalc::input
