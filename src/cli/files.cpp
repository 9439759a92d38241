#include "cli/files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "input/magic.hpp"
#include "occcalc/error.hpp"

namespace occcalc::cli {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw InputError(path, what + ": " + std::strerror(errno));
}

// The number of the open file that a path names (/dev/stdout, /dev/fd/3, /proc/self/fd/3); -1 if it names none.
int descriptor_named(const std::string& path) {
  if (path == "/dev/stdout") {
    return STDOUT_FILENO;
  }
  if (path == "/dev/stderr") {
    return STDERR_FILENO;
  }
  for (const std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    if (path.starts_with(prefix)) {
      int number = -1;
      const auto end = std::from_chars(path.data() + prefix.size(), path.data() + path.size(), number).ptr;
      return end == path.data() + path.size() ? number : -1;
    }
  }
  return -1;
}

// The signal that was noticed, for a handler that may do nothing else.
volatile std::sig_atomic_t noticed_signal = 0;

extern "C" void notice(int signal) { noticed_signal = signal; }

// False with errno set if not all could be written, be it because a signal was noticed.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    if (noticed_signal != 0) {  // also after a part was written, which is how a waiting write ends
      errno = EINTR;
      return false;
    }
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EAGAIN) {  // a pipe that another program made non-blocking
      struct pollfd ready = {descriptor, POLLOUT, 0};
      static_cast<void>(::poll(&ready, 1, -1));
      continue;
    }
    if (written < 0 && errno == EINTR && noticed_signal == 0) {
      continue;
    }
    if (written < 0) {
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// The temporary of the output, for a handler that may do nothing but remove it; empty: there is none.
std::array<char, PATH_MAX> temporary_to_remove{};

void note_temporary(const std::string& path) {
  temporary_to_remove[0] = '\0';
  if (path.size() < temporary_to_remove.size()) {
    std::copy(path.begin(), path.end(), temporary_to_remove.begin());
    temporary_to_remove[path.size()] = '\0';
  }
}

// The pages of a mapped file are gone; nothing that allocates may be called here.
extern "C" void end_as_shrunk(int /*signal*/) {
  if (temporary_to_remove[0] != '\0') {
    ::unlink(temporary_to_remove.data());
  }
  constexpr std::string_view text = "occcalc: error: an input file became shorter while it was read\n";
  static_cast<void>(::write(STDERR_FILENO, text.data(), text.size()) > 0);
  ::_exit(2);
}

// Adds files that are only there as symbolic links, once each: libx.so and libx.so.1 are often links to libx.so.1.2.
void add_linked_files(std::vector<std::string> links, std::vector<std::string>& files) {
  const auto identity = [](const std::string& path) {
    struct stat status = {};
    return ::stat(path.c_str(), &status) == 0 ? std::pair(status.st_dev, status.st_ino) : std::pair(dev_t{}, ino_t{});
  };
  std::set<std::pair<dev_t, ino_t>> known;
  if (!links.empty()) {
    for (const std::string& file : files) {
      known.insert(identity(file));
    }
  }
  std::sort(links.begin(), links.end());
  for (std::string& link : links) {
    if (known.insert(identity(link)).second) {
      files.push_back(std::move(link));
    }
  }
}

// Where a path leads after symbolic links; the path itself if its last part does not exist yet.
std::string followed(const std::string& path) {
  std::string target = path;
  constexpr int most_links = 40;
  for (int links = 0; links < most_links; ++links) {
    if (descriptor_named(target) >= 0) {
      return target;
    }
    std::array<char, PATH_MAX> buffer{};
    const ssize_t length = ::readlink(target.c_str(), buffer.data(), buffer.size());
    if (length < 0) {
      return target;
    }
    const std::string link(buffer.data(), static_cast<std::size_t>(length));
    const std::size_t slash = target.rfind('/');
    if (link.starts_with('/') || slash == std::string::npos) {
      target = link;
    } else {
      target.resize(slash + 1);
      target += link;
    }
  }
  errno = ELOOP;
  fail(path, "cannot be written");
}

}  // namespace

void occupy_standard_streams() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) < 0 && errno == EBADF) {
      // Opened the wrong way round: the lowest free number is taken, and its use fails as before.
      static_cast<void>(::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
  }
}

InputFile::InputFile(const std::string& path)
    : name_(path == "-" ? "standard input" : path),
      descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)) {
  if (descriptor_ < 0) {
    fail(name_, "cannot be read");
  }
}

InputFile::~InputFile() {
  if (descriptor_ > STDERR_FILENO) {
    ::close(descriptor_);
  }
}

std::size_t InputFile::read(char* to, std::size_t size) {
  for (;;) {
    // In short waits: a thread that signals do not reach notices them too.
    constexpr int milliseconds = 100;
    struct pollfd ready = {descriptor_, POLLIN, 0};
    const int polled = ::poll(&ready, 1, milliseconds);
    if (interrupted() || is_stopped_) {
      return 0;
    }
    if (polled == 0) {
      continue;
    }
    const ssize_t got = ::read(descriptor_, to, size);
    if (got >= 0) {
      return static_cast<std::size_t>(got);
    }
    if (errno != EAGAIN && errno != EINTR) {
      fail(name_, "cannot be read");
    }
  }
}

InputBytes::InputBytes(const std::string& path, bool tee) : name_(path == "-" ? "standard input" : path) {
  const int descriptor = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) {
    fail(name_, "cannot be read");
  }
  struct stat status = {};
  if (descriptor != STDIN_FILENO && ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapped != MAP_FAILED) {
      std::signal(SIGBUS, end_as_shrunk);
      mapped_ = mapped;
      view_ = {static_cast<const char*>(mapped), size};
    }
  }
  if (descriptor != STDIN_FILENO) {
    ::close(descriptor);
  }
  if (mapped_ == nullptr) {
    constexpr std::size_t most = std::size_t{1} << 30;
    text_ = read_file(path, most, tee);
    view_ = text_;
  } else if (tee && !input::is_binary(view_)) {
    write_stderr_text(view_);
  }
}

InputBytes::~InputBytes() {
  if (mapped_ != nullptr) {
    ::munmap(mapped_, view_.size());
  }
}

void InputBytes::release(std::size_t begin, std::size_t end) const noexcept {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  begin = begin / page * page;
  end = std::min(end, view_.size());
  if (mapped_ != nullptr && begin < end) {
    static_cast<void>(::madvise(static_cast<char*>(mapped_) + begin, end - begin, MADV_DONTNEED));
  }
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error) && !error;
}

std::optional<std::int64_t> regular_file_size(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) ? std::optional<std::int64_t>(status.st_size)
                                                                       : std::nullopt;
}

std::vector<std::string> files_below(const std::string& folder, std::vector<std::string>& unreadable) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::vector<std::string> links;
  std::vector<std::string> folders = {folder};
  while (!folders.empty()) {
    const std::string here = std::move(folders.back());
    folders.pop_back();
    std::error_code error;
    fs::directory_iterator entry(here, error);
    for (const fs::directory_iterator end; !error && entry != end; entry.increment(error)) {
      std::error_code unknown;  // gone meanwhile: neither of the two
      const bool is_link = entry->is_symlink(unknown);
      if (entry->is_directory(unknown) && !is_link) {
        folders.push_back(entry->path().string());
      } else if (entry->is_regular_file(unknown)) {
        (is_link ? links : files).push_back(entry->path().string());
      }
    }
    if (error) {
      unreadable.push_back(here + ": cannot be read: " + error.message());
    }
  }
  add_linked_files(links, files);
  std::sort(files.begin(), files.end());
  return files;
}

bool stdin_is_terminal() { return ::isatty(STDIN_FILENO) == 1; }

std::string read_file(const std::string& path, std::size_t most, bool tee) {
  InputFile file(path);
  std::string text;
  std::array<char, 1 << 16> buffer{};
  while (const std::size_t got = file.read(buffer.data(), buffer.size())) {
    tee = tee && (!text.empty() || !input::is_binary({buffer.data(), got}));  // as its begin says
    text.append(buffer.data(), got);
    if (tee) {
      write_stderr_text({buffer.data(), got});
    }
    if (text.size() > most) {
      throw InputError(file.name(), "is larger than " + std::to_string(most) + " bytes, the most that is read");
    }
  }
  return text;
}

bool write_stdout(std::string_view text) {
  if (write_all(STDOUT_FILENO, text)) {
    return true;
  }
  if (errno == EPIPE) {
    return false;
  }
  fail("standard output", "cannot be written");
}

void write_stderr(const std::string& line) {
  constexpr std::size_t most = 2000;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char c : line.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      text += "\\x";
      text += digits[byte >> 4U];
      text += digits[byte & 15U];
    } else {
      text += c;
    }
  }
  text += line.size() > most ? " ...\n" : "\n";
  write_stderr_text(text);
}

void write_stderr_text(std::string_view text) {
  static_cast<void>(write_all(STDERR_FILENO, text));  // if that fails, nobody is left to be told
}

OutputFile::OutputFile(const std::string& path) : path_(path), descriptor_(STDOUT_FILENO) {
  if (path.empty() || path == "-") {
    return;
  }
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail(path, "cannot be written");
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) {
    fail(path, "cannot be written");
  }
  target_ = followed(path);
  if (const int open_already = descriptor_named(path) >= 0 ? descriptor_named(path) : descriptor_named(target_);
      open_already >= 0) {
    descriptor_ = ::dup(open_already);  // what is there already stays, and its position is shared
  } else if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  } else {
    notice_interrupts();  // the temporary must go, whatever comes
    open_temporary();
  }
  if (descriptor_ < 0) {
    temporary_.clear();  // there is nothing to remove
    fail(path, "cannot be written");
  }
  if (exists && !temporary_.empty() && ::fchmod(descriptor_, status.st_mode & 07777U) != 0) {
    fail(path, "cannot be written");
  }
}

// A leftover of another program with the same number (in another container) is left alone.
void OutputFile::open_temporary() {
  const std::size_t slash = target_.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : target_.substr(0, slash + 1);
  constexpr int most_tries = 100;
  for (int i = 0; i < most_tries; ++i) {
    temporary_ = folder;
    temporary_ += ".occcalc-" + std::to_string(::getpid()) + "-" + std::to_string(i);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0 || errno != EEXIST) {
      note_temporary(descriptor_ >= 0 ? temporary_ : "");
      return;
    }
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ > STDERR_FILENO) {
    ::close(descriptor_);
  }
  if (!temporary_.empty()) {
    note_temporary("");
    ::unlink(temporary_.c_str());
  }
}

bool OutputFile::write(std::string_view text) {
  if (write_all(descriptor_, text)) {
    return true;
  }
  if (errno == EPIPE || interrupted()) {
    return false;
  }
  fail(descriptor_ == STDOUT_FILENO ? "standard output" : path_, "cannot be written");
}

void OutputFile::commit() {
  if (temporary_.empty() || interrupted()) {
    return;  // what is not whole goes with the temporary
  }
  if (::close(std::exchange(descriptor_, -1)) != 0 || ::rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail(path_, "cannot be written");
  }
  note_temporary("");
  temporary_.clear();
}

void notice_interrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) {
      continue;  // as nohup wants it
    }
    struct sigaction action = {};
    action.sa_handler = notice;  // without SA_RESTART: a write that waits must end
    static_cast<void>(::sigaction(signal, &action, nullptr));
  }
}

bool interrupted() { return noticed_signal != 0; }

void end_as_interrupted() {
  std::signal(noticed_signal, SIG_DFL);
  std::raise(noticed_signal);
  std::_Exit(128 + noticed_signal);
}

bool can_show_progress(bool to_file) {
  return ::isatty(STDERR_FILENO) == 1 && (to_file || ::isatty(STDOUT_FILENO) != 1);
}

std::size_t output_width(bool to_stdout) {
  constexpr std::size_t usual = 80;
  constexpr std::size_t least = 40;
  constexpr std::size_t most = 10'000;
  std::size_t width = 0;
  struct winsize terminal = {};
  if (const char* const text = std::getenv("COLUMNS")) {
    const std::string_view digits = text;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), width);
    width = read.ec == std::errc() && read.ptr == digits.data() + digits.size() ? width : 0;
  }
  if (width == 0 && to_stdout && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &terminal) == 0) {
    width = terminal.ws_col;
  }
  return width == 0 ? usual : std::clamp(width, least, most);
}

bool stdout_shows_color() {
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0') && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

}  // namespace occcalc::cli
