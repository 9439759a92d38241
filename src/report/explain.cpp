#include "occcalc/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/numbers.hpp"
#include "report/report.hpp"
#include "report/sentences.hpp"

namespace occcalc::report {

namespace {

constexpr std::string_view warps_document = "cuda_occupancy.h 13.0, cudaOccMaxBlocksPerSMWarpsLimit";
constexpr std::string_view registers_document = "cuda_occupancy.h 13.0, cudaOccMaxBlocksPerSMRegsLimit";
constexpr std::string_view memory_document = "cuda_occupancy.h 13.0, cudaOccMaxBlocksPerSMSmemLimit";
constexpr std::string_view blocks_document = "cuda_occupancy.h 13.0, cudaOccMaxBlocksPerMultiprocessor";
constexpr std::string_view barriers_document = "cuda_occupancy.h 13.0, cudaOccMaxBlocksPerSMBlockBarrierLimit";
constexpr std::string_view virtual_document = "cuda_occupancy.h 13.0, cudaOccMaxBlocksPerSMVirtualResource";
constexpr std::string_view clusters_document = "CUDA C++ Programming Guide, thread block clusters";
constexpr std::string_view dimensions_document = "CUDA Programming Guide 13.4, section 5.1, maximum block dimensions";
constexpr std::string_view waves_document = "NVIDIA Matrix Multiplication Background User's Guide, Wave Quantization";
constexpr std::string_view minimum_document = "cuda_occupancy.h 13.0, cudaOccMaxActiveBlocksPerMultiprocessor";

std::string warps_text(std::int64_t warps) { return grouped(warps) + (warps == 1 ? " warp" : " warps"); }

std::string blocks_text(std::int64_t blocks) { return grouped(blocks) + (blocks == 1 ? " block" : " blocks"); }

void add(std::vector<Step>& steps, std::string_view resource, std::string text, std::int64_t value,
         std::string_view document) {
  steps.push_back({resource, std::move(text), static_cast<double>(value), document});
}

void explain_warps(const Report& report, std::vector<Step>& steps) {
  const int threads = report.occupancy.threads_per_block;
  const int warps = report.occupancy.warps_per_block;
  add(steps, "warps",
      fmt::format("{} thread{} / 32 = {} a block{}", grouped(threads), threads == 1 ? "" : "s", warps_text(warps),
                  threads % warp_size == 0 ? "" : ", rounded up"),
      warps, warps_document);
}

void explain_registers(const Report& report, std::vector<Step>& steps) {
  const std::optional<int> ceiling = report.occupancy.ceiling(Resource::Registers);
  if (!ceiling) {
    return;
  }
  const SmLimits& sm = report.architecture->limits;
  const int warps = report.occupancy.warps_per_block;
  const RegisterWorking work = work_out_registers(sm, report.kernel, report.occupancy);
  add(steps, "registers",
      fmt::format("{} registers x 32 threads = {} a warp, charged {} (a multiple of {})",
                  grouped(*report.kernel.registers_per_thread), grouped(work.asked_per_warp),
                  grouped(work.charged_per_warp), sm.register_allocation_unit),
      work.charged_per_warp, registers_document);
  const int registers = *report.kernel.registers_per_thread;
  if (registers > sm.max_registers_per_thread) {
    add(steps, "registers",
        fmt::format("{} > {}, the most registers of a thread: 0 blocks", grouped(registers),
                    sm.max_registers_per_thread),
        0, registers_document);
    return;
  }
  const bool passes = work.checked_per_block <= sm.max_registers_per_block;
  add(steps, "registers",
      fmt::format("launch check: {} (rounded up to a multiple of {}) are {} registers {} {} per block{}",
                  warps_text(warps), sm.register_check_warps, grouped(work.checked_per_block), passes ? "<=" : ">",
                  grouped(sm.max_registers_per_block), passes ? "" : ": 0 blocks"),
      work.checked_per_block, registers_document);
  if (!passes) {
    return;
  }
  if (sm.sub_partitions > 1) {
    add(steps, "registers",
        fmt::format(
            "plain division, {} / {}, would give {} warps; but each of {} sub-partitions serves whole warps from "
            "its own {} registers",
            grouped(sm.registers_per_sm), grouped(work.charged_per_warp), work.plain_warps, sm.sub_partitions,
            grouped(work.share)),
        work.plain_warps, registers_document);
  }
  const std::int64_t used_partitions = work.warps_per_sm / std::max<std::int64_t>(work.warps_per_sub_partition, 1);
  add(steps, "registers",
      fmt::format("{} / {} = {} warps, x {} = {}", grouped(work.share), grouped(work.charged_per_warp),
                  work.warps_per_sub_partition, used_partitions, work.warps_per_sm),
      work.warps_per_sm, registers_document);
  const bool halved = report.occupancy.global_caching != GlobalCaching::Off;
  add(steps, "registers",
      fmt::format("{} / {} = {}{}", work.warps_per_sm, warps, blocks_text(work.warps_per_sm / warps),
                  halved ? fmt::format(" in half an SM, x 2 = {}", *ceiling) : ""),
      *ceiling, registers_document);
}

void explain_shared_memory(const Report& report, std::vector<Step>& steps) {
  const Ceiling& ceiling = report.ceilings[static_cast<std::size_t>(Resource::SharedMemory)];
  if (!ceiling.blocks_per_sm) {
    return;
  }
  const SmLimits& sm = report.architecture->limits;
  const std::int64_t reserve = sm.reserved_shared_memory_per_block;
  add(steps, "shared_memory",
      fmt::format("{} B{} charged {} B (a multiple of {})", grouped(*ceiling.requested),
                  reserve == 0 ? "," : fmt::format(" + {} B of the driver =", grouped(reserve)),
                  grouped(*ceiling.allocated_per_block), ceiling.granule),
      *ceiling.allocated_per_block, memory_document);
  add(steps, "shared_memory",
      *ceiling.blocks_per_sm == 0
          ? std::string("0 blocks: one block is above its limit")
          : fmt::format("{} / {} = {}", grouped(*ceiling.available_per_sm), grouped(*ceiling.allocated_per_block),
                        blocks_text(*ceiling.blocks_per_sm)),
      *ceiling.blocks_per_sm, memory_document);
}

void explain_pool(const Report& report, Resource resource, std::string_view document, std::vector<Step>& steps) {
  const Ceiling& ceiling = report.ceilings[static_cast<std::size_t>(resource)];
  if (ceiling.blocks_per_sm) {
    add(steps, to_string(resource),
        fmt::format("{}: {} / {} = {}", words_of(resource), grouped(ceiling.available_per_sm.value_or(0)),
                    grouped(*ceiling.allocated_per_block), blocks_text(*ceiling.blocks_per_sm)),
        *ceiling.blocks_per_sm, document);
  }
}

void explain_warp_slots(const Report& report, std::vector<Step>& steps) {
  const SmLimits& sm = report.architecture->limits;
  const Occupancy& answer = report.occupancy;
  const int blocks = *answer.ceiling(Resource::Warps);
  if (answer.threads_per_block > sm.max_threads_per_block) {
    add(steps, "warps",
        fmt::format("{} > {}, the most threads of a block: 0 blocks", grouped(answer.threads_per_block),
                    grouped(sm.max_threads_per_block)),
        0, warps_document);
  } else if (answer.global_caching != GlobalCaching::Off) {
    add(steps, "warps",
        fmt::format("warp slots: {} / {} = {} in half an SM, x 2 = {}", sm.max_warps_per_sm / 2, answer.warps_per_block,
                    blocks_text(blocks / 2), blocks),
        blocks, warps_document);
  } else {
    explain_pool(report, Resource::Warps, warps_document, steps);
  }
}

int least_ceiling(const Occupancy& answer) {
  return *std::min_element(answer.blocks_per_sm.begin(), answer.blocks_per_sm.end());
}

void explain_minimum(const Report& report, std::vector<Step>& steps) {
  const Occupancy& answer = report.occupancy;
  std::string terms;
  for (const Resource resource : {Resource::Registers, Resource::SharedMemory, Resource::Warps, Resource::Blocks,
                                  Resource::Barriers, Resource::VirtualResources}) {
    if (const std::optional<int> blocks = answer.ceiling(resource)) {
      terms += (terms.empty() ? "" : ", ") + grouped(*blocks);
    }
  }
  const int least = least_ceiling(answer);
  add(steps, "", fmt::format("min({}) = {}", terms, blocks_text(least)), least, minimum_document);
  if (least != answer.active_blocks_per_sm) {
    const auto is_of_cluster = [](const Reason& reason) {
      return reason.code >= ReasonCode::RequiredCluster && reason.code <= ReasonCode::ClusterPerGpc;
    };
    const auto of_cluster = std::find_if(report.reasons.begin(), report.reasons.end(), is_of_cluster);
    if (of_cluster != report.reasons.end()) {
      add(steps, "", sentence(*of_cluster, report) + ": 0 blocks", 0, clusters_document);
    } else {
      add(steps, "", "a dimension of the block is too large: 0 blocks", 0, dimensions_document);
    }
  }
  add(steps, "",
      fmt::format("{} x {} = {} active", answer.active_blocks_per_sm, warps_text(answer.warps_per_block),
                  warps_text(answer.active_warps_per_sm)),
      answer.active_warps_per_sm, minimum_document);
  steps.push_back({"",
                   fmt::format("occupancy {} / {} = {}", answer.active_warps_per_sm, answer.max_warps_per_sm,
                               percent(answer.fraction())),
                   answer.fraction(), "CUDA C++ Best Practices Guide, Occupancy"});
}

// Active clusters, as far as numbers tell: which SMs make a GPC may be unknown.
void explain_clusters(const Clusters& clusters, std::vector<Step>& steps) {
  const std::int64_t blocks = clusters.max_active_clusters * clusters.cluster_blocks;
  add(steps, "",
      fmt::format("{} clusters x {} = {} at a time{}", grouped(clusters.max_active_clusters),
                  blocks_text(clusters.cluster_blocks), blocks_text(blocks),
                  clusters.is_bound ? ", at most: the SMs of each GPC are not known" : ", GPC by GPC"),
      blocks, clusters_document);
}

void explain_waves(const Report& report, const Waves& waves, std::vector<Step>& steps) {
  const auto add_share = [&steps](std::string text, double share) {
    steps.push_back({"", std::move(text) + " = " + percent(share), share, waves_document});
  };
  if (!report.whole_gpu->clusters) {
    add(steps, "",
        fmt::format("{} x {} = {} a wave", counted(waves.sm_count, "SM", "SMs"),
                    blocks_text(report.occupancy.active_blocks_per_sm), blocks_text(waves.blocks_per_wave)),
        waves.blocks_per_wave, waves_document);
  }
  const std::string quotient = fmt::format("{} / {} = {:.6g} waves", blocks_text(waves.grid_blocks),
                                           grouped(waves.blocks_per_wave), waves.waves);
  if (!waves.tail) {
    steps.push_back({"", quotient + ", or more", waves.waves, waves_document});
    return;
  }
  const Tail& tail = *waves.tail;
  const std::int64_t started = tail.full_waves + (tail.blocks > 0 ? 1 : 0);
  steps.push_back(
      {"", fmt::format("{}: {} full, {} in the last", quotient, grouped(tail.full_waves), blocks_text(tail.blocks)),
       waves.waves, waves_document});
  add_share(fmt::format("room that blocks take: {} / ({} waves x {})", grouped(waves.grid_blocks), grouped(started),
                        grouped(waves.blocks_per_wave)),
            tail.efficiency);
  const auto& clusters = report.whole_gpu->clusters;
  add_share(fmt::format("average over the launch: {} x the {} of a full wave", percent(tail.efficiency),
                        percent(clusters ? clusters->gpu_occupancy : report.occupancy.fraction())),
            waves.average_occupancy_bound);
}

}  // namespace

std::vector<Step> explain(const Report& report) {
  std::vector<Step> steps;
  explain_warps(report, steps);
  explain_registers(report, steps);
  explain_shared_memory(report, steps);
  explain_warp_slots(report, steps);
  explain_pool(report, Resource::Blocks, blocks_document, steps);
  explain_pool(report, Resource::Barriers, barriers_document, steps);
  explain_pool(report, Resource::VirtualResources, virtual_document, steps);
  explain_minimum(report, steps);
  if (report.whole_gpu && report.whole_gpu->clusters) {
    explain_clusters(*report.whole_gpu->clusters, steps);
  }
  if (report.whole_gpu && report.whole_gpu->waves) {
    explain_waves(report, *report.whole_gpu->waves, steps);
  }
  return steps;
}

}  // namespace occcalc::report
