// Logs of compilers, amid whatever a build prints.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "occcalc/readers.hpp"
#include "reading.hpp"

namespace {

using namespace occcalc;

using test::contains;
using Log = test::Found;

Log read(std::string_view text) { return test::read_with(read_build_log, text); }

// The kernel of a log that has this one and no problem.
KernelRecord read_one(std::string_view text) {
  INFO(text);
  const Log log = read(text);
  CHECK(log.problems.empty());
  REQUIRE(log.kernels.size() == 1);
  return log.kernels.front();
}

// The problem of a log that has no other and no kernel.
std::string refusal(std::string_view text) {
  const Log log = read(text);
  CHECK(log.kernels.empty());
  CHECK(log.problems.size() == 1);
  return log.problems.empty() ? "" : log.problems.front();
}

std::string compiling(const std::string& name, const std::string& arch = "sm_80") {
  return "ptxas info    : Compiling entry function '" + name + "' for '" + arch + "'\n";
}

std::string properties(const std::string& name) { return "ptxas info    : Function properties for " + name + "\n"; }

std::string stack(int frame) {
  return "    " + std::to_string(frame) + " bytes stack frame, " + std::to_string(frame + 1) + " bytes spill stores, " +
         std::to_string(frame + 2) + " bytes spill loads\n";
}

std::string used(const std::string& what) { return "ptxas info    : Used " + what + "\n"; }

std::string whole(const std::string& name, int registers) {
  return compiling(name) + properties(name) + stack(registers) + used(std::to_string(registers) + " registers");
}

template <class Number>
std::string shown(const std::optional<Number>& number) {
  return number ? std::to_string(*number) : "-";
}

// As the files beside the logs have it; tests/logs/README.md says what each word is.
std::string shown(const KernelRecord& kernel) {
  std::ostringstream line;
  line << kernel.line << ' ' << (kernel.arch.empty() ? "-" : kernel.arch) << ' ' << shown(kernel.registers_per_thread)
       << ' ' << shown(kernel.static_shared_memory) << ' ' << shown(kernel.barriers) << ' ' << shown(kernel.stack_frame)
       << ' ' << shown(kernel.spill_stores) << ' ' << shown(kernel.spill_loads) << ' '
       << (kernel.linked.value_or(false) ? "linked" : "-") << ' ' << (kernel.includes_reserve ? "reserve" : "-") << ' '
       << kernel.kernel;
  return line.str();
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

void check_log(const std::filesystem::path& path) {
  INFO(path.filename().string());
  const Log log = read(file_text(path));
  std::vector<std::string> found;
  for (const KernelRecord& kernel : log.kernels) {
    found.push_back(shown(kernel));
  }
  CHECK(found == lines_of(file_text(std::filesystem::path(path).replace_extension(".expected"))));
  CHECK(log.problems.empty());
}

}  // namespace

TEST_CASE("every log has the kernels that stand beside it") {
  int logs = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(OCCCALC_LOGS)) {
    if (file.path().extension() == ".txt") {
      check_log(file.path());
      ++logs;
    }
  }
  CHECK(logs == 14);
}

TEST_CASE("a log says the same with the line ends of Windows") {
  for (const char* const name : {"sm_90a", "linked-two-targets", "demangled"}) {
    const std::filesystem::path path =
        std::filesystem::path(OCCCALC_LOGS) / "ptxas-13.0" / (std::string(name) + ".txt");
    std::string text = file_text(path);
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2)) {
      text.insert(at, 1, '\r');
    }
    INFO(name);
    const Log with = read(text);
    const Log without = read(file_text(path));
    REQUIRE(with.kernels.size() == without.kernels.size());
    for (std::size_t i = 0; i < with.kernels.size(); ++i) {
      CHECK(shown(with.kernels[i]) == shown(without.kernels[i]));
    }
  }
}

TEST_CASE("a name ends at the last quote before the architecture") {
  for (const char* const name :
       {"void reduce<double, 512>(double const*, double*, int)", "(anonymous namespace)::k(int*)", "f<'a', \"b\">()",
        "g<(char)39>(h' for 'sm_70)", "k(' for 'sm_)", "operator\"\" _kb"}) {
    INFO(name);
    CHECK(read_one(whole(name, 10)).kernel == name);
    CHECK(read_one(whole(name, 10)).arch == "sm_80");
    CHECK(read_one(whole(name, 10)).stack_frame == 10);
  }
}

TEST_CASE("items are read by their units, in any order, and unknown ones are ignored") {
  const std::string before = compiling("k") + properties("k") + stack(0);
  const KernelRecord kernel =
      read_one(before + used("22 registers, 1 widgets, 1072+16 bytes smem, 99999999999999999999 bytes cmem[0], "
                             "used 3 barriers, 4 bytes gizmo[7]"));
  CHECK(kernel.registers_per_thread == 22);
  CHECK(kernel.static_shared_memory == 1088);
  CHECK(kernel.barriers == 3);
  CHECK(read_one(before + used("22 registers")).static_shared_memory == 0);
  CHECK(read_one(before + used("22 registers")).barriers == std::nullopt);
  CHECK(read_one(before + used("255 registers, used 16 barriers")).barriers == 16);
}

TEST_CASE("stack and spills belong to the function that is named, and device functions are no kernels") {
  const Log log = read(properties("_Z1fv") + stack(100) + whole("a", 10) + properties("_Z1gv$3") + stack(200) +
                       "ptxas info    : Compile time = 1.0 ms\n" + compiling("b") + properties("_Z1hv") + stack(300) +
                       properties("b") + stack(20) + used("20 registers") + properties("_Z1iv") + stack(400));
  CHECK(log.problems.empty());
  REQUIRE(log.kernels.size() == 2);
  CHECK(log.kernels[0].stack_frame == 10);
  CHECK(log.kernels[0].spill_stores == 11);
  CHECK(log.kernels[0].spill_loads == 12);
  CHECK(log.kernels[1].kernel == "b");
  CHECK(log.kernels[1].line == 10);
  CHECK(log.kernels[1].stack_frame == 20);
}

TEST_CASE("lines of two compilers are bound where only one kernel can have them") {
  const Log log = read(compiling("a") + compiling("b") + properties("b") + stack(20) + used("20 registers") +
                       properties("a") + stack(10) + used("10 registers"));
  CHECK(log.problems.empty());
  REQUIRE(log.kernels.size() == 2);
  CHECK(log.kernels[0].kernel == "b");
  CHECK(log.kernels[0].registers_per_thread == 20);
  CHECK(log.kernels[1].kernel == "a");
  CHECK(log.kernels[1].registers_per_thread == 10);
  CHECK(log.kernels[1].spill_loads == 12);
}

TEST_CASE("lines of two compilers that may be either's give no kernel, and each kernel's line is told") {
  const Log log = read(compiling("a") + properties("a") + stack(10) + compiling("b") + properties("b") + stack(20) +
                       used("10 registers") + used("20 registers") + whole("c", 30));
  REQUIRE(log.problems.size() == 2);
  CHECK(log.problems[0] == "4: found the kernel 'b', but no 'Used' line that is surely its");
  CHECK(log.problems[1] == "1: found the kernel 'a', but no 'Used' line that is surely its");
  REQUIRE(log.kernels.size() == 1);
  CHECK(log.kernels[0].registers_per_thread == 30);

  const Log archs = read(compiling("k", "sm_80") + compiling("k", "sm_90") + properties("k") + stack(1) +
                         used("80 registers") + properties("k") + stack(2) + used("90 registers"));
  CHECK(archs.kernels.empty());
  CHECK(archs.problems.size() == 2);
}

TEST_CASE("a 'Used' line behind the properties of a function that was not announced is nobody's") {
  CHECK(
      contains(refusal(compiling("a") + properties("a") + stack(1) + properties("b") + stack(2) + used("9 registers")),
               "1: found the kernel 'a'"));
  CHECK(contains(refusal(used("9 registers")), "1: found 'Used 9 registers' of no kernel"));
  CHECK(read(properties("b") + stack(2) + used("9 registers")).kernels.empty());
}

TEST_CASE("the first compilers wrote no properties") {
  const Log log = read(properties("_Z1fv") + stack(1) + compiling("a", "sm_13") + used("9 registers, 8+0 bytes lmem") +
                       "ptxas info : Compiling entry function 'b'\n" + used("10 registers"));
  CHECK(log.problems.empty());
  REQUIRE(log.kernels.size() == 2);
  CHECK(shown(log.kernels[0]) == "3 sm_13 9 0 - - - - - - a");
  CHECK(shown(log.kernels[1]) == "5 - 10 0 - - - - - - b");
}

TEST_CASE("a stack that may be either function's is nobody's") {
  const Log log = read(compiling("a") + properties("a") + properties("b") + stack(1) + stack(2) + properties("a") +
                       used("9 registers"));
  CHECK(log.kernels.empty());
  CHECK(contains(log.problems.at(0), "4: found '1 bytes stack frame"));
  CHECK(contains(refusal(stack(1)), "1: found '1 bytes stack frame"));
}

// Whole logs of several compilers, their lines or writes mixed at random: what is read is right.
TEST_CASE("no kernel has another's numbers, however the lines of compilers are mixed") {
  std::mt19937 random(1);
  int read_kernels = 0;
  int all_kernels = 0;
  for (int round = 0; round < 3000; ++round) {
    const bool whole_writes = round % 2 == 0;
    const std::size_t compilers = 2 + random() % 2;
    std::vector<std::vector<std::string>> writes(compilers);
    int number = 10;
    for (std::vector<std::string>& lines : writes) {
      for (std::size_t i = random() % 6; i > 0; --i, ++number, ++all_kernels) {
        const std::string name = "k" + std::to_string(number);
        lines.push_back(compiling(name));
        lines.push_back(properties(name));
        lines.push_back(stack(number));
        lines.push_back(used(std::to_string(number) + " registers"));
        if (random() % 3 == 0) {
          lines.push_back(properties("_Z1fv"));
          lines.push_back(stack(7));
        }
      }
      if (whole_writes) {
        for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
          if (contains(lines[i], "Function properties")) {
            lines[i] += lines[i + 1];
            lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i) + 1);
          }
        }
      }
      std::reverse(lines.begin(), lines.end());
    }
    std::string text;
    while (std::any_of(writes.begin(), writes.end(), [](const auto& lines) { return !lines.empty(); })) {
      if (std::vector<std::string>& lines = writes[random() % compilers]; !lines.empty()) {
        text += lines.back();
        lines.pop_back();
      }
    }
    INFO(text);
    for (const KernelRecord& kernel : read(text).kernels) {
      REQUIRE(kernel.kernel == "k" + shown(kernel.registers_per_thread));
      if (kernel.stack_frame || whole_writes) {
        REQUIRE(kernel.stack_frame == kernel.registers_per_thread);
      }
      ++read_kernels;
    }
  }
  CHECK(read_kernels > all_kernels / 10);
}

TEST_CASE("a line that was lost costs its kernel, not the rest") {
  std::string rest;
  for (int i = 0; i < 200; ++i) {
    rest += whole("k" + std::to_string(i), i);
  }
  for (const std::string& lost :
       {compiling("lost"), compiling("lost") + properties("lost"), compiling("lost") + properties("lost") + stack(1)}) {
    INFO(lost);
    const Log log = read(lost + rest);
    CHECK(std::any_of(log.problems.begin(), log.problems.end(),
                      [](const std::string& problem) { return problem.starts_with("1: found the kernel 'lost'"); }));
    REQUIRE(log.kernels.size() == 200);
    for (std::size_t i = 0; i < 200; ++i) {
      CHECK(log.kernels[i].registers_per_thread == static_cast<int>(i));
      CHECK(log.kernels[i].kernel == "k" + std::to_string(i));
    }
    CHECK(log.kernels.back().stack_frame == 199);
  }
  CHECK(contains(refusal(compiling("lost") + properties("lost")), "1: found the kernel 'lost'"));
}

TEST_CASE("numbers out of range name the line, what was found and what is accepted") {
  const std::string before = compiling("k") + properties("k") + stack(1);
  CHECK(refusal(before + used("2147483648 registers")) ==
        "4: found 'Used 2147483648 registers'; accepted: a whole number up to 2147483647");
  CHECK(refusal(before + used("8 registers, used 2147483648 barriers")) ==
        "4: found 'used 2147483648 barriers'; accepted: a whole number up to 2147483647");
  CHECK(refusal(before + used("8 registers, 9223372036854775808 bytes smem")) ==
        "4: found '9223372036854775808 bytes smem'; accepted: whole bytes below 2^63");
  CHECK(contains(refusal(before + used("8 registers, 9223372036854775807+1 bytes smem")), "accepted: whole bytes"));
  CHECK(contains(refusal(before + used("-1 registers")), "4: found "));
  CHECK(read_one(before + used("2147483647 registers")).registers_per_thread == 2147483647);
  CHECK(read_one(before + used("8 registers, 9223372036854775807 bytes smem")).static_shared_memory == INT64_MAX);

  const Log spills = read(compiling("k") + properties("k") +
                          "  0 bytes stack frame, 9223372036854775808 bytes spill stores, 0 bytes spill loads\n" +
                          used("8 registers"));
  REQUIRE(spills.problems.size() == 1);
  CHECK(spills.problems[0] == "3: found '9223372036854775808 bytes spill stores'; accepted: whole bytes below 2^63");
  REQUIRE(spills.kernels.size() == 1);
  CHECK(spills.kernels[0].spill_stores == std::nullopt);
}

TEST_CASE("a cut last line gives no kernel with half of its numbers") {
  const std::string text = compiling("k") + properties("k") + stack(1) + "ptxas info    : Used 32 registers";
  CHECK(read_one(text).registers_per_thread == 32);
  for (const char* const end : {", ", ", 4", ", 4096", ", 4096 byt", ", 4096 bytes sme", ", used 1 barrier",
                                ", 3 bytes cm", ", 3 bytes cmem[0"}) {
    INFO(end);
    CHECK(contains(refusal(text + end), "4: found 'Used 32 registers"));
  }
  CHECK(read_one(text + ", 4096 bytes smem").static_shared_memory == 4096);
  for (std::size_t size = 1; size < text.size(); ++size) {
    CHECK(read(text.substr(0, size)).kernels.empty());
  }
  CHECK(contains(refusal("ptxas info    : Compiling entry function 'k' for 'sm_8"), "1: found 'Compiling entry"));
}

TEST_CASE("two messages in one line are two, and the first one is cut") {
  const std::string marker = "ptxas info    : ";
  const Log log = read(compiling("a") + properties("a") + stack(1) + marker + "Used 9 registers, 40" + whole("b", 10));
  CHECK(log.kernels.size() == 1);
  CHECK(contains(log.problems.at(0), "4: found 'Used 9 registers, 40"));
  CHECK(contains(refusal(marker + "Compiling entry functi" + properties("b") + stack(1) + used("9 registers")),
                 "1: found 'Compiling entry functi"));
}

TEST_CASE("lines that are none of these are ignored") {
  for (const char* const text :
       {"", "\n", "\n\n\n", "Used 32 registers\n", "ptxas\nptxas info\nptxas info    :\n: : :\n",
        "ptxas info    : 308 bytes gmem, 12 bytes cmem[3], 8 bytes cmem[4]\n", "ptxas info    : Used by nobody\n",
        "ptxas warning : Local memory used for function 'k', size of stack frame: 40 bytes\n",
        "error: Compiling entry function 'k' for 'sm_80'\n", " Function f:\n  REG:1 STACK:0 SHARED:0 CONSTANT[0]:1\n",
        "arch = sm_90\n", "gcc info: used 3 registers\n", "bytes stack frame\n",
        "x.cu(3): info : used 1 registers\n"}) {
    INFO(text);
    CHECK(read(text).kernels.empty());
    CHECK(read(text).problems.empty());
  }
}

TEST_CASE("a linker's kernels are linked, with the reserve, and of the target that it names") {
  const std::string text =
      "nvlink info    : Function properties for 'f(int, char)': (target: sm_90)\r\n"
      "[3/7] Linking\r\n"
      "12:00:01 nvlink info    : used 10 registers, used 1 barriers, 16 stack, 1424 bytes smem, 536 bytes cmem[0], 0 "
      "bytes lmem (target: sm_90)\r\n";
  CHECK(shown(read_one(text)) == "1 sm_90 10 1424 1 16 - - linked reserve f(int, char)");
  const std::string head = "nvlink info    : Function properties for 'f':";
  const std::string line = "nvlink info    : used 10 registers, 0 stack, 0 bytes smem";
  const Log targets = read(head + " (target: sm_80)\n" + head + " (target: sm_90)\n" + line + " (target: sm_80)\n" +
                           line + " (target: sm_90)\n");
  CHECK(targets.kernels.size() == 2);
  CHECK(targets.problems.empty());
  const Log mixed = read(head + "\n" + head + "\n" + line + "\n" + line + "\n");
  CHECK(mixed.kernels.empty());
  CHECK(mixed.problems.size() == 2);
}

TEST_CASE("the architecture of a resource usage is that of its block") {
  const std::string usage =
      "Resource usage:\n Function k:\n  REG:48 STACK:8 SHARED:1168 LOCAL:0 CONSTANT[3]:1 CONSTANT[0]:996 NEW:x\n";
  CHECK(shown(read_one("Fatbin elf code:\n=====\narch = sm_121a\n\n" + usage)) ==
        "6 sm_121a 48 1168 - 8 - - - reserve k");
  CHECK(shown(read_one("12:01 Fatbin elf code:\r\n12:02 arch = sm_121a\r\n" + usage)) ==
        "4 sm_121a 48 1168 - 8 - - - reserve k");
  CHECK(read_one("Fatbin ptx code:\narch = sm_90\n" + usage).arch.empty());
  const Log twice = read("Fatbin elf code:\narch = sm_90\n" + usage + usage);
  REQUIRE(twice.kernels.size() == 2);
  CHECK(twice.kernels[1].arch.empty());
}

TEST_CASE("a function without parameters' memory is no kernel") {
  const std::string head = "Resource usage:\n Function f:\n";
  CHECK(read(head + "  REG:48 STACK:0 SHARED:0 LOCAL:0 TEXTURE:0\n").kernels.empty());
  CHECK(read(head + " Function g:\n  REG:48 STACK:0 SHARED:0 CONSTANT[0]:352\n").kernels.at(0).kernel == "g");
  CHECK(refusal(head + "  REG:2147483648 CONSTANT[0]:352\n") ==
        "3: found 'REG:2147483648'; accepted: a whole number up to 2147483647");
  CHECK(contains(refusal(head + "  REG:1 SHARED:x CONSTANT[0]:352\n"), "3: found 'SHARED:x'; accepted: whole bytes"));
}

TEST_CASE("bytes of any kind are read to the end") {
  using namespace std::string_view_literals;
  const std::string nul("a\0b", 3);
  CHECK(read_one(nul + "\n" + whole(nul + "\xff\xfe", 10)).kernel == nul + "\xff\xfe");
  const std::string one_line(std::size_t{3} << 20, 'x');
  CHECK(read_one(one_line + "\n" + whole("k", 10)).line == 2);
  CHECK(contains(refusal(compiling(one_line)), "1: found 'ptxas info    : Compiling"));
  for (const std::string_view piece : {"ptxas info    : "sv, ":"sv, "\x1b["sv, "' for 'sm_"sv, " "sv, "\0"sv,
                                       "bytes stack frame, "sv, "1+"sv, "}"sv}) {
    std::string text = "ptxas info    : Compiling entry function '";
    while (text.size() < 900000) {
      text += piece;
    }
    CHECK(read(text + "\n" + whole("k", 10)).kernels.size() <= 1);
  }
}
