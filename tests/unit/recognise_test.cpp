// What a text is, by its content.

#include <string>

#include "occcalc/readers.hpp"
#include "reading.hpp"

namespace {

using namespace occcalc;
using test::repeated;

const std::string ptxas_line = "ptxas info    : Used 22 registers, used 0 barriers, 364 bytes cmem[0]\n";

}  // namespace

TEST_CASE("a build log is known by what ptxas, nvlink and cuobjdump say") {
  for (const char* const text :
       {"ptxas info    : 0 bytes gmem\n", "make: Entering directory '/src'\r\n1>  ptxas info    : Used 4 registers\r\n",
        "2026-01-01T00:00:00Z #12 3.1 ptxas info    : Function properties for k\n", "nvlink info    : 0 bytes gmem\n",
        "\nFatbin elf code:\n================\narch = sm_120a\n", "Resource usage:\n Common:\n  GLOBAL:0\n",
        "  REG:24 STACK:8 SHARED:0 LOCAL:0\n", "x.txt:  REG:255 STACK:0\n"}) {
    INFO(text);
    CHECK(recognise(text) == InputKind::BuildLog);
  }
}

TEST_CASE("a build log that begins with a bracket is no JSON") {
  CHECK(recognise("[3/7] Building CUDA object x.cu.o\n" + ptxas_line) == InputKind::BuildLog);
  CHECK(recognise("[ 50%] Building CUDA object x.cu.o\n" + ptxas_line) == InputKind::BuildLog);
  CHECK(recognise("{ set -x; }\n" + ptxas_line) == InputKind::BuildLog);
}

TEST_CASE("megabytes of other lines may stand before the first line of ptxas") {
  const std::string before = repeated("g++ -c file.cpp -o file.o  # 0123456789 abcdefghijklmnopqrstuvwxyz\n", 100000);
  CHECK(before.size() > 5000000);
  CHECK(recognise(before) == InputKind::Unknown);
  CHECK(recognise(before + ptxas_line) == InputKind::BuildLog);
  CHECK(recognise(before + "REG: 1\n") == InputKind::Unknown);
}

TEST_CASE("Nsight Compute is known by its CSV and by its pages") {
  for (const char* const text :
       {"\"ID\",\"Process ID\",\"Process Name\"\n", "==PROF== Connected to process 4242\nhello\n", "ID,Process ID,x\n",
        "  saxpy (4096, 1, 1)x(256, 1, 1), Context 1\n    Section: Launch Statistics\n", "    Section: Occupancy\n",
        "\xef\xbb\xbf\"ID\",\"Process ID\"\n"}) {
    INFO(text);
    CHECK(recognise(text) == InputKind::Ncu);
  }
  CHECK(recognise("see Section: Occupancy\n") == InputKind::Unknown);
}

TEST_CASE("traces of launches are known by their heads") {
  for (const char* const text :
       {"Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd\n",
        "Processing [a.nsys-rep] with [gputrace.py]...\nStart (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ\n",
        "==4242== NVPROF is profiling process 4242, command: ./a\n", "==4242== Profiling result:\n",
        "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\"\n",
        "   Start  Duration            Grid Size      Block Size     Regs*    SSMem*    DSMem*\n"}) {
    INFO(text);
    CHECK(recognise(text) == InputKind::GpuTrace);
  }
}

TEST_CASE("JSON is known by its first bytes, whatever its texts say") {
  for (const char* const text : {"{\"traceEvents\": []}", "\xef\xbb\xbf \r\n\t{\n \"a\": \"ptxas info\"}",
                                 "[{\"ph\": \"X\"}]", "[\n", "{", "{}", "[]", "[[", "[1, 2]"}) {
    INFO(text);
    CHECK(recognise(text) == InputKind::Json);
  }
}

TEST_CASE("the first marker decides") {
  CHECK(recognise(ptxas_line + "==PROF== Connected\n") == InputKind::BuildLog);
  CHECK(recognise("==PROF== Connected\n" + ptxas_line) == InputKind::Ncu);
}

TEST_CASE("what may hold GPU code is known by its begin, whatever text is in it") {
  using namespace std::string_literals;
  for (const std::string& begin : {"\x7f"s + "ELF"s, "!<arch>\n"s, "!<thin>\n"s, "\x50\xed\x55\xba"s, "MZ\x90"s,
                                   "\xcf\xfa\xed\xfe"s, "\xca\xfe\xba\xbe"s}) {
    INFO(begin);
    CHECK(recognise_all(begin + ptxas_line) == std::vector{InputKind::GpuBinary});
  }
}

TEST_CASE("bytes that are no text of ours may hold GPU code too") {
  CHECK(recognise(std::string("engine\0\1\2", 9)) == InputKind::GpuBinary);
  CHECK(recognise("engine") == InputKind::Unknown);
}

TEST_CASE("PTX is known by what stands at the head of a module") {
  CHECK(recognise(".version 9.0\n.target sm_90a\n.address_size 64\n") == InputKind::Ptx);
  CHECK(recognise("// a comment\n  .target sm_80, debug\n") == InputKind::Ptx);
  CHECK(recognise("see .target sm_80\n") == InputKind::Unknown);
}

TEST_CASE("compressed files, UTF-16 and other texts are unknown") {
  using namespace std::string_literals;
  for (const std::string& text :
       {""s, " \n"s, "hello\n"s, "\xff\xfe{\0}\0"s, "\x28\xb5\x2f\xfd\0"s, "\xfe\xff\0{"s, "\x1f\x8b\x08\x00"s,
        "nvcc warning : Resource usage is not shown"s, "REG:"s, "REG:1"s, "REG: STACK:"s, "CALL STACK:1"s}) {
    INFO(text);
    CHECK(recognise(text) == InputKind::Unknown);
  }
}

TEST_CASE("a NUL byte in a log hides nothing") {
  CHECK(recognise(std::string("abc\0 def\n", 9) + ptxas_line) == InputKind::BuildLog);
}

TEST_CASE("all that a text holds is found, in its order") {
  const std::string table = "\"ID\",\"Process ID\",\"Process Name\"\n";
  CHECK(recognise_all(ptxas_line + table) == std::vector{InputKind::BuildLog, InputKind::Ncu});
  CHECK(recognise_all(table + ptxas_line) == std::vector{InputKind::Ncu, InputKind::BuildLog});
  CHECK(recognise_all("hello\n").empty());
}
