#include "cli/input_refusal.hpp"

#include <array>

#include "input/magic.hpp"

namespace occcalc::cli {

namespace {

struct Export {
  std::string_view ending;
  std::string_view beginning;  // of the file; empty: unknown
  std::string_view command;    // before the file's name
};

constexpr std::array<Export, 5> exports = {{{".ncu-rep", "NVR", "ncu --csv --page raw --print-units base --import "},
                                            {".ncu-repz", "", "ncu --csv --page raw --print-units base --import "},
                                            {".nsys-rep", "", "nsys stats -r cuda_gpu_trace -f csv "},
                                            {".sqlite", input::sqlite_magic, "nsys stats -r cuda_gpu_trace -f csv "},
                                            {".nvvp", "", "nvprof --print-gpu-trace --csv --import-profile "}}};

// "NAME: what", and a command that holds the name once more.
std::string line_of(const std::string& name, std::string_view what, std::string_view before = "",
                    std::string_view after = "") {
  std::string text = name;
  text.append(": ").append(what);
  if (!before.empty()) {
    text.append(before).append(name).append(after);
  }
  return text;
}

}  // namespace

std::string export_advice(const std::string& name, std::string_view bytes) {
  for (const Export& known : exports) {
    if (name.ends_with(known.ending) || (!known.beginning.empty() && bytes.starts_with(known.beginning))) {
      return line_of(name, "is a file that only NVIDIA's tools read; export it: ", known.command, " | occcalc kernels");
    }
  }
  return "";
}

std::string refusal_of(const std::string& name, std::string_view bytes) {
  if (std::string advice = export_advice(name, bytes); !advice.empty()) {
    return advice;
  }
  if (input::begins_with_any(bytes, input::utf16_magics)) {
    return line_of(name, "is UTF-16; make it UTF-8: ", "iconv -f UTF-16 -t UTF-8 ", " | occcalc kernels");
  }
  if (input::begins_with_any(bytes, input::gzip_magics)) {
    return line_of(name, "is compressed: ", "zcat ", " | occcalc kernels");
  }
  if (input::begins_with_any(bytes, input::zstd_magics)) {
    return line_of(name, "is compressed: ", "zstdcat ", " | occcalc kernels");
  }
  if (input::begins_with_any(bytes, input::old_fatbin_magics)) {
    return line_of(name, "is a fatbin of a toolkit before CUDA 4, which is not read");
  }
  if (bytes.find("threads_per_block") != std::string_view::npos) {
    return line_of(name, "no kernel found; rows of occcalc's own, or such as it reads, go to ", "`occcalc --from ",
                   "`");
  }
  return line_of(name, bytes.empty() ? "is empty; " : "no kernel found; ").append(looked_for);
}

}  // namespace occcalc::cli
