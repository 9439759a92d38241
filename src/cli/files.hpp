/// The only place that opens files. Errors are thrown as InputError, with the path.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace occcalc::cli {

/// Opens what is closed of standard input, output and error, so that no other file takes its number; reading or writing
/// it still fails.
void occupy_standard_streams();

/// A file, or standard input for "-", piece by piece.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  InputFile(InputFile&&) = delete;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }  ///< for errors
  /// Puts up to `size` bytes at `to`; how many, 0 at the end or once interrupted() or stopped.
  [[nodiscard]] std::size_t read(char* to, std::size_t size);
  /// Ends a read() that waits in another thread.
  void stop() noexcept { is_stopped_ = true; }

 private:
  std::string name_;
  int descriptor_;
  std::atomic<bool> is_stopped_ = false;
};

/// All bytes of a file, or of standard input for "-": mapped where that is possible, read otherwise. A file that
/// shrinks meanwhile ends the program with an error.
class InputBytes {
 public:
  /// Refuses what has to be read and is larger than 1 GiB. `tee`: text that is read is copied to standard error, as it
  /// comes.
  explicit InputBytes(const std::string& path, bool tee = false);
  InputBytes(const InputBytes&) = delete;
  InputBytes& operator=(const InputBytes&) = delete;
  InputBytes(InputBytes&&) = delete;
  InputBytes& operator=(InputBytes&&) = delete;
  ~InputBytes();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }  ///< for errors
  [[nodiscard]] std::string_view view() const noexcept { return view_; }
  /// Memory of these bytes may be taken back: they are not needed soon. They stay as they are. Thread-safe.
  void release(std::size_t begin, std::size_t end) const noexcept;

 private:
  std::string name_;
  std::string text_;        // what was read
  void* mapped_ = nullptr;  // what was mapped
  std::string_view view_;
};

[[nodiscard]] bool is_folder(const std::string& path);
/// Both names are there and stand for the same file.
[[nodiscard]] bool is_same_file(const std::string& a, const std::string& b);
/// The size of a regular file in bytes; nullopt if it is none.
[[nodiscard]] std::optional<std::int64_t> regular_file_size(const std::string& path);
/// The regular files below a folder, in the order of their names, each once: not those that are links to others of
/// them. The folders that may not be read are added to `unreadable`.
[[nodiscard]] std::vector<std::string> files_below(const std::string& folder, std::vector<std::string>& unreadable);
[[nodiscard]] bool stdin_is_terminal();

/// The whole of a file, or of standard input for "-". Refuses what is larger than `most` bytes.
/// `tee`: what is read is copied to standard error, as it comes.
[[nodiscard]] std::string read_file(const std::string& path, std::size_t most, bool tee = false);

/// Writes to standard output. False if its reader is gone, which is no error.
bool write_stdout(std::string_view text);

/// One line on standard error: control bytes are escaped, very long lines are cut.
void write_stderr(const std::string& line);

/// Text of several lines on standard error, as it is.
void write_stderr_text(std::string_view text);

/// Where an answer goes, piece by piece: standard output ("" or "-") or a file. A regular file appears whole, with
/// commit(), or not at all; a symbolic link is followed; anything else that exists (the null device, a FIFO, a
/// terminal, /dev/fd/3) is written directly.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile(OutputFile&&) = delete;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// False if the reader is gone, which is no error.
  bool write(std::string_view text);
  void commit();

 private:
  void open_temporary();

  std::string path_;       // as given
  std::string target_;     // after symbolic links
  std::string temporary_;  // beside it; empty where written directly
  int descriptor_;
};

/// From now on Ctrl-C and SIGTERM are noticed by interrupted() instead of ending the program at once.
void notice_interrupts();
[[nodiscard]] bool interrupted();
/// Ends the program as the signal would have.
[[noreturn]] void end_as_interrupted();

/// Standard error is a terminal on which no rows appear: a place for progress. `to_file`: the rows go to a file.
[[nodiscard]] bool can_show_progress(bool to_file);

/// Letters of a line of text: what COLUMNS says, else the terminal where standard output is one, else 80; at least 40.
[[nodiscard]] std::size_t output_width(bool to_stdout);

/// Standard output is a terminal that shows colour.
[[nodiscard]] bool stdout_shows_color();

}  // namespace occcalc::cli
