// One evaluation: blocks, limits, limiters and charged amounts. The same shuffled grid, flags and number of calls for
// each; the device is prepared once, outside the loop, and opaque to the compiler. Compare the lines of one run.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <vector>

#include "occcalc/occcalc.hpp"

#ifdef OCCCALC_HAVE_HEADER
#include "differential/header.hpp"
#endif

namespace {

using namespace occcalc;

struct Point {
  int registers;
  int threads;
  int bytes;
};

std::vector<Point> shuffled_grid() {
  std::vector<Point> points;
  for (int registers = 16; registers <= 255; registers += 5) {
    for (int threads = 32; threads <= 1024; threads += 32) {
      for (int bytes = 0; bytes <= 160 * 1024; bytes += 10007) {
        points.push_back({registers, threads, bytes});
      }
    }
  }
  std::shuffle(points.begin(), points.end(), std::mt19937(1));
  return points;
}

template <class Evaluate>
void run(benchmark::State& state, const Evaluate& evaluate) {
  const std::vector<Point> points = shuffled_grid();
  for (auto _ : state) {
    for (const Point& point : points) {
      auto answer = evaluate(point);
      benchmark::DoNotOptimize(&answer);
      benchmark::ClobberMemory();
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(points.size()));
}

LaunchConfig launch_of(const Point& point) { return {.block = {point.threads}, .dynamic_shared_memory = point.bytes}; }

void occupancy_table(benchmark::State& state) {
  OccupancyTable table(find_architecture("sm_90")->limits);
  benchmark::DoNotOptimize(&table);
  run(state, [&table](const Point& point) {
    return table.compute({.registers_per_thread = point.registers}, launch_of(point));
  });
}
BENCHMARK(occupancy_table);

// The blocks alone, of lists.
void active_blocks_batch(benchmark::State& state) {
  const std::vector<Point> points = shuffled_grid();
  std::vector<int> registers;
  std::vector<int> threads;
  std::vector<std::int64_t> bytes;
  for (const Point& point : points) {
    registers.push_back(point.registers);
    threads.push_back(point.threads);
    bytes.push_back(point.bytes);
  }
  std::vector<int> blocks(points.size());
  ActiveBlocksTable table(find_architecture("sm_90")->limits);
  benchmark::DoNotOptimize(&table);
  for (auto _ : state) {
    table.active_blocks(registers, threads, bytes, blocks);
    benchmark::DoNotOptimize(blocks.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(points.size()));
}
BENCHMARK(active_blocks_batch);

void compute_occupancy_alone(benchmark::State& state) {
  SmLimits sm = find_architecture("sm_90")->limits;
  benchmark::DoNotOptimize(&sm);
  run(state, [&sm](const Point& point) {
    return compute_occupancy(sm, {.registers_per_thread = point.registers}, launch_of(point));
  });
}
BENCHMARK(compute_occupancy_alone);

// The block size with the most resident threads, one search a point.
void block_size_search_table(benchmark::State& state) {
  OccupancyTable table(find_architecture("sm_90")->limits);
  benchmark::DoNotOptimize(&table);
  run(state, [&table](const Point& point) {
    return table.potential_block_size({.registers_per_thread = point.registers}, launch_of(point));
  });
}
BENCHMARK(block_size_search_table);

#ifdef OCCCALC_HAVE_HEADER
cudaOccFuncAttributes function_of(const Point& point) {
  cudaOccFuncAttributes function;
  function.maxThreadsPerBlock = 1024;
  function.numRegs = point.registers;
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = static_cast<std::size_t>(point.bytes);
  function.numBlockBarriers = 1;
  return function;
}

void block_size_search_header(benchmark::State& state) {
  cudaOccDeviceProp device = test::device_of(*find_architecture("sm_90"));
  benchmark::DoNotOptimize(&device);
  run(state, [&device](const Point& point) {
    const cudaOccFuncAttributes function = function_of(point);
    const cudaOccDeviceState state_of_device;
    int grid = 0;
    int threads = 0;
    cudaOccMaxPotentialOccupancyBlockSize(&grid, &threads, &device, &function, &state_of_device,
                                          static_cast<std::size_t>(point.bytes));
    return threads;
  });
}
BENCHMARK(block_size_search_header);

void cuda_occupancy_header(benchmark::State& state) {
  cudaOccDeviceProp device = test::device_of(*find_architecture("sm_90"));
  benchmark::DoNotOptimize(&device);
  run(state, [&device](const Point& point) {
    const cudaOccFuncAttributes function = function_of(point);
    const cudaOccDeviceState state_of_device;
    cudaOccResult result;
    cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state_of_device, point.threads,
                                            static_cast<std::size_t>(point.bytes));
    return result;
  });
}
BENCHMARK(cuda_occupancy_header);
#endif

}  // namespace

BENCHMARK_MAIN();
