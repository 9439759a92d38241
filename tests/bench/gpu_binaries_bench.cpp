// Kernels of a GPU library: the reader and the whole program against ZSTD_decompressDCtx (or LZ4_decompress_safe) on
// exactly the frames that are needed, side by side in one run, and the program's memory.
//   gpu-binaries-bench PROGRAM LIBRARY [ARCH]
// Each work is measured right behind the decompression that it is compared with, in several rounds; times and ratios
// are medians. Processor time stands beside the time that passed, because other programs may take a core.

#include <fcntl.h>
#include <fmt/format.h>
#include <lz4.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "occcalc/occcalc.hpp"

namespace {

using namespace occcalc;

constexpr int rounds = 7;

[[noreturn]] void fail(const std::string& what) {
  fmt::print(stderr, "gpu-binaries-bench: {}\n", what);
  std::exit(2);
}

struct Cost {
  double wall = 0;  // seconds
  double cpu = 0;
};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double cpu_seconds(const rusage& usage) { return seconds(usage.ru_utime) + seconds(usage.ru_stime); }

Cost cost_of(const std::function<void()>& work) {
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_SELF, &before);
  const auto begin = std::chrono::steady_clock::now();
  work();
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  getrusage(RUSAGE_SELF, &after);
  return {wall, cpu_seconds(after) - cpu_seconds(before)};
}

struct Run {
  Cost cost{};
  std::int64_t memory = 0;  // bytes
};

// The program with its output thrown away, on one core or on all.
Run run_program(std::vector<std::string> words, bool on_one_core) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    if (on_one_core) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(0, &one);
      sched_setaffinity(0, sizeof(one), &one);
    }
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    std::vector<char*> arguments;
    for (std::string& word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    execv(words.front().c_str(), arguments.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
    fail("the program failed");
  }
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return {{wall, cpu_seconds(usage)}, std::int64_t{usage.ru_maxrss} * 1024};
}

std::string_view map(const char* path) {
  const int descriptor = open(path, O_RDONLY);
  struct stat status = {};
  if (descriptor < 0 || fstat(descriptor, &status) != 0) {
    fail(std::string(path) + ": cannot be read");
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (mapped == MAP_FAILED) {
    fail(std::string(path) + ": cannot be mapped");
  }
  close(descriptor);
  return {static_cast<const char*>(mapped), size};
}

std::vector<GpuImage> find_cubins(std::string_view file, std::string_view arch) {
  std::vector<GpuImage> images;
  ImageFinder finder(file);
  const ImageSink sink{[&](GpuImage&& image) {
                         if (image.kind == GpuImage::Kind::Cubin && (arch.empty() || image.arch == arch)) {
                           images.push_back(std::move(image));
                         }
                       },
                       [](const std::string& what) { fail(what); }, [](const std::string& /*name*/) {}};
  while (finder.advance(sink)) {
  }
  return images;
}

void decompress_all(const std::vector<GpuImage>& images, std::vector<char>& buffer, ZSTD_DCtx* context) {
  for (const GpuImage& image : images) {
    const auto size = static_cast<std::size_t>(image.size);
    std::size_t done = size;
    if (image.compression == GpuImage::Compression::Zstd) {
      done = ZSTD_decompressDCtx(context, buffer.data(), size, image.payload.data(), image.payload.size());
    } else if (image.compression == GpuImage::Compression::Lz4) {
      done = static_cast<std::size_t>(LZ4_decompress_safe(
          image.payload.data(), buffer.data(), static_cast<int>(image.payload.size()), static_cast<int>(size)));
    }
    if (done != size) {
      fail("a payload does not decompress");
    }
  }
}

struct Work {
  std::string name;
  std::function<Run()> run;
  std::vector<Cost> costs{};
  std::vector<Cost> ratios{};
  std::int64_t memory = 0;
};

double median(const std::vector<Cost>& costs, double Cost::*part) {
  std::vector<double> values;
  for (const Cost& cost : costs) {
    values.push_back(cost.*part);
  }
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void print(const Work& work) {
  fmt::print("{:<40} {:6.3f} s wall {:6.3f} s CPU", work.name, median(work.costs, &Cost::wall),
             median(work.costs, &Cost::cpu));
  if (!work.ratios.empty()) {
    fmt::print(", {:5.3f} and {:5.3f} times", median(work.ratios, &Cost::wall), median(work.ratios, &Cost::cpu));
  }
  fmt::print("{}\n", work.memory > 0 ? fmt::format(", {:.1f} MB", static_cast<double>(work.memory) / 1e6) : "");
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    fail("usage: gpu-binaries-bench PROGRAM LIBRARY [ARCH]");
  }
  const std::string program = arguments[1];
  const std::string library = arguments[2];
  const std::string arch = count > 3 ? arguments[3] : "";
  const std::string_view file = map(arguments[2]);
  std::vector<GpuImage> images = find_cubins(file, arch);
  std::int64_t largest = 0;
  std::int64_t all = 0;
  for (const GpuImage& image : images) {
    largest = std::max(largest, image.size);
    all += image.size;
  }
  std::vector<char> buffer(static_cast<std::size_t>(largest));
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  std::int64_t kernels = 0;

  std::vector<std::string> csv = {program, "kernels", library, "--csv"};
  if (!arch.empty()) {
    csv.insert(csv.end(), {"--arch", arch});
  }
  std::vector<std::string> table = csv;
  table[3] = "--format=table";
  const auto own = [](std::function<void()> work) { return [work = std::move(work)] { return Run{cost_of(work)}; }; };
  Work base{"decompress the cubins, one thread", own([&] { decompress_all(images, buffer, context); })};
  std::vector<Work> works;
  works.push_back({"find all entries", own([&] { static_cast<void>(find_cubins(file, arch)); })});
  works.push_back({"find, decompress and read, one thread", own([&] {
                     ImageReader reader;
                     kernels = 0;
                     const KernelSink sink{[&kernels](KernelRecord&& /*kernel*/) { ++kernels; },
                                           [](std::int64_t /*line*/, const std::string& what) { fail(what); }};
                     for (const GpuImage& image : find_cubins(file, arch)) {
                       reader.read(image, sink);
                     }
                   })});
  works.push_back({"occcalc kernels --csv, one core", [&] { return run_program(csv, true); }});
  works.push_back({"occcalc kernels --csv, all cores", [&] { return run_program(csv, false); }});
  works.push_back({"occcalc kernels (table), one core", [&] { return run_program(table, true); }});
  works.push_back({"occcalc kernels (table), all cores", [&] { return run_program(table, false); }});
  for (int i = 0; i < rounds; ++i) {
    for (Work& work : works) {
      const Cost alone = base.run().cost;
      const Run run = work.run();
      base.costs.push_back(alone);
      work.costs.push_back(run.cost);
      work.ratios.push_back({run.cost.wall / alone.wall, run.cost.cpu / alone.cpu});
      work.memory = std::max(work.memory, run.memory);
    }
  }
  ZSTD_freeDCtx(context);
  fmt::print("{} cubins, {} kernels, {:.1f} MB decompressed, the largest {:.1f} MB\n", images.size(), kernels,
             static_cast<double>(all) / 1e6, static_cast<double>(largest) / 1e6);
  print(base);
  for (const Work& work : works) {
    print(work);
  }
}
