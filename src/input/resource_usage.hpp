/// What cuobjdump prints of the resources of a binary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "occcalc/readers.hpp"

namespace occcalc::input {

/// `cuobjdump --dump-resource-usage`: blocks with the architecture above them, none where the input was a bare cubin.
class ResourceUsage {
 public:
  explicit ResourceUsage(const KernelSink& sink) : sink_(sink) {}

  void read(std::int64_t line, std::string_view text);

 private:
  void read_head(std::int64_t line, std::string_view text);
  void read_amounts(std::int64_t line, std::string_view text);

  const KernelSink& sink_;
  bool awaits_arch_ = false;
  bool is_open_ = false;  // functions may come
  std::string next_arch_{};
  std::string arch_{};
  std::string function_{};
  std::int64_t function_line_ = 0;
};

}  // namespace occcalc::input
