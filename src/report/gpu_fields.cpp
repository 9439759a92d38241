#include "report/gpu_fields.hpp"

namespace occcalc::report {

namespace {

using Kind = Field::Kind;

template <auto member>
void text(Cell& cell, const Row& row) {
  const std::string& value = *row.gpu.*member;
  value.empty() ? cell.null() : cell.foreign(value);
}

template <auto member>
void count(Cell& cell, const Row& row) {
  cell.number(*row.gpu.*member);
}

template <auto member>
void amount(Cell& cell, const Row& row) {
  cell.real(*row.gpu.*member);
}

// A list in JSON, otherwise one text.
template <auto member>
void texts(Cell& cell, const Row& row) {
  cell.texts(*row.gpu.*member);
}

void arch(Cell& cell, const Row& row) { row.arch.empty() ? cell.null() : cell.text(row.arch); }

void capability(Cell& cell, const Row& row) {
  const auto& value = row.gpu->compute_capability;
  value ? cell.text(to_string(*value)) : cell.null();
}

constexpr Field fields[] = {
    {"schema", Kind::Key, [](Cell& cell, const Row&) { cell.text("occcalc/1"); }},
    {"gpu", Kind::Column, text<&Gpu::name>},
    {"arch", Kind::Column, arch},
    {"compute_capability", Kind::Column, capability},
    {"segment", Kind::Column, text<&Gpu::segment>},
    {"sm_count", Kind::Column, count<&Gpu::sm_count>},
    {"gpc_count", Kind::Column, count<&Gpu::gpc_count>},
    {"boost_mhz", Kind::Column, amount<&Gpu::boost_mhz>},
    {"memory_bandwidth_gbs", Kind::Column, amount<&Gpu::memory_bandwidth>},
    {"dram_latency_cycles", Kind::Column, count<&Gpu::dram_latency_cycles>},
    {"l2_cache_mib", Kind::Column, amount<&Gpu::l2_cache>},
    {"memory_gb", Kind::Column, amount<&Gpu::memory>},
    {"gpus_per_board", Kind::Column, count<&Gpu::gpus_per_board>},
    {"aliases", Kind::Column, texts<&Gpu::aliases>},
    {"sources", Kind::Key, texts<&Gpu::sources>},
    {"disagreements", Kind::Key, texts<&Gpu::disagreements>},
    {"notes", Kind::Key, texts<&Gpu::notes>},
};

}  // namespace

const Fields& gpu_fields() {
  static const Fields all = [] {
    Fields pointers;
    for (const Field& field : fields) {
      pointers.push_back(&field);
    }
    return pointers;
  }();
  return all;
}

}  // namespace occcalc::report
