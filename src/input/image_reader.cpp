#include <string>

#include "input/bytes.hpp"
#include "input/cubin.hpp"
#include "input/payload.hpp"
#include "occcalc/gpu_binaries.hpp"

namespace occcalc {

namespace {

using namespace input;

class Sink {
 public:
  Sink(const GpuImage& image, const KernelSink& sink) : image_(image), sink_(sink) {}

  void take(KernelRecord&& kernel) const {
    kernel.member = image_.member;
    kernel.line = 0;  // a binary has none
    if (kernel.arch.empty()) {
      kernel.arch = image_.arch;
    }
    sink_.kernel(std::move(kernel));
  }

  void complain(const std::string& what) const {
    sink_.problem(0, (image_.member.empty() ? "" : image_.member + ": ") + "at byte " + std::to_string(image_.offset) +
                         (image_.arch.empty() ? "" : " (" + image_.arch + ")") + ": " + what);
  }

 private:
  const GpuImage& image_;
  const KernelSink& sink_;
};

}  // namespace

class ImageReader::State {
 public:
  void read(const GpuImage& image, const KernelSink& to) {
    const Sink sink(image, to);
    try {
      if (image.kind == GpuImage::Kind::Cubin) {
        cubins_.read(
            decompressor_.image(image), image.arch, [&sink](KernelRecord&& kernel) { sink.take(std::move(kernel)); },
            [&sink](const Malformed& problem) { sink.complain(problem.what()); });
      } else if (image.kind == GpuImage::Kind::Ptx) {
        read_ptx(decompressor_.image(image), {[&sink](KernelRecord&& kernel) { sink.take(std::move(kernel)); },
                                              [&sink](std::int64_t line, const std::string& what) {
                                                sink.complain("line " + std::to_string(line) + " of its PTX: " + what);
                                              }});
      }
    } catch (const Malformed& problem) {
      sink.complain(problem.what());
    }
  }

 private:
  Decompressor decompressor_;
  CubinReader cubins_;
};

ImageReader::ImageReader() : state_(std::make_unique<State>()) {}
ImageReader::ImageReader(ImageReader&&) noexcept = default;
ImageReader& ImageReader::operator=(ImageReader&&) noexcept = default;
ImageReader::~ImageReader() = default;

void ImageReader::read(const GpuImage& image, const KernelSink& sink) { state_->read(image, sink); }

void read_gpu_binary(std::string_view file, const KernelSink& sink) {
  ImageReader reader;
  ImageFinder finder(file);
  const ImageSink images{[&](GpuImage&& image) {
                           if (image.kind != GpuImage::Kind::Ptx || !image.beside_cubin) {
                             reader.read(image, sink);
                           }
                         },
                         [&sink](const std::string& what) { sink.problem(0, what); },
                         [](const std::string& /*name*/) {}};
  while (finder.advance(images)) {
  }
}

}  // namespace occcalc
