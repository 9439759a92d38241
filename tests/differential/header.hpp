/// Calls NVIDIA's cuda_occupancy.h. Its rules are its own; the device's properties, which a driver would report, are
/// ours.
#pragma once

// The header is not ours to warn about.
#pragma GCC system_header
#include <cuda_occupancy.h>

#include "header_answer.hpp"

namespace occcalc::test {

[[nodiscard]] inline cudaOccDeviceProp device_of(const Architecture& architecture) {
  const SmLimits& sm = architecture.limits;
  cudaOccDeviceProp device;
  device.computeMajor = architecture.compute_capability->major;
  device.computeMinor = architecture.compute_capability->minor;
  device.maxThreadsPerBlock = sm.max_threads_per_block;
  device.maxThreadsPerMultiprocessor = sm.max_threads_per_sm;
  device.regsPerBlock = sm.max_registers_per_block;
  device.regsPerMultiprocessor = sm.registers_per_sm;
  device.warpSize = warp_size;
  device.sharedMemPerBlock = static_cast<std::size_t>(sm.max_shared_memory_per_block);
  device.sharedMemPerMultiprocessor = static_cast<std::size_t>(sm.shared_memory_per_sm);
  device.numSms = 1;
  device.sharedMemPerBlockOptin = static_cast<std::size_t>(sm.max_shared_memory_per_block_optin);
  device.reservedSharedMemPerBlock = static_cast<std::size_t>(sm.reserved_shared_memory_per_block);
  return device;
}

[[nodiscard]] inline cudaOccFuncAttributes function_of(const Configuration& c) {
  cudaOccFuncAttributes function;
  function.maxThreadsPerBlock = 1024;
  function.numRegs = c.kernel.registers_per_thread.value_or(0);
  function.sharedSizeBytes = static_cast<std::size_t>(c.kernel.static_shared_memory);
  function.partitionedGCConfig = static_cast<cudaOccPartitionedGCConfig>(c.launch.global_caching);
  function.shmemLimitConfig = c.launch.opt_in ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
  function.maxDynamicSharedSizeBytes = static_cast<std::size_t>(c.launch.dynamic_shared_memory);
  function.numBlockBarriers = c.kernel.barriers;
  function.virtualResourceCount = c.kernel.virtual_resources;
  return function;
}

[[nodiscard]] inline cudaOccDeviceState state_of(Carveout carveout) {
  cudaOccDeviceState state;
  switch (carveout.kind) {
    case Carveout::Kind::MaxL1: state.cacheConfig = CACHE_PREFER_L1; break;
    case Carveout::Kind::MaxShared: state.cacheConfig = CACHE_PREFER_SHARED; break;
    case Carveout::Kind::Equal: state.cacheConfig = CACHE_PREFER_EQUAL; break;
    case Carveout::Kind::Percent: state.carveoutConfig = static_cast<int>(carveout.value); break;
    case Carveout::Kind::Default:
    case Carveout::Kind::Bytes: break;
  }
  return state;
}

/// nullopt where the header does not know the device.
[[nodiscard]] inline std::optional<HeaderAnswer> ask_header(const cudaOccDeviceProp& device, const Configuration& c) {
  const cudaOccFuncAttributes function = function_of(c);
  const cudaOccDeviceState state = state_of(c.launch.carveout);
  cudaOccResult result;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, thread_count(c.launch.block),
                                              static_cast<std::size_t>(c.launch.dynamic_shared_memory)) !=
      CUDA_OCC_SUCCESS) {
    return std::nullopt;
  }
  return HeaderAnswer{result.activeBlocksPerMultiprocessor,
                      {result.blockLimitWarps, result.blockLimitBlocks, result.blockLimitRegs,
                       result.blockLimitSharedMem, result.blockLimitBarriers, result.blockLimitVirtual},
                      result.limitingFactors,
                      result.allocatedRegistersPerBlock,
                      static_cast<std::int64_t>(result.allocatedSharedMemPerBlock)};
}

[[nodiscard]] inline std::optional<HeaderAnswer> ask_header(const Configuration& c) {
  return ask_header(device_of(*c.architecture), c);
}

/// Parts that the header knows; 10.7 came after it.
[[nodiscard]] inline bool is_known_to_header(const Architecture& architecture) {
  return architecture.compute_capability && architecture.compute_capability != ComputeCapability{10, 7};
}

}  // namespace occcalc::test
