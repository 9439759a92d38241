/// @file
/// Thread block clusters (9.0 on): how many run at a time, and why one cannot.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "occcalc/findings.hpp"
#include "occcalc/grid.hpp"
#include "occcalc/occupancy.hpp"

namespace occcalc {

/// Clusters on a GPU. The blocks of one run at the same time on SMs of one GPC; a GPC holds whole clusters only.
/// (CUDA C++ Programming Guide, thread block clusters)
struct Clusters {
  int cluster_blocks = 1;                ///< blocks of one
  std::int64_t max_active_clusters = 0;  ///< at a time, as cudaOccupancyMaxActiveClusters counts them
  bool is_bound = true;                  ///< an upper bound: which SMs make a GPC was not measured
  int usable_sms = 0;                    ///< that hold a block when so many are resident
  double cluster_occupancy = 0;          ///< their blocks, of those that are resident without clusters; 0 to 1
  double gpu_occupancy = 0;              ///< their warps, of those that all SMs can hold; 0 to 1
};

/// nullopt where no block fits, the cluster means nothing, or there is no SM.
[[nodiscard]] std::optional<Clusters> compute_clusters(const Occupancy& occupancy, Dim3 cluster, const Sms& sms);

/// A launch as far as its clusters go.
struct ClusterLaunch {
  Dim3 cluster{};                               ///< blocks
  std::optional<Dim3> required = std::nullopt;  ///< that the kernel was compiled for
  std::optional<Grid> grid = std::nullopt;      ///< blocks; nullopt: not asked about
};

/// Why a launch in clusters is impossible, where its blocks alone could run: a cluster larger than any (that this is
/// not known is no reason), a grid that is no multiple of it, no GPC that holds one, or a kernel that was compiled for
/// another. Only the last is a reason against a cluster of 1x1x1.
[[nodiscard]] std::vector<Reason> find_cluster_reasons(const SmLimits& sm, const Occupancy& occupancy,
                                                       const ClusterLaunch& launch, const Sms& sms);

/// The occupancy of a launch that its clusters forbid: no block, and no resource of the SM that binds. As given where
/// the blocks alone cannot run.
[[nodiscard]] Occupancy without_blocks(Occupancy occupancy);

/// What to know about the size of a cluster: that it needs an opt-in, or that nobody knows whether it is accepted.
[[nodiscard]] std::vector<Note> find_cluster_notes(const SmLimits& sm, Dim3 cluster);

}  // namespace occcalc
