// Traces of launches by Nsight Systems and nvprof. The samples are in tests/profiles.

#include <cmath>
#include <string>
#include <vector>

#include "occcalc/readers.hpp"
#include "reading.hpp"

namespace {

using namespace occcalc;

using test::contains;
using Result = test::Found;

Result read_text(std::string_view text) { return test::read_with(read_gpu_trace, text); }
Result read_sample(const std::string& name) { return read_text(test::sample_text("profiles/" + name)); }

const std::string nsys_header =
    "Start (ns),Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Name\n";
const std::string nvprof_header =
    "   Start  Duration            Grid Size      Block Size     Regs*    SSMem*    DSMem*           Device   Context  "
    "  "
    "Stream  Name\n";

}  // namespace

TEST_CASE("nsys: one record a launch, copies and fills are none") {
  const Result result = read_sample("nsys_gpu_trace.csv");
  CHECK(result.problems.empty());
  REQUIRE(result.kernels.size() == 2);
  const KernelRecord& gemm = result.kernels[0];
  CHECK(gemm.line == 8);
  CHECK(gemm.kernel == "gemm(const float *, const float *, float *, int)");
  CHECK(gemm.arch.empty());
  CHECK(gemm.grid == Dim3{1024, 1, 1});
  CHECK(gemm.block == Dim3{256, 1, 1});
  CHECK(gemm.registers_per_thread == 32);
  CHECK(gemm.static_shared_memory == 0);
  CHECK(gemm.dynamic_shared_memory == 49152);  // 0.049 MB
  CHECK(gemm.rounded_bytes);
  CHECK(gemm.reported.duration_ns == 65025.0);
  CHECK_FALSE(gemm.reported.occupancy);
  CHECK(result.kernels[1].kernel == "scan");
  CHECK(result.kernels[1].grid == Dim3{16, 4, 2});
  CHECK(result.kernels[1].block == Dim3{16, 16, 1});
  CHECK(result.kernels[1].static_shared_memory == 4096);
}

TEST_CASE("nsys: the units are those of the header") {
  const Result result = read_sample("nsys_gpu_trace_bytes.csv");
  CHECK(result.problems.empty());
  REQUIRE(result.kernels.size() == 1);
  CHECK(result.kernels[0].static_shared_memory == 528);
  CHECK(result.kernels[0].dynamic_shared_memory == 49156);
  CHECK_FALSE(result.kernels[0].rounded_bytes);
  CHECK(std::lround(result.kernels[0].reported.duration_ns.value_or(0)) == 65025);
}

TEST_CASE("nvprof: the text has a unit a value, 1 KB of 1,024 bytes") {
  const Result result = read_sample("nvprof_gpu_trace.txt");
  CHECK(result.problems.empty());
  REQUIRE(result.kernels.size() == 2);
  const KernelRecord& kernel = result.kernels[0];
  CHECK(kernel.line == 8);
  CHECK(kernel.kernel == "void kernel<float, int=2>(float*, float const *)");
  CHECK(kernel.grid == Dim3{128, 1, 1});
  CHECK(kernel.block == Dim3{128, 1, 1});
  CHECK(kernel.registers_per_thread == 32);
  CHECK(kernel.static_shared_memory == 1142);
  CHECK(kernel.dynamic_shared_memory == 0);
  CHECK_FALSE(kernel.rounded_bytes);
  CHECK(kernel.reported.duration_ns == 3753380000.0);
  CHECK(result.kernels[1].kernel == "render(Vector3*, int)");
  CHECK(result.kernels[1].grid == Dim3{151, 76, 1});
  CHECK(result.kernels[1].dynamic_shared_memory == 49152);
  CHECK(result.kernels[1].reported.duration_ns == 2.4e12);
}

TEST_CASE("nvprof: the table has a row of units") {
  const Result result = read_sample("nvprof_gpu_trace.csv");
  CHECK(result.problems.empty());
  REQUIRE(result.kernels.size() == 1);
  const KernelRecord& kernel = result.kernels[0];
  CHECK(kernel.line == 6);
  CHECK(kernel.kernel == "fuse(float*, int)");
  CHECK(kernel.grid == Dim3{64, 32, 1});
  CHECK(kernel.block == Dim3{16, 16, 1});
  CHECK(kernel.static_shared_memory == 1142);
  CHECK(kernel.dynamic_shared_memory == 49152);
  CHECK_FALSE(kernel.rounded_bytes);
  CHECK(std::lround(kernel.reported.duration_ns.value_or(0)) == 21568);
}

TEST_CASE("nvprof: other columns between, other indents, page faults, several tables") {
  const Result result = read_text(
      "  Start  Duration            Grid Size      Block Size     Regs*    SSMem*    DSMem*           Device   Context "
      "   "
      "Stream        Unified Memory  Virtual Address  Name\n"
      "477.30ms         -                    -               -         -         -         -                -         "
      "-  "
      "       -           PC 0x400b82   0x7f1e46000000  [Unified Memory CPU page faults]\n"
      "291.07ms  34.848us  (1 1 1)  (8 8 4)  92  0B  0B  GeForce GTX 107  1  7  -  -  init(State*) [107]\n"
      "1024 elements, all right\n" +
      nvprof_header + "1.00us  2.00us  (2 1 1)  (32 1 1)  16  1B  2B  Tesla  1  7  f[1] [9]\r\n");
  CHECK(result.problems.empty());
  REQUIRE(result.kernels.size() == 2);
  CHECK(result.kernels[0].kernel == "init(State*)");
  CHECK(result.kernels[0].block == Dim3{8, 8, 4});
  CHECK(result.kernels[1].kernel == "f[1]");
  CHECK(result.kernels[1].dynamic_shared_memory == 2);
}

TEST_CASE("a header begins a table anew, and other text within is passed over") {
  const Result result = read_text(nsys_header + "1,2,4,1,1,64,1,1,,,,a\n\nnote, of the program\n==1== x, y\n" +
                                  nsys_header + "1,2,\"-\",-,-,-,-,-,-,-,-,fill\n1,2,4,1,1,64,1,1,8,0,0,b\n");
  CHECK(result.problems.empty());
  REQUIRE(result.kernels.size() == 2);
  CHECK_FALSE(result.kernels[0].registers_per_thread);
  CHECK_FALSE(result.kernels[0].static_shared_memory);
  CHECK(result.kernels[1].kernel == "b");
  CHECK(result.kernels[1].line == 8);
}

TEST_CASE("traces: what cannot be read is named with its line, and the rest is read") {
  const auto complaint = [](const std::string& row) {
    const Result result = read_text(nsys_header + row);
    CHECK(result.kernels.size() == 1);
    REQUIRE(result.problems.size() == 1);
    return result.problems[0];
  };
  CHECK(complaint("1,2,4,1,1,64,x,1,8,0,0,k") == "2: BlkY: found 'x'; accepted: a whole number, 1 to 2147483647");
  CHECK(contains(complaint("1,2,4294967296,1,1,64,1,1,8,0,0,k"), "2: GrdX: found '4294967296'; accepted: "));
  CHECK(contains(complaint("1,2,4,,1,64,1,1,8,0,0,k"), "2: GrdY: found ''"));
  CHECK(contains(complaint("1,2,4,1,1,64,1,1,-8,0,0,k"), "2: Reg/Trd: found '-8'; accepted: a whole number"));
  CHECK(contains(complaint("1,2,4,1,1,64,1,1,8,big,0,k"), "2: StcSMem: found 'big MB'; accepted: a size in B, KB"));
  CHECK(contains(complaint("1,2,4,1,1,64,1,1,8,0,99999999,k"), "2: DymSMem: found "));
  CHECK(contains(complaint("1,long,4,1,1,64,1,1,8,0,0,k"), "2: Duration: found 'long ns'; accepted: a time"));
}

TEST_CASE("traces: cut rows and headers without the columns hold no kernel") {
  const auto problem = [](const std::string& text) {
    const Result result = read_text(text);
    CHECK(result.kernels.empty());
    REQUIRE(result.problems.size() == 1);
    return result.problems[0];
  };
  CHECK(problem(nsys_header + "1,2,4,1,1,64,1") == "2: found a row of 7 cells; accepted: 12 or more, as in the header");
  CHECK(contains(problem(nsys_header + "1,2,4,1,1,64,1,1,8,0,0,\"k(in"), "2: found a cell whose quotes do not close"));
  CHECK(contains(problem("Start (ns),GrdX,GrdY,GrdZ,Name\n1,2,3,4,k\n"), "1: found a header without BlkX; accepted: "));
  CHECK(contains(problem(nvprof_header + "1.00us  2.00us  (2 1 1)  (32 1\n"), "2: found '1.00us  2.00us  (2 1 1)"));
  CHECK(contains(problem(nvprof_header + "1.00us  2.00us  (2 1 1)  (32 1 1)  16  1B  2B  Tesla  1\n"), "a whole row"));
  CHECK(contains(problem(nsys_header + "1," + std::string(2'000'000, ',')), "2: found a line of 2000002 bytes"));
}

TEST_CASE("traces: other text holds no kernel") {
  for (const std::string& text :
       {std::string(), std::string("GrdX\n"), std::string(1000, '\0'), std::string("Start  Grid Size  DSMem*\n1ms\n"),
        std::string("1,2,4,1,1,64,1,1,8,0,0,k\n"), nsys_header, nvprof_header, nsys_header + std::string(1 << 22, 'x'),
        nsys_header + "\xff\xfe,\xff\n"}) {
    CHECK(read_text(text).kernels.empty());
  }
}
