#include "report/sentences.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/numbers.hpp"

namespace occcalc::report {

namespace {

std::string registers_per_block(const Reason& reason, const Row& report) {
  const Occupancy& answer = report.occupancy;
  const SmLimits& sm = report.architecture->limits;
  const std::int64_t per_thread = *answer.allocated_registers_per_block / answer.warps_per_block / warp_size;
  const std::int64_t checked_warps = reason.requested / (per_thread * warp_size);
  const std::string warps =
      checked_warps == answer.warps_per_block
          ? fmt::format("{} warps", grouped(checked_warps))
          : fmt::format("{} warps (checked as {})", grouped(answer.warps_per_block), grouped(checked_warps));
  return fmt::format("{} registers per thread are charged as {}: {} need {} > {} registers per block on {}",
                     grouped(*report.kernel.registers_per_thread), grouped(per_thread), warps,
                     grouped(reason.requested), grouped(sm.max_registers_per_block), report.arch);
}

// The block's own bytes against its own limit; the reserve stands on both sides.
std::string shared_memory_per_block(const Reason& reason, const Row& report) {
  const std::int64_t reserve = report.architecture->limits.reserved_shared_memory_per_block;
  return fmt::format("{} B of shared memory > {} B, the most of one block on {}{}: short of {} B",
                     grouped(shared_memory_bytes(report.kernel, report.launch)), grouped(reason.allowed - reserve),
                     report.arch,
                     reserve == 0 ? ""
                                  : fmt::format(" (charged with the driver's reserve, {} > {})",
                                                grouped(reason.requested), grouped(reason.allowed)),
                     grouped(reason.requested - reason.allowed));
}

std::string dimension(const Reason& reason, const Row& report, char axis) {
  return fmt::format("block dimension {} is {} > {}, the most on {}", axis, grouped(reason.requested),
                     grouped(reason.allowed), report.arch);
}

std::string above(const Reason& reason, const Row& report, std::string_view what, std::string_view place) {
  return fmt::format("{} {} > {}, the most {} on {}", grouped(reason.requested), what, grouped(reason.allowed), place,
                     report.arch);
}

std::string cluster_size(const Reason& reason, const Row& report) {
  return reason.allowed == 1 ? fmt::format("{} has no clusters, which start with 9.0", report.arch)
                             : above(reason, report, "blocks", "of a cluster");
}

// The grid is to be a multiple of the cluster in each dimension.
std::string cluster_grid(const Reason& reason, const Row& report, char axis) {
  const Dim3 cluster = report.whole_gpu->cluster.value_or(Dim3{});
  const int size = axis == 'x' ? cluster.x : axis == 'y' ? cluster.y : cluster.z;
  return fmt::format("the grid's {} of {} is no multiple of the cluster's {}: {}{} would be", axis,
                     grouped(reason.requested), grouped(size),
                     reason.allowed == 0 ? "" : grouped(reason.allowed) + " or ", grouped(reason.allowed + size));
}

std::string cluster_per_gpc(const Reason& reason, const Row& report) {
  const bool knows_layout = !report.whole_gpu->part->sms.per_gpc.empty();
  return fmt::format("a cluster of {} blocks is more than the {} that {} can hold", grouped(reason.requested),
                     grouped(reason.allowed), knows_layout ? "the largest GPC" : "all SMs");
}

std::string opt_in_needed(std::int64_t bytes, bool all_dynamic) {
  return fmt::format(
      "more than 48 KB needs cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, {}) before the "
      "launch{}",
      bytes, all_dynamic ? ", less what is static" : "");
}

std::string blocks_at(const Report& report, std::int64_t capacity) {
  const std::int64_t blocks = capacity / report.occupancy.allocated_shared_memory_per_block;
  return grouped(blocks) + (blocks == 1 ? " block" : " blocks");
}

std::string warps_text(std::int64_t warps) { return grouped(warps) + (warps == 1 ? " warp" : " warps"); }

std::string_view confidence_words(Confidence confidence) { return confidence == Confidence::Low ? "low" : "medium"; }

}  // namespace

std::string short_reason(const Row& row) {
  std::string text = "no launch";
  for (const Reason& reason : row.reasons) {
    if (reason.code == ReasonCode::RequiredBlock) {
      text += ", needs blocks of " + block_text(row.kernel.required_block);
      continue;
    }
    if (reason.code >= ReasonCode::ClusterGridX && reason.code <= ReasonCode::ClusterGridZ) {
      text += ", grid is no multiple of the cluster";
      continue;
    }
    const bool bytes = reason.code == ReasonCode::SharedMemoryPerBlock || reason.code == ReasonCode::SharedMemoryOptIn;
    std::string code(to_string(reason.code));
    std::replace(code.begin(), code.end(), '_', ' ');
    text += bytes ? fmt::format(", short of {} B", grouped(reason.requested - reason.allowed))
                  : fmt::format(", {} {} > {}", code, grouped(reason.requested), grouped(reason.allowed));
  }
  return text;
}

std::string sentence(const Reason& reason, const Row& report) {
  switch (reason.code) {
    case ReasonCode::ThreadsPerBlock: return above(reason, report, "threads", "of a block");
    case ReasonCode::BlockDimX: return dimension(reason, report, 'x');
    case ReasonCode::BlockDimY: return dimension(reason, report, 'y');
    case ReasonCode::BlockDimZ: return dimension(reason, report, 'z');
    case ReasonCode::LaunchBounds:
      return fmt::format("{} threads > {}, the most that the kernel was compiled for (its launch bounds)",
                         grouped(reason.requested), grouped(reason.allowed));
    case ReasonCode::RequiredBlock:
      return "the kernel was compiled for blocks of " + block_text(report.kernel.required_block) + " only (.reqntid)";
    case ReasonCode::WarpsPerSm: return above(reason, report, "warps", "that can hold one block");
    case ReasonCode::RegistersPerThread: return above(reason, report, "registers", "of a thread");
    case ReasonCode::RegistersPerBlock: return registers_per_block(reason, report);
    case ReasonCode::RegistersPerSm:
      return fmt::format("a block of {} warps is above the {} whose registers {} can hold for one block",
                         grouped(reason.requested), grouped(reason.allowed), report.arch);
    case ReasonCode::SharedMemoryPerBlock: return shared_memory_per_block(reason, report);
    case ReasonCode::SharedMemoryOptIn: return shared_memory_per_block(reason, report) + "; opting in would allow it";
    case ReasonCode::BarriersPerBlock: return above(reason, report, "barriers", "of a block");
    case ReasonCode::BarriersPerSm: return above(reason, report, "barriers", "per SM");
    case ReasonCode::VirtualResourcesPerSm: return above(reason, report, "virtual resources", "per SM");
    case ReasonCode::RequiredCluster:
      return "the kernel was compiled for clusters of " + block_text(*report.kernel_found->record.cluster) +
             " blocks only (.reqnctapercluster)";
    case ReasonCode::ClusterSize: return cluster_size(reason, report);
    case ReasonCode::ClusterGridX: return cluster_grid(reason, report, 'x');
    case ReasonCode::ClusterGridY: return cluster_grid(reason, report, 'y');
    case ReasonCode::ClusterGridZ: return cluster_grid(reason, report, 'z');
    case ReasonCode::ClusterPerGpc: return cluster_per_gpc(reason, report);
    case ReasonCode::InvalidAmount: return "a negative amount, an empty block or empty limits mean nothing";
  }
  return "";
}

std::string sentence(const Note& note, const Report& report) {
  const std::string& arch = report.arch;
  switch (note.code) {
    case NoteCode::RegistersUnknown: return "registers were not given: this is the most that the other ceilings allow";
    case NoteCode::Full: return "every warp slot is taken: no change of resources gains anything";
    case NoteCode::StrandedWarpSlots: {
      const bool halved = report.occupancy.global_caching != GlobalCaching::Off;
      const int slots = report.occupancy.max_warps_per_sm;
      return fmt::format("{} warp slot{} empty: whole blocks of {} do not fill {}", note.value,
                         note.value == 1 ? " stays" : "s stay", warps_text(report.occupancy.warps_per_block),
                         halved ? fmt::format("a half SM's {}", slots / 2) : std::to_string(slots));
    }
    case NoteCode::PartialWarp:
      return fmt::format("a block of {} is no whole number of warps: {} lane{} of the last one idle{}",
                         grouped(report.occupancy.threads_per_block), note.value, note.value == 1 ? "" : "s",
                         note.value == 1 ? "s" : "");
    case NoteCode::StaticAboveDefault:
      return fmt::format("compilers refuse more than 48 KB of static shared memory; {} B must be dynamic",
                         grouped(note.value));
    case NoteCode::OptInNeeded: return opt_in_needed(note.value, report.kernel.static_shared_memory == 0);
    case NoteCode::CarveoutIgnored:
      return fmt::format("{} does not follow this carveout preference: {} is in force", arch,
                         kilobytes(report.occupancy.shared_memory_per_sm));
    case NoteCode::CarveoutRaised:
      return fmt::format("the carveout was raised from {} to {}, so that one block fits", kilobytes(note.value),
                         kilobytes(report.occupancy.shared_memory_per_sm));
    case NoteCode::OversizedSharedMemory:
      return fmt::format(
          "{} is the oversized shared-memory mode, which the kernel must allow; that it works so is an "
          "assumption",
          kilobytes(note.value));
    case NoteCode::GlobalCachingIgnored: return fmt::format("{} has no partitioned global caching: ignored", arch);
    case NoteCode::GlobalCachingOff: return "no block fits half an SM: global caching is turned off";
    case NoteCode::BarriersNotCounted:
      return fmt::format("{} has no known pool of barriers: they set no ceiling", arch);
    case NoteCode::VirtualResourcesIgnored: return fmt::format("{} has no virtual resources: ignored", arch);
    case NoteCode::VirtualResourcesUnknown:
      return fmt::format("whether {} has virtual resources is unknown: not counted", arch);
    case NoteCode::Confidence:
      return fmt::format("the limits of {} are of {} confidence: see `occcalc archs {}`", arch,
                         confidence_words(report.architecture->confidence), report.architecture->name);
    case NoteCode::SubPartitionRounding:
      return fmt::format(
          "{} sub-partitions of {} registers hold whole warps only: plain division would give {} blocks",
          report.architecture->limits.sub_partitions,
          grouped(report.architecture->limits.registers_per_sm / report.architecture->limits.sub_partitions),
          note.value);
    case NoteCode::SpillRisk:
      return fmt::format("{} registers are a deep cut: compile with that cap and read \"spill stores\" first",
                         note.value);
    case NoteCode::IndependentWork: return "more independent work per thread can hide as much latency as more warps";
    case NoteCode::SharedL1:
      return fmt::format("all warps share one L1: {} B for each at the smallest carveout of the target",
                         grouped(note.value));
    case NoteCode::OneBlockDesign: return "one block per SM can be the design of a tensor-core kernel";
    case NoteCode::LaunchRegisters: return "residency is decided by the registers of the launch, not by setmaxnreg";
    case NoteCode::ClusterOptIn:
      return fmt::format(
          "a cluster of {} blocks is above the portable {}: it needs cudaFuncAttributeNonPortableClusterSizeAllowed",
          note.value, report.architecture->limits.max_portable_cluster.value_or(1));
    case NoteCode::ClusterUnknown:
      return fmt::format("whether {} accepts clusters of {} blocks is unknown: {} is the portable size", arch,
                         note.value, report.architecture->limits.max_portable_cluster.value_or(1));
    case NoteCode::NcuCarveout:
      return fmt::format("ncu prints the shared-memory limit at the carveout that the driver chose; at {} it is {}",
                         kilobytes(note.value), blocks_at(report, note.value));
  }
  return "";
}

std::string capitalized(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') {
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  }
  return text;
}

std::string_view words_of(Resource resource) noexcept {
  constexpr std::array<std::string_view, all_resources.size()> words = {
      "warp slots", "block slots", "registers", "shared memory", "barriers", "virtual resources"};
  return words[static_cast<std::size_t>(resource)];
}

std::string joined_words(const ResourceSet& resources) {
  std::string text;
  std::string_view last;
  for (const Resource resource : all_resources) {
    if (!resources.contains(resource)) {
      continue;
    }
    if (!last.empty()) {
      text += text.empty() ? "" : ", ";
      text += last;
    }
    last = words_of(resource);
  }
  return text.empty() ? std::string(last) : text + " and " + std::string(last);
}

}  // namespace occcalc::report
