#include "report/json_questions.hpp"

#include <fmt/format.h>

#include "report/json_writer.hpp"
#include "report/sentences.hpp"

namespace occcalc::report {

namespace {

void write_answer(JsonWriter& json, const Occupancy& answer) {
  json.member("active_blocks_per_sm", std::int64_t{answer.active_blocks_per_sm});
  json.member("active_warps_per_sm", std::int64_t{answer.active_warps_per_sm});
  json.member("occupancy", answer.fraction());
  json.member("limiters", words(answer.limiters));
}

void write_cliff(JsonWriter& json, const Cliff& cliff) {
  json.begin_object();
  json.member("input", std::string(to_string(cliff.input)));
  json.member("value", cliff.value);
  json.member("change", cliff.change);
  json.member("direction", std::string(cliff.gain ? "gain" : "loss"));
  write_answer(json, cliff.occupancy);
  json.end_object();
}

void write_joint(JsonWriter& json, const JointCliff& joint) {
  json.begin_object();
  json.member("active_blocks_per_sm", std::int64_t{joint.active_blocks_per_sm});
  json.member("occupancy", joint.occupancy);
  const auto most = [&json](std::string_view name, std::optional<std::int64_t> value) {
    if (value) {
      json.member(name, *value);
    }
  };
  most("max_registers_per_thread", joint.max_registers_per_thread);
  most("max_shared_memory", joint.max_shared_memory);
  most("max_barriers", joint.max_barriers);
  json.end_object();
}

void write_staircase(JsonWriter& json, const Staircase& staircase) {
  json.begin_object();
  json.member("input", std::string(to_string(staircase.input)));
  json.key("steps");
  json.begin_array();
  for (const Stair& stair : staircase.stairs) {
    json.begin_object();
    json.member("from", stair.from);
    json.member("to", stair.to);
    write_answer(json, stair.occupancy);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_row_members(JsonWriter& json, const BudgetRow& row, const Report& report) {
  json.member("active_blocks_per_sm", std::int64_t{row.active_blocks_per_sm});
  json.member("occupancy", row.occupancy);
  json.member("reachable", row.reachable);
  json.member("max_registers_per_thread", optional_value(row.max_registers_per_thread));
  json.member("max_dynamic_shared_memory", optional_value(row.max_dynamic_shared_memory));
  json.member("max_barriers", optional_value(row.max_barriers));
  json.member("min_carveout", optional_value(row.min_carveout));
  json.member("l1_left", row.l1_left);
  json.member("limiters", words(row.limiters));
  json.member("launch_bounds",
              fmt::format("__launch_bounds__({}, {})", report.occupancy.threads_per_block, row.active_blocks_per_sm));
  json.member("current", row.current);
}

void write_change(JsonWriter& json, const Change& change) {
  json.begin_object();
  json.member("input", std::string(to_string(change.input)));
  json.member("from", change.from);
  json.member("to", change.to);
  json.member("change", change.to - change.from);
  json.end_object();
}

void write_changes(JsonWriter& json, const std::vector<Change>& changes) {
  json.array(changes, [&json](const Change& change) { write_change(json, change); });
}

void write_target(JsonWriter& json, const Target& target, const Report& report) {
  json.begin_object();
  write_row_members(json, target.row, report);
  json.member("padding_shared_memory", optional_value(target.padding_shared_memory));
  json.key("changes");
  write_changes(json, target.changes);
  json.end_object();
}

void write_remedies(JsonWriter& json, const Remedies& remedies) {
  json.begin_object();
  json.member("together", remedies.together);
  json.key("changes");
  write_changes(json, remedies.changes);
  json.end_object();
}

void write_block_size(JsonWriter& json, const BlockSize& size, const Report& report) {
  json.begin_object();
  json.member("threads_per_block", std::int64_t{size.threads_per_block});
  write_answer(json, size.occupancy);
  json.member("min_grid_blocks", report.sm_count()
                                     ? Value(std::int64_t{*report.sm_count()} * size.occupancy.active_blocks_per_sm)
                                     : Value());
  json.end_object();
}

void write_wave_members(JsonWriter& json, const Waves& waves) {
  json.member("grid_blocks", waves.grid_blocks);
  json.member("sm_count", std::int64_t{waves.sm_count});
  json.member("blocks_per_wave", waves.blocks_per_wave);
  json.member("waves", waves.waves);
  const auto& tail = waves.tail;
  json.member("full_waves", tail ? Value(tail->full_waves) : Value());
  json.member("tail_blocks", tail ? Value(tail->blocks) : Value());
  json.member("idle_sms", tail ? Value(std::int64_t{tail->idle_sms}) : Value());
  json.member("efficiency", tail ? optional_real(tail->efficiency) : Value());
  json.member("average_occupancy_bound", waves.average_occupancy_bound);
  json.member("achieved_occupancy_bound", waves.achieved_occupancy_bound);
}

void write_waves(JsonWriter& json, const Report& report) {
  const WholeGpu& whole = *report.whole_gpu;
  json.begin_object();
  write_wave_members(json, *whole.waves);
  const auto& tail = whole.waves->tail;
  json.member("smaller_grid", tail && tail->smaller_grid > 0 ? Value(tail->smaller_grid) : Value());
  json.member("larger_grid", tail ? Value(tail->larger_grid) : Value());
  json.member("achieved_occupancy", optional_real(whole.achieved_occupancy));
  json.key("block_sizes");
  json.array(report.fuller_blocks, [&json](const BlockWaves& block) {
    json.begin_object();
    json.member("threads_per_block", std::int64_t{block.threads_per_block});
    write_wave_members(json, block.waves);
    json.end_object();
  });
  json.end_object();
}

void write_clusters(JsonWriter& json, const Clusters& clusters) {
  json.begin_object();
  json.member("cluster_blocks", std::int64_t{clusters.cluster_blocks});
  json.member("max_active_clusters", clusters.max_active_clusters);
  json.member("is_bound", clusters.is_bound);
  json.member("usable_sms", std::int64_t{clusters.usable_sms});
  json.member("cluster_occupancy", clusters.cluster_occupancy);
  json.member("gpu_occupancy", clusters.gpu_occupancy);
  json.end_object();
}

void write_need(JsonWriter& json, const MemoryNeed& need) {
  json.begin_object();
  json.member("bytes_in_flight_per_thread", need.bytes_in_flight_per_thread);
  json.member("warps_to_cover_memory", need.warps_per_sm);
  json.member("covered", need.covered);
  json.end_object();
}

void write_latency(JsonWriter& json, const Report& report) {
  const LatencyEstimate& latency = *report.whole_gpu->latency;
  const auto& asked = latency.asked_need;
  json.begin_object();
  json.member("bytes_in_flight_per_sm", optional_value(latency.bytes_in_flight_per_sm));
  json.member("bytes_in_flight_per_thread", asked ? Value(asked->bytes_in_flight_per_thread) : Value());
  json.member("warps_to_cover_memory", asked ? Value(asked->warps_per_sm) : Value());
  json.member("covered", asked ? Value(asked->covered) : Value());
  json.key("usual_needs");
  json.begin_array();
  for (const std::optional<MemoryNeed>& need : latency.usual_needs) {
    if (need) {
      write_need(json, *need);
    }
  }
  json.end_array();
  json.member("ilp", std::int64_t{latency.ilp});
  json.member("warps_to_cover_arithmetic", optional_value(latency.fma_warps_per_sm));
  json.member("warps_per_scheduler_to_cover_arithmetic", optional_value(latency.fma_warps_per_scheduler));
  json.member("arithmetic_covered", latency.fma_warps_per_sm
                                        ? Value(report.occupancy.active_warps_per_sm >= *latency.fma_warps_per_sm)
                                        : Value());
  json.member("estimate", true);
  const std::vector<std::string>& sources = report.whole_gpu->part->sources;
  json.member("sources", Words(sources.begin(), sources.end()));
  json.end_object();
}

void write_step(JsonWriter& json, const Step& step) {
  json.begin_object();
  json.member("resource", step.resource.empty() ? Value() : Value(std::string(step.resource)));
  json.member("text", step.text);
  json.member("value", step.value);
  json.member("document", std::string(step.document));
  json.end_object();
}

}  // namespace

bool was_asked(const Report& report, std::string_view question) {
  return question == "staircases"    ? report.staircases.has_value()
         : question == "budget"      ? report.budget.has_value()
         : question == "target"      ? report.target.has_value()
         : question == "block_sizes" ? report.block_sizes.has_value()
         : question == "waves"       ? report.whole_gpu && report.whole_gpu->waves
         : question == "clusters"    ? report.whole_gpu && report.whole_gpu->clusters
         : question == "latency"     ? report.whole_gpu && report.whole_gpu->latency
         : question == "explain"     ? report.explain
         : question == "remedies"    ? !report.occupancy.launchable()
                                     : true;
}

bool write_question(JsonWriter& json, std::string_view question, const Report& report) {
  if (question == "cliffs") {
    json.array(report.cliffs, [&](const Cliff& cliff) { write_cliff(json, cliff); });
  } else if (question == "joint_cliff") {
    report.joint_cliff ? write_joint(json, *report.joint_cliff) : json.null();
  } else if (question == "remedies") {
    write_remedies(json, report.remedies);
  } else if (!was_asked(report, question)) {
    json.null();
  } else if (question == "staircases") {
    json.array(*report.staircases, [&](const Staircase& staircase) { write_staircase(json, staircase); });
  } else if (question == "budget") {
    json.array(*report.budget, [&](const BudgetRow& row) {
      json.begin_object();
      write_row_members(json, row, report);
      json.end_object();
    });
  } else if (question == "target") {
    write_target(json, *report.target, report);
  } else if (question == "block_sizes") {
    json.array(*report.block_sizes, [&](const BlockSize& size) { write_block_size(json, size, report); });
  } else if (question == "waves") {
    write_waves(json, report);
  } else if (question == "clusters") {
    write_clusters(json, *report.whole_gpu->clusters);
  } else if (question == "latency") {
    write_latency(json, report);
  } else if (question == "explain") {
    json.array(explain(report), [&](const Step& step) { write_step(json, step); });
  } else {
    return false;
  }
  return true;
}

}  // namespace occcalc::report
