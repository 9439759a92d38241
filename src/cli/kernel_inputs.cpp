#include "cli/kernel_inputs.hpp"

#include <array>
#include <utility>

#include "cli/files.hpp"
#include "input/demangle.hpp"
#include "input/magic.hpp"
#include "input/utf8.hpp"
#include "occcalc/error.hpp"
#include "report/numbers.hpp"

namespace occcalc::cli {

namespace {

constexpr std::string_view looked_for =
    "looked for ptxas -v, nvlink, cuobjdump --dump-resource-usage, ncu, nsys and nvprof text or CSV, PyTorch traces, "
    "Triton's JSON";

// Files of NVIDIA's tools that those export better themselves.
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

const Export* export_of(std::string_view path, std::string_view text) {
  for (const Export& known : exports) {
    if (path.ends_with(known.ending) || (!known.beginning.empty() && text.starts_with(known.beginning))) {
      return &known;
    }
  }
  return nullptr;
}

class Reader {
 public:
  explicit Reader(bool tee) : tee_(tee) {}

  // `is_named`: by the user; what lies in a folder may be anything.
  void read(const std::string& path, bool is_named) {
    try {
      const InputBytes bytes(path, tee_);
      read(bytes.name(), bytes.view(), is_named);
    } catch (const InputError& error) {
      complain(error.what());
    }
  }

  void read_folder(const std::string& folder) {
    const std::size_t before = found_.kernels.size();
    const std::int64_t problems = found_.problems;
    std::vector<std::string> unreadable;
    const std::vector<std::string> files = files_below(folder, unreadable);
    for (const std::string& what : unreadable) {
      complain(what);
    }
    for (const std::string& file : files) {
      if (interrupted()) {
        return;
      }
      read(file, false);
    }
    if (found_.kernels.size() == before && found_.problems == problems) {
      complain(folder + ": no kernel in any file below it; " + std::string(looked_for));
    }
  }

  KernelInputs take() {
    if (found_.problems > most_named) {
      write_stderr("occcalc: error: " + report::grouped(found_.problems - most_named) + " more problems");
    }
    return std::move(found_);
  }

 private:
  static constexpr std::int64_t most_named = 20;

  void complain(const std::string& what) {
    if (++found_.problems <= most_named) {
      write_stderr("occcalc: error: " + what);
    }
  }

  void read(const std::string& name, std::string_view text, bool is_named) {
    const std::vector<InputKind> kinds = recognise_all(text);
    if (kinds.empty()) {
      if (is_named) {
        refuse(name, text);
      }
      return;
    }
    const std::size_t before = found_.kernels.size();
    const std::int64_t problems = found_.problems;
    for (const InputKind kind : kinds) {
      read(kind, text, sink_of(name));
    }
    if (is_named && found_.kernels.size() == before && found_.problems == problems) {
      complain(name + ": no kernel found; " + std::string(looked_for));
    }
  }

  static void read(InputKind kind, std::string_view text, const KernelSink& sink) {
    switch (kind) {
      case InputKind::BuildLog: read_build_log(text, sink); break;
      case InputKind::Ncu: read_ncu(text, sink); break;
      case InputKind::GpuTrace: read_gpu_trace(text, sink); break;
      case InputKind::Json: read_kernel_json(text, sink); break;
      case InputKind::Unknown: break;
    }
  }

  KernelSink sink_of(const std::string& name) {
    return {[this, name](KernelRecord&& record) {
              report::FoundKernel found;
              found.file = input::to_utf8(name);
              record.kernel = input::to_utf8(record.kernel);
              found.name = input::demangled(record.kernel);
              found.record = std::move(record);
              found_.kernels.push_back(std::move(found));
            },
            [this, name](std::int64_t line, const std::string& what) {
              complain(name + (line > 0 ? ":" + std::to_string(line) : "") + ": " + what);
            }};
  }

  void refuse(const std::string& name, std::string_view text) {
    if (const Export* const known = export_of(name, text)) {
      complain(name + ": is a file that only NVIDIA's tools read; export it: " + std::string(known->command) + name +
               " | occcalc kernels");
    } else if (input::begins_with_any(text, input::utf16_magics)) {
      complain(name + ": is UTF-16; make it UTF-8: iconv -f UTF-16 -t UTF-8 " + name + " | occcalc kernels");
    } else if (input::begins_with_any(text, input::gzip_magics)) {
      complain(name + ": is compressed: zcat " + name + " | occcalc kernels");
    } else if (text.find("threads_per_block") != std::string_view::npos) {
      complain(name + ": no kernel found; rows of occcalc's own, or such as it reads, go to `occcalc --from " + name +
               "`");
    } else if (input::begins_with_any(text, input::binary_magics)) {
      complain(name + ": GPU binaries are not read yet; give the text of `cuobjdump --dump-resource-usage " + name +
               "`");
    } else {
      complain(name + ": " + (text.empty() ? "is empty; " : "no kernel found; ") + std::string(looked_for));
    }
  }

  bool tee_;
  KernelInputs found_;
};

}  // namespace

KernelInputs read_kernel_inputs(const std::vector<std::string>& paths, bool tee) {
  Reader reader(tee);
  for (const std::string& path : paths) {
    if (path != "-" && is_folder(path)) {
      reader.read_folder(path);
    } else {
      reader.read(path, true);
    }
  }
  return reader.take();
}

}  // namespace occcalc::cli
