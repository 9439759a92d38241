/// Names of C++ as its compilers mangle them.
#pragma once

#include <string>

namespace occcalc::input {

/// The name as C++ spells it; the same where it is none of C++'s, or above 64 KB.
[[nodiscard]] std::string demangled(const std::string& name);

}  // namespace occcalc::input
