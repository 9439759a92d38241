// Clusters on the whole GPU, for people.
#include <fmt/format.h>

#include "report/layout.hpp"
#include "report/numbers.hpp"
#include "report/sections.hpp"

namespace occcalc::report {

namespace {

std::string left_over(const Clusters& clusters, int sm_count) {
  const int idle = sm_count - clusters.usable_sms;
  return idle == 0 ? clusters.is_bound ? "" : "; every SM can hold some of them"
                   : (clusters.is_bound ? "; at least " : "; ") + counted(idle, "SM is", "SMs are") +
                         " left over, because the blocks of a cluster share one GPC and no whole cluster fits there";
}

std::string bound_line() {
  return wrapped(
      "An upper bound: the SMs of each GPC are not known, and boards of one product differ (of an H100's 132 SMs, "
      "clusters of 8 were seen to use 120). --gpcs 16,16,18,... gives them; cudaOccupancyMaxActiveClusters counts on "
      "the GPU itself.");
}

}  // namespace

std::string clusters_section(const Report& report, Style style) {
  if (!report.whole_gpu || !report.whole_gpu->clusters) {
    return "";
  }
  const Clusters& clusters = *report.whole_gpu->clusters;
  const int sm_count = report.whole_gpu->part->sms.count;
  const std::string most = clusters.is_bound ? "at most " : "";
  std::string text =
      "\n" +
      bold(fmt::format("Clusters of {} on {}: {}{} at a time", counted(clusters.cluster_blocks, "block", "blocks"),
                       counted(sm_count, "SM", "SMs"), most, grouped(clusters.max_active_clusters)),
           style) +
      "\n";
  text += wrapped(fmt::format("{} of the {} blocks that fit without clusters ({}){}.",
                              grouped(clusters.max_active_clusters * clusters.cluster_blocks),
                              grouped(std::int64_t{sm_count} * report.occupancy.active_blocks_per_sm),
                              percent(clusters.cluster_occupancy), left_over(clusters, sm_count)));
  text += wrapped(fmt::format("Occupancy of the whole GPU: {}{}.", most, percent(clusters.gpu_occupancy)));
  return text + (clusters.is_bound ? bound_line() : "");
}

}  // namespace occcalc::report
