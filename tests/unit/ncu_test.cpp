// Nsight Compute's pages, and the numbers of profilers. The samples are in tests/profiles.

#include <chrono>
#include <string>
#include <vector>

#include "input/profiler_lines.hpp"
#include "input/units.hpp"
#include "occcalc/readers.hpp"
#include "reading.hpp"

namespace {

using namespace occcalc;

using test::contains;
using Result = test::Found;

Result read_text(std::string_view text) { return test::read_with(read_ncu, text); }
Result read_sample(const std::string& name) { return read_text(test::sample_text("profiles/" + name)); }

std::optional<int> ceiling(const KernelRecord& kernel, Resource resource) {
  return kernel.reported.blocks_per_sm[static_cast<std::size_t>(resource)];
}

std::string quoted(const std::vector<std::string>& cells) {
  std::string row;
  for (const std::string& cell : cells) {
    row += (row.empty() ? "\"" : ",\"") + cell + "\"";
  }
  return row + "\n";
}

const std::string header = quoted({"ID", "Process ID", "Kernel Name", "Block Size", "Grid Size", "CC", "Section Name",
                                   "Metric Name", "Metric Unit", "Metric Value"});

// A row of the details page, of launch 0.
std::string row(const std::string& metric, const std::string& unit, const std::string& value) {
  return quoted({"0", "1", "k", "(256, 1, 1)", "(4, 1, 1)", "9.0", "S", metric, unit, value});
}

Result read_metric(const std::string& metric, const std::string& unit, const std::string& value) {
  Result result = read_text(header + row(metric, unit, value));
  REQUIRE(result.kernels.size() == 1);
  return result;
}

}  // namespace

TEST_CASE("ncu: a details page in base units is one record a launch, with what it reports") {
  const Result result = read_sample("ncu_details_base.csv");
  CHECK(result.problems.empty());
  REQUIRE(result.kernels.size() == 3);
  const KernelRecord& gemm = result.kernels[0];
  CHECK(gemm.line == 6);
  CHECK(gemm.kernel == "gemm<float>(const T1 *, const T1 *, T1 *, int)");
  CHECK(gemm.arch == "sm_100");
  CHECK(gemm.block == Dim3{384, 1, 1});
  CHECK(gemm.grid == Dim3{9, 32, 1});
  CHECK(gemm.registers_per_thread == 168);
  CHECK(gemm.static_shared_memory == 0);
  CHECK(gemm.dynamic_shared_memory == 205696);
  CHECK_FALSE(gemm.rounded_bytes);
  CHECK_FALSE(gemm.cluster);
  CHECK_FALSE(gemm.barriers);
  CHECK_FALSE(gemm.includes_reserve);
  CHECK(ceiling(gemm, Resource::Barriers) == 9);
  CHECK(ceiling(gemm, Resource::Blocks) == 32);
  CHECK(ceiling(gemm, Resource::Registers) == 1);
  CHECK(ceiling(gemm, Resource::SharedMemory) == 1);
  CHECK(ceiling(gemm, Resource::Warps) == 5);
  CHECK_FALSE(ceiling(gemm, Resource::VirtualResources));
  CHECK(gemm.reported.occupancy == 0.1875);
  CHECK(gemm.reported.achieved_occupancy == 18.32 / 100);
  CHECK(gemm.reported.shared_memory_per_sm == 233472);
  CHECK(gemm.reported.duration_ns == 406240.0);
  CHECK(gemm.reported.compute_throughput == 23.59 / 100);
  CHECK(gemm.reported.memory_throughput == 21.68 / 100);  // not the one in byte/s
}

TEST_CASE("ncu: launches of the same ID in two processes are two") {
  const Result result = read_sample("ncu_details_base.csv");
  REQUIRE(result.kernels.size() == 3);
  CHECK(result.kernels[1].kernel == result.kernels[2].kernel);
  CHECK(result.kernels[1].static_shared_memory == 1024);
  CHECK_FALSE(result.kernels[2].static_shared_memory);
  CHECK(result.kernels[2].registers_per_thread == 32);
  CHECK_FALSE(result.kernels[2].reported.achieved_occupancy);  // n/a
}

TEST_CASE("ncu: of scaled sizes the plausible bytes are taken, and said to be rounded") {
  const Result result = read_sample("ncu_details_scaled.csv");
  CHECK(result.problems.empty());
  REQUIRE(result.kernels.size() == 1);
  const KernelRecord& kernel = result.kernels[0];
  CHECK(kernel.arch == "sm_90");
  CHECK(kernel.dynamic_shared_memory == 49152);
  CHECK(kernel.static_shared_memory == 4096);
  CHECK(kernel.rounded_bytes);
  CHECK(kernel.reported.shared_memory_per_sm == 167936);
  CHECK(kernel.reported.duration_ns == 1205120.0);
  CHECK(kernel.grid == Dim3{4096, 1, 1});
}

TEST_CASE("ncu: a page of 2020 has its block as a metric, and no compute capability") {
  const Result result = read_sample("ncu_details_2020.csv");
  CHECK(result.problems.empty());
  REQUIRE(result.kernels.size() == 1);
  const KernelRecord& kernel = result.kernels[0];
  CHECK(kernel.kernel == "compute_step_factor(int,float*,float*,float*)");
  CHECK(kernel.arch.empty());
  CHECK(kernel.block == Dim3{192, 1, 1});
  CHECK(kernel.grid == Dim3{506, 1, 1});
  CHECK(kernel.registers_per_thread == 20);
  CHECK(kernel.static_shared_memory == 0);
  CHECK(ceiling(kernel, Resource::Registers) == 14);
  CHECK(kernel.reported.occupancy == 0.9375);
  CHECK(kernel.reported.compute_throughput == 22.48 / 100);
  CHECK(kernel.reported.memory_throughput == 61.05 / 100);
  CHECK(kernel.reported.duration_ns == 9280.0);
}

TEST_CASE("ncu: the raw page is one record a row, in the units of its second row") {
  const Result result = read_sample("ncu_raw.csv");
  CHECK(result.problems.empty());
  REQUIRE(result.kernels.size() == 2);
  const KernelRecord& kernel = result.kernels[0];
  CHECK(kernel.line == 4);
  CHECK(kernel.kernel == "reduce(float *, int)");
  CHECK(kernel.block == Dim3{16, 16, 1});
  CHECK(kernel.registers_per_thread == 30);  // not those allocated
  CHECK(kernel.static_shared_memory == 16384);
  CHECK(kernel.dynamic_shared_memory == 0);
  CHECK(kernel.rounded_bytes);
  CHECK(kernel.reported.duration_ns == 15070.0);
  CHECK(ceiling(kernel, Resource::SharedMemory) == 9);
  CHECK(result.kernels[1].line == 5);
  CHECK(result.kernels[1].static_shared_memory == 0);
  CHECK_FALSE(result.kernels[1].reported.memory_throughput);
}

TEST_CASE("ncu: a raw page of more than a thousand columns, without the usual ones") {
  std::vector<std::string> names = {"ID", "Kernel Name"};
  std::vector<std::string> units = {"", ""};
  std::vector<std::string> values = {"0", "k"};
  const auto add = [&](const std::string& name, const std::string& unit, const std::string& value) {
    names.push_back(name);
    units.push_back(unit);
    values.push_back(value);
  };
  add("device__attribute_compute_capability_major", "", "12");
  add("device__attribute_compute_capability_minor", "", "1");
  for (int i = 0; i < 1500; ++i) {
    add("smsp__other_" + std::to_string(i) + ".sum", "inst", "1");
  }
  add("launch__block_dim_x", "", "16");
  add("launch__block_dim_y", "", "8");
  add("launch__block_dim_z", "", "2");
  add("launch__block_size", "", "256");
  add("launch__cluster_dim_x", "", "2");
  add("launch__barrier_count", "", "3");
  const Result result = read_text(quoted(names) + quoted(units) + quoted(values));
  CHECK(result.problems.empty());
  REQUIRE(result.kernels.size() == 1);
  CHECK(result.kernels[0].block == Dim3{16, 8, 2});
  CHECK(result.kernels[0].cluster == Dim3{2, 1, 1});
  CHECK(result.kernels[0].barriers == 3);
  CHECK(result.kernels[0].arch == "sm_121");
}

TEST_CASE("ncu: a summary states averages of what is measured, and resources where all launches agree") {
  const Result result = read_sample("ncu_summary.csv");
  REQUIRE(result.kernels.size() == 2);
  const KernelRecord& kernel = result.kernels[0];
  CHECK(kernel.block == Dim3{256, 1, 1});
  CHECK(kernel.registers_per_thread == 16);
  CHECK(kernel.static_shared_memory == 0);
  CHECK_FALSE(kernel.dynamic_shared_memory);
  CHECK_FALSE(kernel.rounded_bytes);
  CHECK(ceiling(kernel, Resource::Blocks) == 24);
  CHECK(kernel.reported.duration_ns == 12500.0);
  CHECK(kernel.reported.achieved_occupancy == 74.92 / 100);
  CHECK(result.kernels[1].reported.occupancy == 0.5);
  REQUIRE(result.problems.size() == 1);
  CHECK(contains(result.problems[0],
                 "4: Dynamic Shared Memory Per Block: found '0.00' to '49,152.00' among the launches; accepted: "));
}

TEST_CASE("ncu: the text page") {
  const Result result = read_sample("ncu_text.txt");
  CHECK(result.problems.empty());
  REQUIRE(result.kernels.size() == 2);
  const KernelRecord& kernel = result.kernels[0];
  CHECK(kernel.line == 6);
  CHECK(kernel.kernel == "add(float *, float *, float *, int)");
  CHECK(kernel.arch == "sm_86");
  CHECK(kernel.grid == Dim3{3907, 1, 1});
  CHECK(kernel.block == Dim3{256, 1, 1});
  CHECK(kernel.registers_per_thread == 16);
  CHECK(kernel.dynamic_shared_memory == 2048);
  CHECK(kernel.static_shared_memory == 0);
  CHECK(kernel.rounded_bytes);
  CHECK(kernel.reported.shared_memory_per_sm == 32768);
  CHECK(kernel.reported.duration_ns == 15070.0);
  CHECK(kernel.reported.memory_throughput == 79.78 / 100);
  CHECK(kernel.reported.compute_throughput == 17.16 / 100);
  CHECK(kernel.reported.achieved_occupancy == 80.47 / 100);  // not of the advice
  CHECK(ceiling(kernel, Resource::SharedMemory) == 10);
  CHECK(result.kernels[1].block == Dim3{16, 16, 1});
  CHECK(result.kernels[1].registers_per_thread == 36);
  CHECK(result.kernels[1].reported.achieved_occupancy == 91.87 / 100);
}

TEST_CASE("ncu: the text page of 2021, and a summary as text") {
  const Result old = read_sample("ncu_text_2021.txt");
  CHECK(old.problems.empty());
  REQUIRE(old.kernels.size() == 1);
  CHECK(old.kernels[0].kernel == "vec_add(float *, float *, float *, int)");
  CHECK(old.kernels[0].arch.empty());
  CHECK(old.kernels[0].block == Dim3{256, 1, 1});
  CHECK(old.kernels[0].reported.shared_memory_per_sm == 8192);
  CHECK(old.kernels[0].reported.compute_throughput == 0.82 / 100);
  CHECK(old.kernels[0].reported.memory_throughput == 7.54 / 100);
  CHECK(ceiling(old.kernels[0], Resource::SharedMemory) == 100);
  const Result summary = read_sample("ncu_summary.txt");
  CHECK(summary.problems.empty());
  REQUIRE(summary.kernels.size() == 1);
  CHECK(summary.kernels[0].arch == "sm_110");
  CHECK(summary.kernels[0].registers_per_thread == 16);
  CHECK(summary.kernels[0].dynamic_shared_memory == 1024);
  CHECK(summary.kernels[0].reported.achieved_occupancy == 74.92 / 100);
}

TEST_CASE("ncu: text and tables may follow each other, and a header begins anew") {
  const std::string line = "k (4, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 7.5\n";
  const Result result = read_text(line + "  Registers Per Thread  register/thread  8\n" + header +
                                  row("Registers Per Thread", "register/thread", "9") + "app: done, well\n" + header +
                                  row("Registers Per Thread", "register/thread", "10") + line);
  CHECK(result.problems.empty());
  REQUIRE(result.kernels.size() == 4);
  CHECK(result.kernels[0].registers_per_thread == 8);
  CHECK(result.kernels[1].registers_per_thread == 9);
  CHECK(result.kernels[2].registers_per_thread == 10);
  CHECK(result.kernels[2].line == 7);
  CHECK_FALSE(result.kernels[3].registers_per_thread);
}

TEST_CASE("ncu: a table that another program wrote again has no quotes where none are needed") {
  const Result result = read_text(
      "ID,Kernel Name,Block Size,Metric Name,Metric Value\n"
      "==PROF== a, b\n"
      "0,\"f(int, \"\"x\"\")\",\"(256, 1, 1)\",Registers Per Thread,24\n"
      "0,\"f(int, \"\"x\"\")\",\"(256, 1, 1)\",Static Shared Memory Per Block,1024");
  CHECK(result.problems.empty());
  REQUIRE(result.kernels.size() == 1);
  CHECK(result.kernels[0].kernel == "f(int, \"x\")");
  CHECK(result.kernels[0].registers_per_thread == 24);
  CHECK(result.kernels[0].static_shared_memory == 1024);
}

TEST_CASE("ncu: numbers of other locales") {
  CHECK(read_metric("Duration", "us", "1.205,12").kernels[0].reported.duration_ns == 1205120.0);
  CHECK(read_metric("Duration", "msecond", "0,244544").kernels[0].reported.duration_ns == 244544.0);
  CHECK(read_metric("Theoretical Occupancy", "%", "66,67").kernels[0].reported.occupancy == 66.67 / 100);
  CHECK(read_metric("Static Shared Memory Per Block", "Kbyte/block", "33,79").kernels[0].static_shared_memory == 33792);
  CHECK(read_metric("Dynamic Shared Memory Per Block", "byte/block", "1.024").kernels[0].dynamic_shared_memory == 1024);
}

TEST_CASE("ncu: what is measured over several passes may exceed the whole a little") {
  CHECK(read_metric("Achieved Occupancy", "%", "100.31").kernels[0].reported.achieved_occupancy == 1.0);
  CHECK(read_metric("Memory Throughput", "Gbyte/s", "93.5").problems.empty());
  CHECK_FALSE(read_metric("Memory Throughput", "Gbyte/s", "93.5").kernels[0].reported.memory_throughput);
}

TEST_CASE("ncu: what cannot be read is named with its line, and the rest is read") {
  const auto complaint = [](const std::string& metric, const std::string& unit, const std::string& value) {
    const Result result = read_metric(metric, unit, value);
    CHECK_FALSE(result.kernels[0].registers_per_thread);
    CHECK(result.kernels[0].block == Dim3{256, 1, 1});
    REQUIRE(result.problems.size() == 1);
    return result.problems[0];
  };
  CHECK(complaint("Registers Per Thread", "register/thread", "-1") ==
        "2: Registers Per Thread: found '-1 register/thread'; accepted: a whole number, 0 to 65536");
  for (const char* const value :
       {"65537", "1e9", "16.5", "banana", "1,02", "9999999999999999999999", "1e999", "0x10"}) {
    INFO(value);
    CHECK(contains(complaint("Registers Per Thread", "", value), "accepted: a whole number"));
  }
  CHECK(contains(complaint("Static Shared Memory Per Block", "furlong", "1"), "accepted: a size in byte, Kbyte"));
  CHECK(contains(complaint("Dynamic Shared Memory Per Block", "Gbyte", "99999"), "accepted: a size in byte, Kbyte"));
  CHECK(contains(complaint("Duration", "fortnight", "1"), "accepted: a time in ns"));
  CHECK(contains(complaint("Duration", "s", "1e300"), "accepted: a time in ns"));
  CHECK(contains(complaint("Theoretical Occupancy", "%", "900"), "accepted: 0 to 100 %"));
  for (const char* const absent : {"", "n/a", "N/A", "nan", "(!) nan", "no data", "-"}) {
    CHECK(read_metric("Registers Per Thread", "", absent).problems.empty());
  }
}

TEST_CASE("ncu: cut rows, odd dimensions and headers without the columns are problems") {
  const Result cut = read_text(header + row("Block Limit SM", "block", "32") + "\"0\",\"1\",\"k\",\"(256\n" +
                               "\"0\",\"1\",\"k\"\n" + row("Block Limit Warps", "block", "8"));
  REQUIRE(cut.kernels.size() == 1);
  CHECK(ceiling(cut.kernels[0], Resource::Warps) == 8);
  REQUIRE(cut.problems.size() == 2);
  CHECK(contains(cut.problems[0], "3: found a cell whose quotes do not close; accepted: a whole row"));
  CHECK(cut.problems[1] == "4: found a row of 3 cells; accepted: 10 or more, as in the header");
  const Result odd = read_text(header + quoted({"0", "1", "k", "(0, 1, 1)", "(4, 1)", "nine", "S", "M", "", "1"}));
  REQUIRE(odd.kernels.size() == 1);
  CHECK_FALSE(odd.kernels[0].block);
  REQUIRE(odd.problems.size() == 3);
  CHECK(contains(odd.problems[0], "2: Block Size: found '(0, 1, 1)'; accepted: (256, 1, 1)"));
  CHECK(contains(odd.problems[2], "2: CC: found 'nine'; accepted: a compute capability"));
  const Result no_values = read_text(quoted({"ID", "Kernel Name", "Metric Name"}) + quoted({"0", "k", "Duration"}));
  CHECK(no_values.kernels.empty());
  REQUIRE(no_values.problems.size() == 1);
  CHECK(contains(no_values.problems[0], "1: found a header with Metric Name, but no values; accepted: Metric Value"));
  const Result no_launch = read_text(quoted({"ID", "Process ID", "Kernel Name"}) + quoted({"0", "1", "k"}));
  CHECK(no_launch.kernels.empty());
  CHECK(no_launch.problems.size() == 1);
  const Result last = read_text(header + row("Block Limit SM", "block", "32") + "\"0\",\"1\",\"k\",\"(25");
  CHECK(last.kernels.size() == 1);
  REQUIRE(last.problems.size() == 1);
  CHECK(contains(last.problems[0], "3: found a cell whose quotes do not close"));
}

TEST_CASE("ncu: other text holds no kernel") {
  for (const char* const text :
       {"", "\n", "==PROF== Connected\n==ERROR== No kernels were profiled\n", "Section: Launch Statistics\n",
        "Registers Per Thread  register/thread  16\n", "Kernel Name,Time\nf,1\n", "f, Context x, Stream y\n",
        "see (1)x(2), Device 1\n", "  , Context 1, Stream 2\n", "\"0\",\"1\",\"k\"\n", "\xef\xbb\xbf",
        "\xff\xfe\0I\0D"}) {
    INFO(text);
    const Result result = read_text(text);
    CHECK(result.kernels.empty());
    CHECK(result.problems.empty());
  }
}

TEST_CASE("ncu: bytes that are no text do no harm, and names are kept as they are") {
  std::string name("k\0\xff\xc3(", 5);
  const Result result = read_text(header + quoted({"0", "1", name, "(1, 1, 1)", "(1, 1, 1)", "", "S", "M", "", ""}));
  REQUIRE(result.kernels.size() == 1);
  CHECK(result.kernels[0].kernel == name);
  CHECK(read_text(header + std::string(100, '\0') + "\"\0\"").kernels.empty());
}

TEST_CASE("ncu: a line without end, commas without end, quotes that do not close take no time") {
  constexpr std::size_t many = 20'000'000;
  const auto begin = std::chrono::steady_clock::now();
  CHECK(read_text(header + std::string(many, 'x')).kernels.empty());
  CHECK(read_text(header + "\"" + std::string(many, ',')).problems.size() == 1);
  CHECK(read_text("ID,Kernel Name" + std::string(many, ',')).kernels.empty());
  std::string quotes;
  while (quotes.size() < many / 4) {
    quotes += "\"\"a,\",\",\"b\n";
  }
  CHECK(read_text(header + quotes).kernels.empty());
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::minutes(1));  // seconds; hours if it were quadratic
}

TEST_CASE("a row of CSV may hold line ends in its quotes") {
  input::ProfilerLines lines("a,\"b\nc\",d\ne\n\"f\n");
  REQUIRE(lines.next());
  CHECK(lines.line() == "a,\"b");
  CHECK(lines.row() == "a,\"b\nc\",d");
  CHECK(lines.number() == 1);
  REQUIRE(lines.next());
  CHECK(lines.row() == "e");
  CHECK(lines.number() == 3);
  REQUIRE(lines.next());
  CHECK(lines.row() == "\"f");
  CHECK_FALSE(lines.next());
}

TEST_CASE("of the bytes that have a text, the multiple of the highest power of two is taken") {
  const auto bytes = [](const char* text, const char* unit, int kilo = 1000) {
    return input::read_printed_bytes(text, unit, kilo).value();
  };
  CHECK(bytes("1.02", "Kbyte/block").bytes == 1024);
  CHECK(bytes("1.02", "Kbyte").is_rounded);
  CHECK(bytes("1.06", "Kbyte").bytes == 1056);
  CHECK(bytes("1.07", "Kbyte").bytes == 1070);  // no multiple of 32 is near
  CHECK(bytes("1.09", "Kbyte").bytes == 1088);
  CHECK(bytes("16.90", "Kbyte").bytes == 16896);
  CHECK(bytes("65.54", "Kbyte").bytes == 65536);
  CHECK(bytes("233.47", "Kbyte").bytes == 233472);
  CHECK(bytes("0.049", "MB").bytes == 49152);
  CHECK(bytes("0.000", "MB").bytes == 0);
  CHECK(bytes("0.000", "MB").is_rounded);
  CHECK(bytes("4.096", "Kbyte").bytes == 4096);
  CHECK_FALSE(bytes("4.096", "Kbyte").is_rounded);
  CHECK(bytes("1.1152", "KB", 1024).bytes == 1142);
  CHECK_FALSE(bytes("1.1152", "KB", 1024).is_rounded);
  CHECK(bytes("48", "KiB").bytes == 49152);
  CHECK(bytes("1,024", "").bytes == 1024);
  CHECK_FALSE(bytes("528", "byte").is_rounded);
  CHECK_FALSE(input::read_printed_bytes("1", "Tbyte", 1000));
  CHECK_FALSE(input::read_printed_bytes("", "byte", 1000));
}

TEST_CASE("numbers are read with the separators of either locale") {
  const auto value = [](const char* text, bool is_whole = false) {
    const auto number = input::read_printed_number(text, is_whole);
    return number ? number->value : -1;
  };
  CHECK(value("1,205.00") == 1205);
  CHECK(value("1.205,00") == 1205);
  CHECK(value("1,234,567") == 1234567);
  CHECK(value("1.234.567") == 1234567);
  CHECK(value("1,205") == 1205);
  CHECK(value("1.205") == 1.205);
  CHECK(value("1.205", true) == 1205);
  CHECK(value("0,205") == 0.205);
  CHECK(value("2.4e+03") == 2400);
  CHECK(value("1234.567") == 1234.567);
  for (const char* const text :
       {"", ".", ",", "1,2,3", "1,,2", "1.2.3,4", "1,23.4", "-1", "+1", "e5", "1e", " ", "1 2"}) {
    INFO(text);
    CHECK(value(text) == -1);
  }
}
