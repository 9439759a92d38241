// A build log of 100 MB: the messages of ptxas alone, behind time stamps with colours, and the noise of a build alone.

#include <benchmark/benchmark.h>

#include <string>

#include "occcalc/readers.hpp"

namespace {

using namespace occcalc;

constexpr std::size_t log_bytes = 100'000'000;

std::string repeated(const std::string& text) {
  std::string log;
  log.reserve(log_bytes + text.size());
  while (log.size() < log_bytes) {
    log += text;
  }
  return log;
}

std::string kernel(const std::string& before, const std::string& after) {
  const std::string name = "_Z6reduceIdLi512EEvPKT_PS0_i";
  std::string text;
  for (const std::string& line : {"ptxas info    : Compiling entry function '" + name + "' for 'sm_90a'",
                                  "ptxas info    : Function properties for " + name,
                                  std::string("    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"),
                                  std::string("ptxas info    : Used 30 registers, used 1 barriers, 4096 bytes smem"),
                                  std::string("ptxas info    : Compile time = 8.580 ms")}) {
    text += before;
    text += line;
    text += after;
    text += '\n';
  }
  return text;
}

void run(benchmark::State& state, const std::string& log) {
  std::int64_t kernels = 0;
  const KernelSink sink = {[&kernels](KernelRecord&& record) {
                             benchmark::DoNotOptimize(&record);
                             ++kernels;
                           },
                           [&state](std::int64_t, const std::string& what) { state.SkipWithError(what.c_str()); }};
  for (auto _ : state) {
    read_build_log(log, sink);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(log.size()));
  state.counters["kernels/s"] = benchmark::Counter(static_cast<double>(kernels), benchmark::Counter::kIsRate);
}

void messages(benchmark::State& state) { run(state, repeated(kernel("", ""))); }
BENCHMARK(messages)->Unit(benchmark::kMillisecond);

void stamped_and_coloured(benchmark::State& state) {
  run(state, repeated(kernel("2024-05-01T12:00:00.1234567Z \x1b[36m", "\x1b[0m")));
}
BENCHMARK(stamped_and_coloured)->Unit(benchmark::kMillisecond);

void noise(benchmark::State& state) {
  run(state,
      repeated("[12/345] nvcc -DNDEBUG -Iinclude --generate-code=arch=compute_90,code=[sm_90] -std=c++17 -MD -MT "
               "CMakeFiles/x.dir/x.cu.o -x cu -c src/x.cu -o CMakeFiles/x.dir/x.cu.o\n"
               "src/x.cu(12): warning #177-D: variable \"a\" was declared but never referenced\n\n"));
}
BENCHMARK(noise)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
