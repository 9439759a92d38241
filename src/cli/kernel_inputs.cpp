#include "cli/kernel_inputs.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "cli/files.hpp"
#include "cli/input_refusal.hpp"
#include "cli/kernel_names.hpp"
#include "cli/triton_cache.hpp"
#include "input/archive.hpp"
#include "input/utf8.hpp"
#include "occcalc/error.hpp"
#include "occcalc/gpu_binaries.hpp"
#include "report/numbers.hpp"

namespace occcalc::cli {

namespace {

using report::FoundKernel;

// A file, or a folder, of which something is to be said once all its pieces are read.
struct Input {
  std::string complaint{};  // if nothing was found; empty: none
  std::shared_ptr<Input> folder{};
  std::atomic<std::int64_t> found = 0;  // kernels, problems, and code that was left unread
  std::atomic<std::int64_t> open = 1;   // pieces that are not read yet
};

void close(Input& input, Chunk& chunk) {
  if (--input.open > 0) {
    return;
  }
  if (input.found == 0 && !input.complaint.empty()) {
    chunk.errors.push_back(input.complaint);
    ++input.found;
  }
  if (input.folder) {
    input.folder->found += input.found;
    close(*input.folder, chunk);
  }
}

// A binary while it is read.
struct Binary : Input {
  Binary(const std::string& path, bool tee) : bytes(path, tee) {}

  InputBytes bytes;
  std::string label{};  // for errors
  std::string_view name{};
  std::optional<KernelRecord> launch{};  // as Triton's cache says it
  bool is_named = false;
  std::int64_t images = 0;
  std::int64_t lto_ir = 0;
};

// What to say of a binary in which no kernel was found.
std::string complaint_of(const Binary& binary) {
  if (binary.lto_ir > 0 && binary.images == 0) {
    return binary.label + ": holds LTO-IR only, which has no kernels before it is linked; give the linked file";
  }
  return binary.label + (binary.images == 0   ? ": no GPU code found in it"
                         : binary.images == 1 ? ": no kernel in its GPU image"
                                              : ": no kernel in its " + report::grouped(binary.images) + " GPU images");
}

// Some of its images, and the bytes among which they stand.
struct Piece {
  std::shared_ptr<Binary> binary;
  std::vector<GpuImage> images{};
  std::vector<std::string> problems{};
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t decompressed = 0;
};

// Readers with their buffers, for whichever thread needs one.
class Readers {
 public:
  std::unique_ptr<ImageReader> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      return std::make_unique<ImageReader>();
    }
    std::unique_ptr<ImageReader> reader = std::move(idle_.back());
    idle_.pop_back();
    return reader;
  }
  void give_back(std::unique_ptr<ImageReader> reader) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(reader));
  }
  void clear() { idle_.clear(); }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<ImageReader>> idle_;
};

void read_text(InputKind kind, std::string_view text, const KernelSink& sink) {
  switch (kind) {
    case InputKind::BuildLog: read_build_log(text, sink); break;
    case InputKind::Ncu: read_ncu(text, sink); break;
    case InputKind::GpuTrace: read_gpu_trace(text, sink); break;
    case InputKind::Json: read_kernel_json(text, sink); break;
    case InputKind::Ptx: read_ptx(text, sink); break;
    case InputKind::GpuBinary:
    case InputKind::Unknown: break;
  }
}

}  // namespace

// Goes over the inputs and makes tasks of them.
class KernelInputs::Reading {
 public:
  Reading(std::vector<std::string> paths, Options options) : options_(std::move(options)) {
    for (std::string& path : paths) {
      add(std::move(path));
    }
    for (const File& file : files_) {
      named_.insert(file.path);
    }
  }

  TaskSource tasks(Use use) {
    use_ = std::move(use);
    const bool may_wait = std::any_of(files_.begin(), files_.end(), [](const File& file) { return file.path == "-"; });
    constexpr std::size_t ahead = 16;  // images have 1 KB to 100 MB, their kernels little text
    return {[this] { return next(); }, may_wait, nullptr, ahead};
  }

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  void end() { readers_.clear(); }
  [[nodiscard]] const Unread& unread() const { return unread_; }

 private:
  struct File {
    std::string path;
    bool is_named = true;  // by the user; what lies in a folder may be anything
    std::shared_ptr<Input> folder{};
  };

  struct ThinMember {
    std::string path;
    std::string name;  // in the archive
    std::shared_ptr<Binary> archive;
  };

  void add(std::string path) {
    if (path == "-" || !is_folder(path)) {
      add_file({std::move(path)});
      return;
    }
    auto folder = std::make_shared<Input>();
    std::vector<std::string> unreadable;
    for (std::string& file : files_below(path, unreadable)) {
      ++folder->open;
      add_file({std::move(file), false, folder});
    }
    folder->complaint = path + ": no kernel in any file below it; " + std::string(looked_for);
    folder->found += static_cast<std::int64_t>(unreadable.size());
    waiting_.emplace_back([folder, unreadable](Chunk& chunk) {
      chunk.errors.insert(chunk.errors.end(), unreadable.begin(), unreadable.end());
      close(*folder, chunk);
    });
  }

  void add_file(File file) {
    const std::optional<std::int64_t> size = regular_file_size(file.path);
    is_size_known_ = is_size_known_ && size;
    bytes_ = is_size_known_ ? bytes_ + *size : 0;
    files_.push_back(std::move(file));
  }

  // The next piece of the inputs. One thread at a time is here.
  Task next() {
    while (!interrupted()) {
      if (!waiting_.empty()) {
        Task task = std::move(waiting_.front());
        waiting_.pop_front();
        return task;
      }
      if (finder_) {
        if (Task task = next_piece()) {
          return task;
        }
      } else if (!thin_members_.empty()) {
        const ThinMember member = std::move(thin_members_.front());
        thin_members_.pop_front();
        open(member);
      } else if (!files_.empty()) {
        const File file = std::move(files_.front());
        files_.pop_front();
        open(file);
      } else {
        return nullptr;
      }
    }
    return nullptr;
  }

  void open(const File& file) {
    if (is_launch_of_cubin(file) || (!file.is_named && is_triton_list(file.path))) {
      close_later(file.folder);
      return;
    }
    auto binary = open_bytes(file.path, file.folder);
    if (!binary) {
      return;
    }
    const std::string& name = binary->label;
    binary->name = *names_.insert(input::to_utf8(name)).first;
    const std::string_view bytes = binary->bytes.view();
    const std::vector<InputKind> kinds = recognise_all(bytes);
    const std::string advice = file.is_named ? export_advice(name, bytes) : "";
    const bool is_asked_for = file.is_named || options_.ptx || kinds != std::vector{InputKind::Ptx};
    if (kinds.empty() || !is_asked_for || (kinds.front() == InputKind::GpuBinary && !advice.empty())) {
      binary->complaint = file.is_named ? refusal_of(name, bytes) : "";
      close_later(binary);
    } else if (kinds.front() == InputKind::GpuBinary) {
      binary->is_named = file.is_named;
      if (const std::string partner = triton_partner(file.path); !partner.empty()) {
        binary->launch = read_triton_launch(partner);
      }
      begin(std::move(binary), {});
    } else {
      binary->complaint = file.is_named ? name + ": no kernel found; " + std::string(looked_for) : "";
      waiting_.emplace_back([this, binary, kinds](Chunk& chunk) { read(kinds, *binary, chunk); });
    }
  }

  void open(const ThinMember& member) {
    if (auto binary = open_bytes(member.path, member.archive)) {
      binary->label = member.archive->label + ": " + member.name;
      binary->name = member.archive->name;
      if (binary->bytes.view().starts_with(input::thin_archive_magic)) {
        refuse(std::move(binary), "is a thin archive itself, which is not followed");
        return;
      }
      begin(std::move(binary), member.name);
    }
  }

  void refuse(std::shared_ptr<Binary> binary, std::string_view what) {
    ++binary->found;
    waiting_.emplace_back([binary = std::move(binary), what](Chunk& chunk) {
      chunk.errors.push_back(binary->label + ": " + std::string(what));
      close(*binary, chunk);
    });
  }

  // A JSON of Triton's says how the cubin beside it is launched, and is read with that.
  bool is_launch_of_cubin(const File& file) {
    const std::string partner = file.path.ends_with(".json") ? triton_partner(file.path) : "";
    if (partner.empty() || !regular_file_size(partner) || !read_triton_launch(file.path)) {
      return false;
    }
    if (!named_.contains(partner)) {
      files_.push_front({partner, file.is_named, file.folder});
      if (file.folder) {
        ++file.folder->open;
      }
      named_.insert(partner);
    }
    return true;
  }

  std::shared_ptr<Binary> open_bytes(const std::string& path, const std::shared_ptr<Input>& folder) {
    try {
      auto binary = std::make_shared<Binary>(path, options_.tee);
      binary->folder = folder;
      binary->label = binary->bytes.name();
      return binary;
    } catch (const InputError& error) {
      waiting_.emplace_back([folder, what = std::string(error.what())](Chunk& chunk) {
        chunk.errors.push_back(what);
        if (folder) {
          ++folder->found;
          close(*folder, chunk);
        }
      });
      return nullptr;
    }
  }

  void close_later(std::shared_ptr<Input> input) {
    if (input) {
      waiting_.emplace_back([input = std::move(input)](Chunk& chunk) { close(*input, chunk); });
    }
  }

  void read(const std::vector<InputKind>& kinds, Binary& file, Chunk& chunk) {
    FoundKernels kernels;
    for (const InputKind kind : kinds) {
      read_text(kind, file.bytes.view(), sink_of(file, kernels, chunk));
    }
    chunk.bytes = static_cast<std::int64_t>(file.bytes.view().size());
    finish(file, std::move(kernels), chunk);
  }

  [[nodiscard]] KernelSink sink_of(Binary& file, FoundKernels& kernels, Chunk& chunk) {
    return {[&](KernelRecord&& record) {
              if (file.launch) {
                add_launch(*file.launch, record);
              }
              record.member = input::to_printable(record.member);
              FoundKernel& found = kernels.emplace_back();
              found.file = file.name;
              found.names = names_of_kernels_.find(record.kernel);
              record.kernel = {};
              found.record = std::move(record);
            },
            [&](std::int64_t line, const std::string& what) {
              ++file.found;
              chunk.errors.push_back(file.label + (line > 0 ? ":" + std::to_string(line) : "") + ": " + what);
            }};
  }

  void finish(Input& input, FoundKernels kernels, Chunk& chunk) {
    input.found += static_cast<std::int64_t>(kernels.size());
    use_(std::move(kernels), chunk);
    close(input, chunk);
  }

  void begin(std::shared_ptr<Binary> binary, const std::string& member) {
    finder_.emplace(binary->bytes.view(), member);
    piece_ = Piece{std::move(binary)};
  }

  // So many images that a thread has some milliseconds of work.
  Task next_piece() {
    constexpr std::int64_t enough_bytes = std::int64_t{4} << 20;
    constexpr std::size_t enough_images = 256;
    constexpr std::int64_t longest = std::int64_t{2} << 20;  // of the file: all of it may come to be in memory
    const ImageSink sink{[this](GpuImage&& image) { add(std::move(image)); },
                         [this](const std::string& what) { piece_.problems.push_back(what); },
                         [this](const std::string& name) { open_thin_member(name); }};
    bool goes_on = true;
    while (goes_on && piece_.decompressed < enough_bytes && piece_.images.size() < enough_images &&
           piece_.end - piece_.begin < longest && !interrupted()) {
      goes_on = finder_->advance(sink);
      piece_.end = finder_->position();
    }
    if (piece_.images.empty()) {
      release(piece_);
    }
    Piece next{goes_on ? piece_.binary : nullptr};
    next.begin = next.end = piece_.end;
    Binary& binary = *piece_.binary;
    if (goes_on) {
      ++binary.open;
    } else {
      finder_.reset();
      binary.complaint = binary.is_named ? complaint_of(binary) : "";
    }
    auto piece = std::make_shared<Piece>(std::exchange(piece_, std::move(next)));
    return [this, piece = std::move(piece)](Chunk& chunk) { read(*piece, chunk); };
  }

  // What is not asked for is counted instead.
  void add(GpuImage&& image) {
    using Kind = GpuImage::Kind;
    if (image.kind == Kind::LtoIr || image.kind == Kind::Unknown) {
      ++(image.kind == Kind::LtoIr ? unread_.lto_ir : unread_.unknown);
      piece_.binary->lto_ir += image.kind == Kind::LtoIr ? 1 : 0;
      return;
    }
    ++piece_.binary->images;
    if (image.kind == Kind::Ptx && image.beside_cubin && !options_.ptx) {
      return;
    }
    if (!image.arch.empty() && !options_.selects_arch(image.arch)) {
      unread_.archs.insert(image.arch);
      ++piece_.binary->found;
      return;
    }
    piece_.decompressed += image.size;
    piece_.images.push_back(std::move(image));
  }

  void read(Piece& piece, Chunk& chunk) {
    Binary& binary = *piece.binary;
    FoundKernels kernels;
    const KernelSink sink = sink_of(binary, kernels, chunk);
    for (const std::string& what : piece.problems) {
      sink.problem(0, what);
    }
    std::unique_ptr<ImageReader> reader = readers_.take();
    for (const GpuImage& image : piece.images) {
      reader->read(image, sink);
    }
    readers_.give_back(std::move(reader));
    release(piece);
    chunk.bytes = piece.end - piece.begin;
    finish(binary, std::move(kernels), chunk);
  }

  static void release(const Piece& piece) {
    piece.binary->bytes.release(static_cast<std::size_t>(piece.begin), static_cast<std::size_t>(piece.end));
  }

  // A thin archive's members are files, named from the archive's folder on. They are read behind the archive.
  void open_thin_member(const std::string& name) {
    const std::shared_ptr<Binary>& archive = piece_.binary;
    const std::string& path = archive->bytes.name();
    const std::size_t slash = path.rfind('/');
    const std::string member =
        name.starts_with('/') || slash == std::string::npos ? name : path.substr(0, slash + 1) + name;
    if (!regular_file_size(member)) {
      piece_.problems.push_back("member " + name + ": there is no such file" + (member == name ? "" : ", " + member));
      return;
    }
    ++archive->open;
    thin_members_.push_back({member, name, archive});
  }

  Options options_;
  Use use_;
  std::deque<File> files_;
  std::deque<ThinMember> thin_members_;
  std::set<std::string> named_;  // files that are read
  std::set<std::string> names_;  // of files, as they are written; kernels point to them
  std::int64_t bytes_ = 0;
  bool is_size_known_ = true;
  std::deque<Task> waiting_;
  std::optional<ImageFinder> finder_;
  Piece piece_;  // of the binary that is searched
  Readers readers_;
  KernelNames names_of_kernels_;
  Unread unread_;
};

KernelInputs::KernelInputs(std::vector<std::string> paths, Options options)
    : reading_(std::make_unique<Reading>(std::move(paths), std::move(options))) {}

KernelInputs::~KernelInputs() = default;

TaskSource KernelInputs::tasks(Use use) { return reading_->tasks(std::move(use)); }

std::int64_t KernelInputs::bytes() const { return reading_->bytes(); }

void KernelInputs::end() { reading_->end(); }

const Unread& KernelInputs::unread() const { return reading_->unread(); }

}  // namespace occcalc::cli
