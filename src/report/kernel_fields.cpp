#include "report/kernel_fields.hpp"

#include <algorithm>
#include <array>

namespace occcalc::report {

namespace {

using Kind = Field::Kind;

template <auto member>
void text_of_record(Cell& cell, const Row& row) {
  const std::string& text = row.kernel_found->record.*member;
  text.empty() ? cell.null() : cell.foreign(text);
}

template <auto member>
void text_of_kernel(Cell& cell, const Row& row) {
  const auto& text = row.kernel_found->*member;
  text.empty() ? cell.null() : cell.foreign(text);
}

template <auto member>
void name_of_kernel(Cell& cell, const Row& row) {
  const std::string& text = *row.kernel_found->names.*member;
  text.empty() ? cell.null() : cell.foreign(text);
}

template <auto member>
void number_of_record(Cell& cell, const Row& row) {
  cell.number(row.kernel_found->record.*member);
}

// Of the launch that was evaluated; of an option, where one overrides.
template <auto used, auto member>
void dimensions_of_launch(Cell& cell, const Row& row) {
  const bool is_used = row.whole_gpu && (*row.whole_gpu).*used;
  is_used ? cell.dimensions((*row.whole_gpu).*used) : cell.dimensions(row.kernel_found->record.*member);
}

template <auto member>
void dimensions_of_record(Cell& cell, const Row& row) {
  cell.dimensions(row.kernel_found->record.*member);
}

template <auto member>
void real_reported(Cell& cell, const Row& row) {
  cell.real(row.kernel_found->record.reported.*member);
}

template <Resource resource>
void limit_reported(Cell& cell, const Row& row) {
  cell.number(row.kernel_found->record.reported.blocks_per_sm[static_cast<std::size_t>(resource)]);
}

void barriers(Cell& cell, const Row& row) {
  // An option is a number that is known; otherwise the model assumed one.
  row.kernel_found->barriers_given ? cell.number(std::int64_t{row.kernel.barriers})
                                   : cell.number(row.kernel_found->record.barriers);
}

void linked(Cell& cell, const Row& row) {
  const std::optional<bool>& is_linked = row.kernel_found->record.linked;
  is_linked ? cell.flag(*is_linked) : cell.null();
}

void block_source(Cell& cell, const Row& row) {
  constexpr std::array<std::string_view, 5> names = {"option", "input", "required", "launch_bounds", "suggested"};
  cell.text(names[static_cast<std::size_t>(row.kernel_found->block_source)]);
}

void memory_source(Cell& cell, const Row& row) {
  constexpr std::array<std::string_view, 3> names = {"option", "input", "assumed"};
  cell.text(names[static_cast<std::size_t>(row.kernel_found->memory_source)]);
}

// Before those of the configuration; of a field that stands in both, this one is used and the other is left out.
constexpr Field kernel_first[] = {
    {"file", Kind::Column, text_of_kernel<&FoundKernel::file>},
    {"member", Kind::Column, text_of_record<&KernelRecord::member>},
    {"kernel", Kind::Column, name_of_kernel<&KernelName::kernel>},
    {"name", Kind::Column, name_of_kernel<&KernelName::name>},
    {"arch", Kind::Column, [](Cell& cell, const Row& row) { cell.text(row.arch); }},
    {"registers_per_thread", Kind::Column,
     [](Cell& cell, const Row& row) { cell.number(row.kernel.registers_per_thread); }},
    {"static_shared_memory", Kind::Column, number_of_record<&KernelRecord::static_shared_memory>},
    {"barriers", Kind::Column, barriers},
    {"stack_frame", Kind::Column, number_of_record<&KernelRecord::stack_frame>},
    {"spill_stores", Kind::Column, number_of_record<&KernelRecord::spill_stores>},
    {"spill_loads", Kind::Column, number_of_record<&KernelRecord::spill_loads>},
    {"max_threads_per_block", Kind::Column, number_of_record<&KernelRecord::max_threads_per_block>},
    {"required_block", Kind::Column, dimensions_of_record<&KernelRecord::required_block>},
    {"cluster", Kind::Column, dimensions_of_launch<&WholeGpu::cluster, &KernelRecord::cluster>},
    {"linked", Kind::Column, linked},
    {"block_source", Kind::Column, block_source},
    {"dynamic_shared_memory_source", Kind::Column, memory_source},
};

// Behind them: what the input said beyond the configuration.
constexpr Field kernel_last[] = {
    {"compiled_arch", Kind::Column, text_of_kernel<&FoundKernel::compiled_arch>},
    {"spill_instructions", Kind::Column, number_of_record<&KernelRecord::spill_instructions>},
    {"min_blocks_per_sm", Kind::Column, number_of_record<&KernelRecord::min_blocks_per_sm>},
    {"grid", Kind::Column, dimensions_of_launch<&WholeGpu::grid, &KernelRecord::grid>},
    {"duration_ns", Kind::Column, real_reported<&ReportedLaunch::duration_ns>},
    {"compute_throughput", Kind::Column, real_reported<&ReportedLaunch::compute_throughput>},
    {"memory_throughput", Kind::Column, real_reported<&ReportedLaunch::memory_throughput>},
    {"achieved_occupancy", Kind::Column, real_reported<&ReportedLaunch::achieved_occupancy>},
    {"estimated_occupancy", Kind::Column, real_reported<&ReportedLaunch::estimated_occupancy>},
    {"reported_occupancy", Kind::Column, real_reported<&ReportedLaunch::occupancy>},
    {"reported_limit_warps", Kind::Column, limit_reported<Resource::Warps>},
    {"reported_limit_blocks", Kind::Column, limit_reported<Resource::Blocks>},
    {"reported_limit_registers", Kind::Column, limit_reported<Resource::Registers>},
    {"reported_limit_shared_memory", Kind::Column, limit_reported<Resource::SharedMemory>},
    {"reported_limit_barriers", Kind::Column, limit_reported<Resource::Barriers>},
    {"difference", Kind::Column, text_of_kernel<&FoundKernel::difference>},
    {"reported_waves", Kind::Column, real_reported<&ReportedLaunch::waves>},
    {"eligible_warps_per_scheduler", Kind::Column, real_reported<&ReportedLaunch::eligible_warps_per_scheduler>},
    {"warp_cycles_per_issue", Kind::Column, real_reported<&ReportedLaunch::warp_cycles_per_issue>},
    {"long_scoreboard_cycles", Kind::Column, real_reported<&ReportedLaunch::long_scoreboard_cycles>},
};

Fields make_fields() {
  const auto is_named = [](std::string_view name) {
    const auto has_name = [name](const Field& field) { return field.name == name; };
    return std::any_of(std::begin(kernel_first), std::end(kernel_first), has_name) ||
           std::any_of(std::begin(kernel_last), std::end(kernel_last), has_name);
  };
  Fields keys;
  Fields rest;
  for (const Field& field : configuration_fields()) {
    if (field.kind == Kind::Key) {
      keys.push_back(&field);
    } else if (!is_named(field.name)) {
      rest.push_back(&field);
    }
  }
  Fields all = keys;
  for (const Field& field : kernel_first) {
    all.push_back(&field);
  }
  for (const Field* const field : rest) {
    if (field->kind == Kind::Column) {
      all.push_back(field);
    }
  }
  for (const Field& field : kernel_last) {
    all.push_back(&field);
  }
  std::copy_if(rest.begin(), rest.end(), std::back_inserter(all),
               [](const Field* field) { return field->kind != Kind::Column; });
  return all;
}

}  // namespace

const Fields& kernel_fields() {
  static const Fields fields = make_fields();
  return fields;
}

}  // namespace occcalc::report
