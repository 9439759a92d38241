/// @file
/// Kernels in GPU binaries: cubins, fatbins, and whatever holds them (objects, libraries, programs, archives). Bytes
/// in, records out; nothing opens a file. The formats are NVIDIA's own and undocumented but for ELF and ar.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "occcalc/readers.hpp"

namespace occcalc {

/// One piece of GPU code within a file, as its container describes it.
struct GpuImage {
  enum class Kind : std::uint8_t { Cubin, Ptx, LtoIr, Unknown };
  enum class Compression : std::uint8_t { None, Lz4, Zstd };

  Kind kind = Kind::Cubin;
  Compression compression = Compression::None;
  bool beside_cubin = false;   ///< its fatbin holds a cubin too: PTX that need not be read
  std::string arch{};          ///< "sm_90a"; empty where only the image itself says it
  std::string member{};        ///< of an archive, or the section; empty: neither
  std::int64_t offset = 0;     ///< bytes from the begin of the file: its fatbin entry, or a bare cubin
  std::string_view payload{};  ///< within the file; where it is compressed, exactly the compressed bytes
  std::int64_t size = 0;       ///< bytes, decompressed
};

/// Where a finder puts what it finds. A problem is something that was recognised and could not be read; the rest is
/// still found.
struct ImageSink {
  std::function<void(GpuImage&& image)> image;
  std::function<void(const std::string& what)> problem;
  /// A member of a thin archive: the name of a file, relative to the archive's folder.
  std::function<void(const std::string& name)> file;
};

/// Finds the images of a file, piece by piece, so that some are read while others are still looked for. Nothing is
/// decompressed.
class ImageFinder {
 public:
  /// `file` must outlive it and all that it finds. `member`: what the images are said to belong to.
  explicit ImageFinder(std::string_view file, std::string member = {});
  ImageFinder(const ImageFinder&) = delete;
  ImageFinder& operator=(const ImageFinder&) = delete;
  ImageFinder(ImageFinder&&) noexcept;
  ImageFinder& operator=(ImageFinder&&) noexcept;
  ~ImageFinder();

  /// Goes on to the next image, fatbin or member, or over some megabytes without any. False at the end.
  [[nodiscard]] bool advance(const ImageSink& sink);
  /// Bytes of the file that were looked at or jumped over.
  [[nodiscard]] std::int64_t position() const noexcept;

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// Reads images, one after the other, in the same memory: that of the largest.
class ImageReader {
 public:
  ImageReader();
  ImageReader(const ImageReader&) = delete;
  ImageReader& operator=(const ImageReader&) = delete;
  ImageReader(ImageReader&&) noexcept;
  ImageReader& operator=(ImageReader&&) noexcept;
  ~ImageReader();

  /// The kernels of a cubin, or the entries of PTX; nothing of LTO-IR, which holds no kernel yet. Problems have line 0
  /// and say the byte of the file.
  void read(const GpuImage& image, const KernelSink& sink);

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// The kernels of all cubins of a file, on this thread, and the entries of PTX where a fatbin has no cubin. Members of
/// thin archives are left out.
void read_gpu_binary(std::string_view file, const KernelSink& sink);

}  // namespace occcalc
