#include "cli/whole_gpu.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "input/values.hpp"
#include "occcalc/error.hpp"

namespace occcalc::cli {

namespace {

constexpr std::array<std::string_view, 8> options = {
    "--gpu", "--sms", "--gpcs", "--grid", "--cluster", "--latency", "--bytes-in-flight", "--ilp"};

std::optional<LatencyQuestion> read_latency(const Arguments& arguments) {
  const std::string* const bytes = arguments.value("--bytes-in-flight");
  const std::string* const ilp = arguments.value("--ilp");
  if (bytes == nullptr && ilp == nullptr && !arguments.has("--latency")) {
    return std::nullopt;
  }
  LatencyQuestion question;
  if (bytes != nullptr) {
    question.bytes_in_flight_per_thread = input::read_size("--bytes-in-flight", *bytes);
    if (question.bytes_in_flight_per_thread == 0) {
      throw InputError("--bytes-in-flight", "found '" + *bytes +
                                                "'; accepted: the bytes that each thread waits for at "
                                                "a time, at least 1");
    }
  }
  constexpr int most_ilp = 1 << 10;
  question.ilp = ilp == nullptr ? 1 : input::read_count("--ilp", *ilp, "independent FMAs per thread", 1, most_ilp);
  return question;
}

// One grid and one cluster that cannot go together are a slip; in a sweep they are a row that cannot launch.
void refuse_larger_than_grid(const Dim3& cluster, const Grid& grid) {
  if (cluster.x > grid.x || cluster.y > grid.y || cluster.z > grid.z) {
    const auto text = [](const auto& size) {
      return std::to_string(size.x) + "x" + std::to_string(size.y) + "x" + std::to_string(size.z);
    };
    throw InputError("--cluster", "found " + text(cluster) + " blocks, more than the " + text(grid) +
                                      " of --grid; accepted: a cluster whose multiple the grid is in each dimension");
  }
}

}  // namespace

WholeGpuQuestions::WholeGpuQuestions(const Arguments& arguments)
    : has_any_(std::any_of(options.begin(), options.end(),
                           [&arguments](std::string_view option) { return arguments.has(option); })),
      latency_(read_latency(arguments)) {
  if (arguments.has("--cluster")) {
    clusters_ = input::read_clusters("--cluster", arguments.values("--cluster"));
    launches_ = clusters_->size();
  }
  if (arguments.has("--grid")) {
    grids_ = input::read_grids("--grid", arguments.values("--grid"));
    const bool fits = grids_->size() <= INT64_MAX / launches_;
    launches_ = fits ? launches_ * grids_->size() : INT64_MAX;
  }
  if (const std::string* const achieved = arguments.value("--achieved")) {
    achieved_occupancy_ = input::read_fraction("--achieved", *achieved);
  }
  if (launches_ == 1 && clusters_ && grids_) {
    refuse_larger_than_grid((*clusters_)[0], (*grids_)[0]);
  }
}

WholeGpuQuestions::Launch WholeGpuQuestions::launch(std::int64_t index, const Launch& of_input) const {
  Launch launch = of_input;
  const std::int64_t grids = grids_ ? grids_->size() : 1;
  launch.has_run = of_input.has_run && !grids_ && !clusters_;
  if (grids_) {
    launch.grid = (*grids_)[index % grids];
  }
  if (clusters_) {
    launch.cluster = (*clusters_)[index / grids];
  }
  if (achieved_occupancy_ || grids_ || clusters_) {
    launch.achieved_occupancy = achieved_occupancy_;  // an input's is that of its own launch
  }
  return launch;
}

void WholeGpuQuestions::answer(const Launch& launch, std::shared_ptr<const report::GpuPart> part,
                               report::Row& row) const {
  auto whole = std::make_shared<report::WholeGpu>();
  const Dim3 cluster = launch.cluster.value_or(Dim3{});
  const SmLimits& sm = row.architecture->limits;
  const std::vector<Reason> reasons = find_cluster_reasons(
      sm, row.occupancy,
      {.cluster = cluster, .required = launch.required_cluster, .grid = launch.has_run ? std::nullopt : launch.grid},
      part->sms);
  if (!reasons.empty()) {
    row.occupancy = without_blocks(row.occupancy);
  }
  row.reasons.insert(row.reasons.end(), reasons.begin(), reasons.end());
  if (launch.cluster) {
    whole->clusters = compute_clusters(row.occupancy, cluster, part->sms);
  }
  if (launch.grid) {
    whole->waves = compute_waves(row.occupancy, block_count(*launch.grid), part->sms, cluster);
  }
  if (latency_) {
    whole->latency = estimate_latency(sm, row.architecture->latencies, part->memory, row.occupancy, *latency_);
  }
  whole->grid = launch.grid;
  whole->cluster = launch.cluster;
  whole->achieved_occupancy = launch.achieved_occupancy;
  whole->part = std::move(part);
  row.whole_gpu = std::move(whole);
}

}  // namespace occcalc::cli
