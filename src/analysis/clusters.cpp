#include "occcalc/clusters.hpp"

#include <algorithm>

namespace occcalc {

namespace {

// What a GPC of so many SMs holds; all SMs of a GPU stand for the layout where that is unknown.
struct Held {
  std::int64_t clusters = 0;
  std::int64_t usable_sms = 0;
};

Held held_by(std::int64_t sms, int blocks_per_sm, int cluster_blocks) {
  const std::int64_t clusters = sms * blocks_per_sm / cluster_blocks;
  return {clusters, std::min(sms, clusters * cluster_blocks)};  // blocks are spread over all SMs first
}

// The most clusters that fit: without a layout as if all SMs were one GPC, which no layout exceeds.
Held held_by(const Sms& sms, int blocks_per_sm, int cluster_blocks) {
  if (sms.per_gpc.empty()) {
    return held_by(sms.count, blocks_per_sm, cluster_blocks);
  }
  Held all;
  for (const int of_gpc : sms.per_gpc) {
    const Held held = held_by(of_gpc, blocks_per_sm, cluster_blocks);
    all.clusters += held.clusters;
    all.usable_sms += held.usable_sms;
  }
  return all;
}

// The most blocks that one GPC holds; all SMs where the layout is unknown.
std::int64_t most_blocks_of_gpc(const Sms& sms, int blocks_per_sm) {
  const auto largest = std::max_element(sms.per_gpc.begin(), sms.per_gpc.end());
  return std::int64_t{largest == sms.per_gpc.end() ? sms.count : *largest} * blocks_per_sm;
}

void add_size_reasons(const SmLimits& sm, const Occupancy& occupancy, const ClusterLaunch& launch, const Sms& sms,
                      std::vector<Reason>& reasons) {
  const int blocks = thread_count(launch.cluster);
  const std::optional<int> largest = sm.max_nonportable_cluster;
  if (largest && blocks > *largest) {
    reasons.push_back({ReasonCode::ClusterSize, blocks, *largest});
  }
  if (launch.grid) {
    const auto check = [&reasons](ReasonCode code, std::int64_t of_grid, int of_cluster) {
      if (of_grid % of_cluster != 0) {
        reasons.push_back({code, of_grid, of_grid - of_grid % of_cluster});
      }
    };
    check(ReasonCode::ClusterGridX, launch.grid->x, launch.cluster.x);
    check(ReasonCode::ClusterGridY, launch.grid->y, launch.cluster.y);
    check(ReasonCode::ClusterGridZ, launch.grid->z, launch.cluster.z);
  }
  if (const std::int64_t most = most_blocks_of_gpc(sms, occupancy.active_blocks_per_sm);
      occupancy.launchable() && sms.count > 0 && blocks > most) {
    reasons.push_back({ReasonCode::ClusterPerGpc, blocks, most});
  }
}

}  // namespace

std::optional<Clusters> compute_clusters(const Occupancy& occupancy, Dim3 cluster, const Sms& sms) {
  const int blocks = thread_count(cluster);
  if (!occupancy.launchable() || blocks < 1 || sms.count < 1) {
    return std::nullopt;
  }
  const Held held = held_by(sms, occupancy.active_blocks_per_sm, blocks);
  Clusters clusters;
  clusters.cluster_blocks = blocks;
  clusters.max_active_clusters = held.clusters;
  clusters.is_bound = sms.per_gpc.empty() && blocks > 1;
  clusters.usable_sms = static_cast<int>(held.usable_sms);
  clusters.cluster_occupancy = static_cast<double>(held.clusters * blocks) /
                               static_cast<double>(std::int64_t{sms.count} * occupancy.active_blocks_per_sm);
  clusters.gpu_occupancy = clusters.cluster_occupancy * occupancy.fraction();
  return clusters;
}

std::vector<Reason> find_cluster_reasons(const SmLimits& sm, const Occupancy& occupancy, const ClusterLaunch& launch,
                                         const Sms& sms) {
  std::vector<Reason> reasons;
  if (thread_count(launch.cluster) > 1) {  // and so no dimension is 0
    add_size_reasons(sm, occupancy, launch, sms, reasons);
  }
  if (launch.required && *launch.required != launch.cluster) {
    reasons.push_back({ReasonCode::RequiredCluster, thread_count(launch.cluster), thread_count(*launch.required)});
  }
  return reasons;
}

Occupancy without_blocks(Occupancy occupancy) {
  if (occupancy.launchable()) {
    occupancy.active_blocks_per_sm = 0;
    occupancy.active_warps_per_sm = 0;
    occupancy.limiters = {};
  }
  return occupancy;
}

std::vector<Note> find_cluster_notes(const SmLimits& sm, Dim3 cluster) {
  const int blocks = thread_count(cluster);
  const std::optional<int> largest = sm.max_nonportable_cluster;
  if (blocks <= sm.max_portable_cluster.value_or(1) || (largest && blocks > *largest)) {
    return {};
  }
  return {{largest ? NoteCode::ClusterOptIn : NoteCode::ClusterUnknown, blocks}};
}

}  // namespace occcalc
