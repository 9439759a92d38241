// Kernels in JSON: traces of PyTorch's profiler, and Triton's cache.

#include <string>
#include <vector>

#include "occcalc/readers.hpp"
#include "reading.hpp"

namespace {

using namespace occcalc;

using test::contains;
using test::Found;
using test::repeated;

Found read(std::string_view text) { return test::read_with(read_kernel_json, text); }
std::string sample(const std::string& name) { return test::sample_text("traces/" + name); }

// One kernel event with these arguments.
std::string event(const std::string& arguments) {
  return R"([{"ph": "X", "cat": "kernel", "name": "k", "dur": 1, "args": )" + arguments + "}]";
}

// The only problem.
std::string problem(std::string_view text) {
  const Found found = read(text);
  return found.problems.size() == 1 ? found.problems.front() : std::to_string(found.problems.size()) + " problems";
}

}  // namespace

TEST_CASE("a trace of Kineto has one record a kernel event") {
  const Found found = read(sample("kineto.json"));
  CHECK(found.problems.empty());
  REQUIRE(found.kernels.size() == 3);

  const KernelRecord& add = found.kernels[0];
  CHECK(add.line == 54);
  CHECK(add.kernel.starts_with("void at::native::vectorized_elementwise_kernel<4, "));
  CHECK(add.arch == "sm_90");
  CHECK(add.registers_per_thread == 32);
  CHECK(add.dynamic_shared_memory == 0);
  CHECK(add.grid == Dim3{2048, 1, 1});
  CHECK(add.block == Dim3{128, 1, 1});
  CHECK(add.reported.duration_ns == 2336.0);

  const KernelRecord& gemm = found.kernels[1];
  CHECK(gemm.kernel == "nvjet_tst_320x128_64x3_1x2_h_bz_coopB_NNT");
  CHECK(gemm.registers_per_thread == 168);
  CHECK(gemm.block == Dim3{384, 1, 1});

  CHECK(found.kernels[2].arch == "sm_89");  // the event's device, not the first
  CHECK(found.kernels[2].grid == Dim3{16, 4, 2});
  CHECK(found.kernels[2].block == Dim3{32, 8, 4});
}

TEST_CASE("shared memory in one sum is dynamic, and nothing is said of the static part") {
  const Found found = read(sample("kineto.json"));
  REQUIRE(found.kernels.size() == 3);
  CHECK(found.kernels[1].dynamic_shared_memory == 188636);
  CHECK_FALSE(found.kernels[1].static_shared_memory);
  CHECK_FALSE(found.kernels[1].rounded_bytes);
  CHECK_FALSE(found.kernels[1].includes_reserve);
}

TEST_CASE("what Kineto estimates is not taken as reported by a profiler") {
  for (const KernelRecord& kernel : read(sample("kineto.json")).kernels) {
    CHECK_FALSE(kernel.reported.occupancy);
    CHECK_FALSE(kernel.reported.achieved_occupancy);
    for (const std::optional<int>& blocks : kernel.reported.blocks_per_sm) {
      CHECK_FALSE(blocks);
    }
  }
}

TEST_CASE("the traces of 2021 are read too") {
  const Found found = read(sample("kineto-2021.json"));
  CHECK(found.problems.empty());
  REQUIRE(found.kernels.size() == 1);
  CHECK(found.kernels[0].kernel == "volta_sgemm_128x32_nt");
  CHECK(found.kernels[0].arch == "sm_70");
  CHECK(found.kernels[0].registers_per_thread == 55);
  CHECK(found.kernels[0].dynamic_shared_memory == 16384);
  CHECK(found.kernels[0].reported.duration_ns == 3000.0);
}

TEST_CASE("devices without a number count from 0") {
  const Found found =
      read(R"({"computeProperties": [{"computeMajor": 7, "computeMinor": 0}, {"computeMajor": 7, "computeMinor": 5}],
"traceEvents": [{"cat": "Kernel", "name": "k", "args": {"device": 1}}]})");
  REQUIRE(found.kernels.size() == 1);
  CHECK(found.kernels[0].arch == "sm_75");
  CHECK(found.kernels[0].line == 2);
}

TEST_CASE("the devices may stand behind the events") {
  const Found found = read(sample("events-first.json"));
  CHECK(found.problems.empty());
  REQUIRE(found.kernels.size() == 2);
  CHECK(found.kernels[0].kernel == "first");
  CHECK(found.kernels[0].arch == "sm_80");
  CHECK(found.kernels[0].dynamic_shared_memory == 4096);  // written 4096.0
  CHECK(found.kernels[0].line == 1);
}

TEST_CASE("what an event does not state is empty") {
  const Found found = read(sample("events-first.json"));
  REQUIRE(found.kernels.size() == 2);
  const KernelRecord& bare = found.kernels[1];
  CHECK(bare.kernel == "second");
  CHECK(bare.line == 2);
  CHECK(bare.arch.empty());  // no device is named
  CHECK_FALSE(bare.registers_per_thread);
  CHECK_FALSE(bare.dynamic_shared_memory);
  CHECK_FALSE(bare.block);
  CHECK_FALSE(bare.grid);
  CHECK(bare.reported.duration_ns == 1500.0);
}

TEST_CASE("events may be an array of their own") {
  const Found found = read(sample("array.json"));
  CHECK(found.problems.empty());
  REQUIRE(found.kernels.size() == 1);
  CHECK(found.kernels[0].line == 4);
  CHECK(found.kernels[0].arch.empty());
  CHECK(found.kernels[0].registers_per_thread == 24);
  CHECK(found.kernels[0].block == Dim3{128, 1, 1});
  CHECK(read("\xef\xbb\xbf" + sample("array.json")).kernels.size() == 1);
}

TEST_CASE("the kernels of a device of ROCm are left out") {
  const Found found = read(sample("rocm.json"));
  REQUIRE(found.problems.size() == 1);
  CHECK(found.problems[0] == "4: device: found a device of ROCm; accepted: a device of NVIDIA's");
  CHECK(found.kernels.empty());  // no architecture of NVIDIA's would make them right
}

TEST_CASE("Triton's block is that of its warps, its shared memory dynamic") {
  const Found found = read(sample("triton.json"));
  CHECK(found.problems.empty());
  REQUIRE(found.kernels.size() == 1);
  const KernelRecord& kernel = found.kernels[0];
  CHECK(kernel.kernel == "matmul_kernel");
  CHECK(kernel.arch == "sm_90");
  CHECK(kernel.block == Dim3{256, 1, 1});
  CHECK(kernel.dynamic_shared_memory == 98304);
  CHECK_FALSE(kernel.static_shared_memory);
  CHECK_FALSE(kernel.registers_per_thread);
  CHECK_FALSE(kernel.grid);
  CHECK(kernel.cluster == Dim3{2, 1, 1});
}

TEST_CASE("older Triton has no target, and a cluster of one block is none") {
  const Found found = read(sample("triton-2.json"));
  CHECK(found.problems.empty());
  REQUIRE(found.kernels.size() == 1);
  CHECK(found.kernels[0].kernel == "softmax_kernel_0d1d2d");
  CHECK(found.kernels[0].arch == "sm_80");
  CHECK(found.kernels[0].block == Dim3{128, 1, 1});
  CHECK_FALSE(found.kernels[0].cluster);
}

TEST_CASE("Triton's architecture is a number or a name, its cluster a number of blocks") {
  for (const auto& [written, arch] : std::vector<std::pair<std::string, std::string>>{{"75", "sm_75"},
                                                                                      {"\"sm90\"", "sm_90"},
                                                                                      {"\"sm_90a\"", "sm_90a"},
                                                                                      {"103", "sm_103"},
                                                                                      {"\"120\"", "sm_120"}}) {
    INFO(written);
    const Found found = read(R"({"name": "k", "num_warps": 1, "num_ctas": 4, "target": {"arch": )" + written + "}}");
    CHECK(found.problems.empty());
    REQUIRE(found.kernels.size() == 1);
    CHECK(found.kernels[0].arch == arch);
    CHECK(found.kernels[0].block == Dim3{32, 1, 1});
    CHECK(found.kernels[0].cluster == Dim3{4, 1, 1});
  }
}

TEST_CASE("Triton's kernels for other backends are refused") {
  CHECK(problem(R"({"name": "k", "num_warps": 4, "target": {"backend": "hip", "arch": "gfx942", "warp_size": 64}})") ==
        "1: kernel of Triton: target.backend: found \"hip\"; accepted: \"cuda\"");
  CHECK(read(R"({"name": "k", "num_warps": 4, "backend_name": "npu"})").kernels.empty());
}

TEST_CASE("a value that cannot be read is named with its place, the rest of the kernel is given") {
  const std::string text = event(R"({"registers per thread": "32", "shared memory": 1024, "block": [256, 1, 1]})");
  const Found found = read("\n" + text);
  REQUIRE(found.problems.size() == 1);
  CHECK(found.problems[0] ==
        "2: kernel event: args.registers per thread: found \"32\"; accepted: a whole number from 0 to 65535");
  REQUIRE(found.kernels.size() == 1);
  CHECK_FALSE(found.kernels[0].registers_per_thread);
  CHECK(found.kernels[0].dynamic_shared_memory == 1024);
  CHECK(found.kernels[0].block == Dim3{256, 1, 1});
}

TEST_CASE("numbers of another type or out of range are problems") {
  for (const char* const arguments :
       {R"({"registers per thread": -1})", R"({"registers per thread": 65536})", R"({"registers per thread": 1.5})",
        R"({"shared memory": 99999999999999999999})", R"({"shared memory": true})", R"({"device": "0"})",
        R"({"block": 256})", R"({"block": [256, 1]})", R"({"block": [256, 1, 1, 1]})",
        R"({"block": [256, 1, 1, 1, 1]})", R"({"block": [0, 1, 1]})", R"({"grid": [2147483648, 1, 1]})",
        R"({"grid": ["1", 1, 1]})", R"({"grid": [[1], 1, 1]})", R"({"grid": "[1, 1, 1]"})", R"({"grid": {"name": 1}})",
        R"({"block": [1, null, 1]})", "5", "[]"}) {
    INFO(arguments);
    const Found found = read(event(arguments));
    CHECK(found.kernels.size() == 1);
    REQUIRE(found.problems.size() == 1);
    CHECK(contains(found.problems[0], "; accepted: "));
  }
  CHECK(read(event(R"({"registers per thread": null, "grid": null})")).problems.empty());
  CHECK(contains(problem(R"([{"cat": "kernel", "ph": "X", "name": "k", "dur": "1"}])"), "accepted: microseconds"));
  CHECK(contains(problem(R"([{"cat": "kernel", "ph": "X", "name": "k", "dur": -1}])"), "accepted: microseconds"));
  CHECK(contains(problem(R"({"name": "k", "num_warps": 0})"), "num_warps: found 0; accepted: "));
  CHECK(contains(problem(R"({"num_warps": 4})"), "\"name\" is missing"));
  CHECK(contains(problem(R"({"name": "k", "num_warps": 4, "arch": "gfx942"})"), "accepted: an architecture"));
}

TEST_CASE("a kernel event needs a name") {
  const Found found = read(R"([{"cat": "kernel", "ph": "X"}, {"cat": "kernel", "ph": "X", "name": "\u001b[31m"}])");
  CHECK(found.kernels.empty());
  CHECK(found.problems.size() == 2);
}

TEST_CASE("slices alone are launches") {
  CHECK(read(R"([{"cat": "kernel", "ph": "i", "name": "k"}, {"cat": "kernel", "name": "k"}])").kernels.size() == 1);
}

TEST_CASE("of a text that is cut off the kernels before the cut are given") {
  const std::string whole = sample("kineto.json");
  for (std::size_t size = 0; size < whole.find_last_of('}'); size += 7) {
    INFO(size);
    const Found found = read(std::string_view(whole).substr(0, size));
    REQUIRE(found.problems.size() == 1);
    CHECK(contains(found.problems[0], "; accepted: JSON"));
    for (const KernelRecord& kernel : found.kernels) {
      CHECK_FALSE(kernel.arch.empty());
    }
  }
  const Found found = read(std::string_view(whole).substr(0, whole.find("gpu_memset")));
  CHECK(found.kernels.size() == 2);
  CHECK(found.problems[0] == "80: found the end of the text; accepted: JSON up to its own end; is the text cut off?");
}

TEST_CASE("a kernel of Triton that is cut off is not given") {
  const std::string whole = sample("triton.json");
  const Found found = read(std::string_view(whole).substr(0, whole.size() - 2));
  CHECK(found.kernels.empty());
  CHECK(found.problems.size() == 1);
}

TEST_CASE("JSON that is none of these says so") {
  CHECK(problem("{}") ==
        "1: found JSON, but neither a trace with kernel events nor what Triton writes of a kernel; accepted: one of "
        "these");
  for (const char* const text : {"[]", "5", "\"text\"", "null", "[1, 2]", R"({"a": {"traceEvents": []}})",
                                 R"([{"name": "a"}])", R"({"traceEvents": 1})"}) {
    INFO(text);
    CHECK(contains(problem(text), "neither a trace"));
  }
  CHECK(contains(problem(R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a"}]})"), "without kernel events"));
  CHECK(contains(problem(R"([{"ph": "X", "cat": "cpu_op", "name": "a"}])"), "without kernel events"));
  CHECK(contains(problem(R"({"child_paths": {"k.cubin": "/k.cubin"}})"), "list of a kernel's files"));
}

TEST_CASE("what is no JSON is refused where it stands") {
  CHECK(problem("") == "1: found the end of the text; accepted: JSON up to its own end; is the text cut off?");
  CHECK(problem("\n\nhello\n") == "3: found 'hello'; accepted: JSON");
  CHECK(problem("[\n1,]\n") == "2: found ']'; accepted: JSON");
  CHECK(problem(R"([{"cat": "kernel", "args": {"blocks per SM": inf, "grid": [1, 1, 1]}}])") ==
        R"(1: found 'inf, "grid": [1, 1, 1]}}]'; accepted: JSON)");
  CHECK(problem("{}{} ") == "1: found '{} '; accepted: JSON");
  CHECK(problem("[1e999]\n") == "1: found a number beyond 1.8e308; accepted: numbers below that");
  CHECK(problem("[\"a\xff\"]\n") == "1: found '?\"]'; accepted: JSON");
  CHECK(problem(std::string("[\"\0\"]\n", 6)) == "1: found '?\"]'; accepted: JSON");
  CHECK(problem(std::string("[\0]", 3)) == "1: found '?]'; accepted: JSON");
  CHECK(problem("[" + repeated("x", 1000)) == "1: found '" + repeated("x", 60) + "...'; accepted: JSON");
}

TEST_CASE("nesting ends at 64 levels") {
  CHECK(contains(problem(repeated("[", 64) + repeated("]", 64)), "neither a trace"));
  CHECK(contains(problem(repeated("[", 65) + repeated("]", 65)), "1: found more than 64 levels of nesting"));
  CHECK(contains(problem(repeated("[", 1000000)), "more than 64 levels"));
  CHECK(contains(problem(repeated("{\"args\":", 1000000)), "more than 64 levels"));
  CHECK(read(event(repeated("{\"args\":", 60) + "1" + repeated("}", 60))).kernels.size() == 1);
}
