#include "expected_table.hpp"

#include <sstream>
#include <stdexcept>

namespace occcalc::test {

namespace {

constexpr std::string_view head =
    "arch block regs static dynamic barriers virtual carveout_kind carveout_value opt_in caching blocks warps_limit "
    "blocks_limit registers_limit shared_memory_limit barriers_limit virtual_limit limiters registers shared_memory";

}  // namespace

void write_expected(std::ostream& out, const std::vector<ExpectedRow>& rows) {
  out << head << "\n";
  for (const auto& [c, header] : rows) {
    out << c.architecture->name << ' ' << c.launch.block.x << ' ' << *c.kernel.registers_per_thread << ' '
        << c.kernel.static_shared_memory << ' ' << c.launch.dynamic_shared_memory << ' ' << c.kernel.barriers << ' '
        << c.kernel.virtual_resources << ' ' << static_cast<int>(c.launch.carveout.kind) << ' '
        << c.launch.carveout.value << ' ' << c.launch.opt_in << ' ' << static_cast<int>(c.launch.global_caching) << ' '
        << header.active_blocks;
    for (const int ceiling : header.ceilings) {
      out << ' ' << (ceiling == INT_MAX ? -1 : ceiling);
    }
    out << ' ' << header.limiters << ' ' << header.registers << ' ' << header.shared_memory << "\n";
  }
}

std::vector<ExpectedRow> read_expected(std::istream& in) {
  std::string line;
  std::getline(in, line);
  if (line != head) {
    throw std::runtime_error("the table of expected values has another head");
  }
  std::vector<ExpectedRow> rows;
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string arch;
    int registers = 0;
    int kind = 0;
    int caching = 0;
    ExpectedRow row;
    auto& [c, header] = row;
    fields >> arch >> c.launch.block.x >> registers >> c.kernel.static_shared_memory >>
        c.launch.dynamic_shared_memory >> c.kernel.barriers >> c.kernel.virtual_resources >> kind >>
        c.launch.carveout.value >> c.launch.opt_in >> caching >> header.active_blocks;
    for (int& ceiling : header.ceilings) {
      fields >> ceiling;
      ceiling = ceiling == -1 ? INT_MAX : ceiling;
    }
    fields >> header.limiters >> header.registers >> header.shared_memory;
    c.architecture = find_architecture(arch);
    if (!fields || c.architecture == nullptr) {
      throw std::runtime_error("the table of expected values has a bad line: " + line);
    }
    c.kernel.registers_per_thread = registers;
    c.launch.carveout.kind = static_cast<Carveout::Kind>(kind);
    c.launch.global_caching = static_cast<GlobalCaching>(caching);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace occcalc::test
