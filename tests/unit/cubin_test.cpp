// Cubins: what each rule of their layout gives, and what is said of those that are malformed.

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "binary_writer.hpp"
#include "occcalc/gpu_binaries.hpp"
#include "reading.hpp"

namespace {

using namespace occcalc;
using namespace occcalc::test;
using namespace std::string_literals;

constexpr std::uint64_t most_64 = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t nv_info = 0x70000000;

// From memory that ends where the file does.
Found read(const std::string& file) {
  const std::vector<char> bytes(file.begin(), file.end());
  return read_with(read_gpu_binary, {bytes.data(), bytes.size()});
}

std::vector<std::string> names_of(const Found& found) {
  std::vector<std::string> names;
  for (const KernelRecord& kernel : found.kernels) {
    names.push_back(kernel.kernel);
  }
  return names;
}

// The kernel of a file that has this one and no problem.
KernelRecord read_one(const std::string& file) {
  const Found found = read(file);
  const std::vector<std::string> none;
  CHECK(found.problems == none);
  REQUIRE(found.kernels.size() == 1);
  return found.kernels.front();
}

KernelRecord read_one(const ElfFile& elf) { return read_one(elf.bytes()); }

KernelRecord read_one(const CubinOptions& options, const CubinKernel& kernel) {
  return read_one(cubin(options, {kernel}));
}

// What is said of a cubin that is the first of a fatbin. `kernels` of it are read all the same, and the cubin behind
// it.
std::string problem_of(const ElfFile& elf, std::vector<std::string> kernels = {}) {
  const Found found = read(fatbin({{.payload = elf.bytes()}, {.payload = one_kernel("rest")}}));
  kernels.emplace_back("rest");
  CHECK(names_of(found) == kernels);
  CHECK(found.problems.size() == 1);
  constexpr std::string_view where = "0: at byte 16 (sm_80): ";
  const std::string problem = found.problems.empty() ? "" : found.problems.front();
  CHECK(problem.starts_with(where));
  return problem.substr(std::min(problem.size(), where.size()));
}

// Of a cubin with the kernel k, changed.
std::string problem_after(const std::function<void(ElfFile& elf)>& change) {
  ElfFile elf = cubin({}, {{}});
  change(elf);
  return problem_of(elf);
}

// Of a kernel beside another, which is read.
std::string problem_of_kernel(const CubinKernel& kernel) {
  return problem_of(cubin({}, {kernel, {.name = "other"}}), {"other"});
}

// Written over the header.
std::string problem_of_header(std::size_t at, const std::string& what) {
  return problem_after([&](ElfFile& elf) { elf.header.push_back({at, what}); });
}

std::string behind_the_end(const std::string& what, std::uint64_t size, std::uint64_t end) {
  return what + " of " + std::to_string(size) + " bytes lies behind the end, " + std::to_string(end);
}

// What ptxas notes of its own call.
Section note_of(const std::string& command) {
  const std::string strings = "ptxas\0Cuda compilation tools, release 13.0, V13.0.88\0"s + command + '\0';
  return {.name = ".note.nv.tkinfo",
          .type = 7,
          .content = number(12, 4) + number(strings.size(), 4) + number(2000, 4) + "NVIDIA Corp" + '\0' + strings};
}

Section compatibility_of(std::uint64_t accelerated) {
  return {.name = ".nv.compat",
          .type = 0x70000086,
          .content = attribute(2, 2, 1) + words(5, {7}) + attribute(2, 9, accelerated) + attribute(3, 6, 1)};
}

std::string arch_of(const CubinOptions& options, const std::vector<Section>& sections) {
  ElfFile elf = cubin(options, {{}});
  for (const Section& section : sections) {
    elf.add(section);
  }
  return read_one(elf).arch;
}

std::string arch_in_fatbin(std::uint64_t flags, const std::vector<Section>& sections = {}) {
  ElfFile elf = cubin({.sm = 90}, {{}});
  for (const Section& section : sections) {
    elf.add(section);
  }
  return read_one(fatbin({{.sm = 90, .flags = 0x11 | flags, .payload = elf.bytes()}})).arch;
}

// A symbol that is no function.
Symbol mark(const std::string& name, std::uint64_t value) {
  return {.name = name, .info = 0, .other = 0, .value = value};
}

Section reserved_section() { return {.name = ".nv.shared.reserved.0", .type = 0x70000015, .size = 0x40}; }

// Of a kernel whose section has 5,120 bytes.
std::int64_t static_memory(std::uint16_t type, const std::vector<Symbol>& marks, const std::vector<Section>& sections) {
  ElfFile elf = cubin({.sm = 90, .type = type}, {{.shared = 5120}});
  elf.symbols.insert(elf.symbols.end(), marks.begin(), marks.end());
  for (const Section& section : sections) {
    elf.add(section);
  }
  return read_one(elf).static_shared_memory.value_or(-1);
}

}  // namespace

TEST_CASE("a cubin says what a kernel takes, in both layouts") {
  ElfFile elf = cubin({.sm = 86}, {{.name = "_Z1kv", .registers = 40, .attributes = barriers(3), .shared = 4224}});
  elf.section(".nv.info").content = registers_of(1, 40) + stack_frame_of(1, 96);
  const KernelRecord kernel = read_one(elf);
  CHECK(kernel.kernel == "_Z1kv");
  CHECK(kernel.arch == "sm_86");
  CHECK(kernel.line == 0);
  CHECK(kernel.member.empty());
  CHECK(kernel.registers_per_thread == 40);
  CHECK(kernel.static_shared_memory == 4224);
  CHECK(kernel.barriers == 3);
  CHECK(kernel.stack_frame == 96);
  CHECK(kernel.linked == true);
  CHECK_FALSE(kernel.includes_reserve);
  CHECK_FALSE(kernel.max_threads_per_block);
  CHECK_FALSE(kernel.required_block);
  CHECK_FALSE(kernel.cluster);
  CHECK_FALSE(kernel.min_blocks_per_sm);
  CHECK_FALSE(kernel.block);
  CHECK_FALSE(kernel.is_ptx);

  const KernelRecord older =
      read_one({.sm = 75, .abi = 7, .flags = 0x4b0500}, {.registers = 255, .text_flags = 6 | std::uint64_t{5} << 20U});
  CHECK(older.arch == "sm_75");
  CHECK(older.registers_per_thread == 255);
  CHECK(older.static_shared_memory == 0);
  CHECK(older.barriers == 5);
  CHECK(older.stack_frame == 0);
}

TEST_CASE("the number of the part is where the layout has it") {
  CHECK(read_one({.sm = 121, .flags = 0x06000002}, {}).arch == "sm_121");
  CHECK(read_one({.sm = 90, .flags = 0x06000004}, {}).arch == "sm_90");
  CHECK(read_one({.sm = 52, .abi = 7, .flags = 0x340500}, {}).arch == "sm_52");
}

TEST_CASE("barriers are those of a record in the new layout, those of the code's flags in the older") {
  constexpr std::uint64_t flags = 6 | std::uint64_t{16} << 20U;
  CHECK(read_one({}, {.attributes = barriers(16)}).barriers == 16);
  CHECK(read_one({}, {.attributes = barriers(0x0103)}).barriers == 3);  // of one byte
  CHECK(read_one({}, {.text_flags = flags}).barriers == 0);
  CHECK(read_one({.abi = 7}, {.attributes = barriers(3), .text_flags = flags}).barriers == 16);
  CHECK(read_one({.abi = 7}, {.attributes = barriers(3)}).barriers == 0);
  CHECK(read_one({.abi = 7}, {.text_flags = std::uint64_t{1} << 27U | 6}).barriers == 0);
}

TEST_CASE("registers are those of the record, in an assembled cubin those of its code") {
  constexpr std::uint32_t in_text = 24U << 24U;
  CHECK(read_one({}, {.registers = 96, .text_info = in_text}).registers_per_thread == 96);  // after the link
  CHECK(read_one({.abi = 7}, {.registers = std::nullopt, .text_info = in_text}).registers_per_thread == 24);
  CHECK_FALSE(read_one({.abi = 7}, {.registers = std::nullopt, .text_info = in_text}).stack_frame);
  CHECK(problem_of_kernel({.registers = std::nullopt}) == "kernel 'k': its number of registers is missing");
  // The code is another function's.
  CHECK(problem_of_kernel({.registers = std::nullopt, .text_info = in_text | 2}) ==
        "kernel 'k': its number of registers is missing");
}

TEST_CASE("the driver's reserve is no memory of the kernel") {
  constexpr std::uint16_t linked = 2;
  constexpr std::uint16_t before_link = 1;
  const Symbol cap = mark(".nv.reservedSmem.cap", 0x400);
  const Symbol cap_of_0 = mark(".nv.reservedSmem.cap", 0);
  const Symbol offset = mark(".nv.reservedSmem.offset0", 0);
  CHECK(static_memory(linked, {}, {}) == 5120);  // CUDA 11.8
  CHECK(static_memory(linked, {cap_of_0}, {}) == 4096);
  CHECK(static_memory(linked, {offset}, {}) == 4096);
  CHECK(static_memory(linked, {}, {reserved_section()}) == 4096);
  CHECK(static_memory(linked, {cap}, {}) == 4096);
  CHECK(static_memory(linked, {offset, cap}, {reserved_section()}) == 4096);
  // The symbol that has a value says it.
  CHECK(static_memory(linked, {offset, mark(".nv.reservedSmem.cap", 0x800)}, {reserved_section()}) == 3072);
  CHECK(static_memory(linked, {mark(".nv.reservedSmem.cap", 0x800), offset}, {}) == 3072);
  CHECK(static_memory(linked, {mark(".nv.reservedSmem.begin", 0x800)}, {}) == 5120);
  CHECK(static_memory(linked, {mark(".nv.reservedSmem.cap2", 0x800)}, {}) == 5120);
  Symbol function = cap;
  function.info = 2;
  CHECK(static_memory(linked, {function}, {}) == 5120);
  CHECK(static_memory(before_link, {offset, cap}, {reserved_section()}) == 5120);

  ElfFile none = cubin({.sm = 90}, {{}});
  none.add(reserved_section());
  CHECK(read_one(none).static_shared_memory == 0);  // no section of its own
  CHECK(read_one({.sm = 90, .type = before_link}, {}).linked == false);
}

TEST_CASE("shared memory is the size of a section of any type, however large") {
  for (const std::uint32_t type : {1U, 8U, 0x7000000aU}) {
    ElfFile elf = cubin({}, {{}});
    elf.add({.name = ".nv.shared.k", .type = type, .content = type == 1 ? std::string(100, '\0') : "", .size = 100});
    CHECK(read_one(elf).static_shared_memory == 100);
  }
  constexpr std::uint64_t much = std::uint64_t{1} << 40U;
  CHECK(read_one({}, {.shared = much}).static_shared_memory == much);  // no bytes of the file
  CHECK(problem_of_kernel({.shared = much + 1}) == "kernel 'k': has 1099511627777 bytes of shared memory");
  CHECK(problem_of_kernel({.shared = most_64}) == "kernel 'k': has 18446744073709551615 bytes of shared memory");
}

TEST_CASE("the suffix of an architecture is that of the fatbin, of the note, of the attribute, in this order") {
  const Section none = note_of("-arch sm_90 -m 64 ");
  const Section a = note_of("-v -arch sm_90a -m 64 ");
  const Section f = note_of("-arch=sm_90f");
  CHECK(arch_in_fatbin(FatbinEntry::accelerated) == "sm_90a");
  CHECK(arch_in_fatbin(FatbinEntry::family) == "sm_90f");
  CHECK(arch_in_fatbin(FatbinEntry::family, {a, compatibility_of(1)}) == "sm_90f");
  CHECK(arch_in_fatbin(0, {a, compatibility_of(1)}) == "sm_90");
  CHECK(arch_of({.sm = 90}, {}) == "sm_90");
  CHECK(arch_of({.sm = 90}, {a}) == "sm_90a");
  CHECK(arch_of({.sm = 90}, {f, compatibility_of(1)}) == "sm_90f");
  CHECK(arch_of({.sm = 90}, {none, compatibility_of(1)}) == "sm_90");
  CHECK(arch_of({.sm = 90}, {compatibility_of(1)}) == "sm_90a");
  CHECK(arch_of({.sm = 90}, {compatibility_of(0)}) == "sm_90");
  // A note for another part, or none for any, says nothing.
  CHECK(arch_of({.sm = 90}, {note_of("-arch sm_100a"), compatibility_of(1)}) == "sm_90a");
  CHECK(arch_of({.sm = 90}, {note_of("-archive -arch"), compatibility_of(1)}) == "sm_90a");
  CHECK(arch_of({.sm = 90}, {note_of("-arch x -arch sm_90a")}) == "sm_90a");
}

TEST_CASE("a bit of the older layout is the suffix from 9.0 on") {
  constexpr std::uint32_t bit = 0x800;
  CHECK(arch_of({.sm = 90, .abi = 7, .flags = bit}, {}) == "sm_90a");
  CHECK(arch_of({.sm = 90, .abi = 7}, {}) == "sm_90");
  CHECK(arch_of({.sm = 60, .abi = 7, .flags = bit}, {}) == "sm_60");
}

TEST_CASE("bounds, required blocks and clusters are read") {
  CHECK(read_one({}, {.attributes = words(0x05, {32, 4, 2})}).max_threads_per_block == 256);
  CHECK(read_one({}, {.attributes = words(0x05, {0xffffffff, 0xffffffff, 0xffffffff})}).max_threads_per_block ==
        2147483647);
  const KernelRecord sized = read_one({.sm = 90}, {.attributes = words(0x10, {16, 8, 2}) + words(0x3d, {2, 1, 4})});
  CHECK(sized.required_block == Dim3{16, 8, 2});
  CHECK(sized.cluster == Dim3{2, 1, 4});
  CHECK_FALSE(sized.max_threads_per_block);
  for (const unsigned code : {0x05U, 0x10U, 0x3dU}) {
    CHECK(problem_of_kernel({.attributes = words(code, {32, 0, 1})}) ==
          "kernel 'k': an attribute with a dimension of 0");
    CHECK(problem_of_kernel({.attributes = words(code, {32, 1})}) ==
          "kernel 'k': " + behind_the_end("an attribute's value", 4, 8));
  }
}

TEST_CASE("spills are counted where they are noted, and known to be none from CUDA 13.0 on") {
  CHECK(read_one({}, {.attributes = toolkit(130) + words(0x55, {1, 16, 1, 32, 0, 48, 3, 56, 1, 64})})
            .spill_instructions == 3);
  CHECK(read_one({}, {.attributes = words(0x55, {1, 16}) + words(0x55, {1, 32})}).spill_instructions == 2);
  CHECK(read_one({}, {.attributes = toolkit(130)}).spill_instructions == 0);
  CHECK(read_one({}, {.attributes = toolkit(131)}).spill_instructions == 0);
  CHECK_FALSE(read_one({}, {.attributes = toolkit(129)}).spill_instructions);
  CHECK_FALSE(read_one({}, {}).spill_instructions);
  CHECK_FALSE(read_one({}, {.attributes = toolkit(130)}).spill_stores);
}

TEST_CASE("only a function that is an entry and is defined is a kernel") {
  ElfFile elf = cubin({}, {{}});
  const auto text = static_cast<std::uint16_t>(elf.index_of(".text.k"));
  constexpr std::uint8_t device = 0;
  elf.symbols.push_back({.name = "$k$device", .section = text, .other = device});
  elf.symbols.push_back({.name = "variable", .section = text, .info = 0x11});  // an object with the bit of entries
  elf.symbols.push_back({.name = "elsewhere"});
  elf.section(".nv.info").content += registers_of(2, 300) + stack_frame_of(2, 8) + registers_of(99, 1);
  CHECK(read_one(elf).kernel == "k");
  CHECK(read_one(elf).stack_frame == 0);
}

TEST_CASE("kernels of any binding are read, in the order of their symbols") {
  ElfFile elf = cubin({}, {{.name = "local"}, {.name = "weak", .registers = 30}, {.name = "global", .registers = 40}});
  elf.symbols[2].info = 0x22;
  elf.symbols[3].info = 0x12;
  const Found found = read(elf.bytes());
  CHECK(names_of(found) == std::vector<std::string>{"local", "weak", "global"});
  CHECK(found.kernels.at(2).registers_per_thread == 40);
}

TEST_CASE("the second copy of each section, of parts from 10.0 on, is not read") {
  ElfFile elf = cubin({.sm = 100}, {{.attributes = barriers(2), .shared = 2048}});
  elf.symbols.push_back(mark(".nv.reservedSmem.cap", 0x400));
  constexpr std::uint32_t merc_info = 0x70000083;
  elf.add({.name = ".nv.merc.nv.info", .type = merc_info, .content = registers_of(1, 99)});
  elf.add({.name = ".nv.merc.nv.info.k", .type = merc_info, .content = barriers(9)});
  elf.add({.name = ".nv.merc.nv.shared.k", .type = 0x70000016, .size = most_64});
  elf.add({.name = ".nv.merc.symtab", .type = 0x70000085, .content = "no symbols"});
  elf.add({.name = ".nv.capmerc.text.k", .content = "no code"});
  const KernelRecord kernel = read_one(elf);
  CHECK(kernel.registers_per_thread == 24);
  CHECK(kernel.barriers == 2);
  CHECK(kernel.static_shared_memory == 1024);
}

TEST_CASE("attributes that are not known are passed over by their format") {
  const std::string unknown = attribute(1, 0x41) + attribute(2, 0x98, 0xffff) + attribute(3, 0x1b, 255) +
                              words(0x99, {1, 2, 3}) + words(0x99, {});
  CHECK(read_one({}, {.attributes = unknown + barriers(7) + unknown}).barriers == 7);
}

TEST_CASE("a name may hold any byte but NUL, and have 65,535 of them") {
  for (const std::string& name : {std::string("\x1b[31m\n\"\xff\xfe"), std::string(65535 - 11, 'x')}) {
    const KernelRecord kernel = read_one({}, {.name = name, .shared = 64});
    CHECK(kernel.kernel == name);
    CHECK(kernel.static_shared_memory == 64);
  }
  CHECK(problem_of(cubin({}, {{.name = std::string(65536 - 9, 'x')}})) ==
        "a section's name has more than 65535 bytes");  // ".nv.info." is before it
}

TEST_CASE("numbers of sections may be too large for the header and the symbols") {
  ElfFile elf = cubin({}, {{.attributes = barriers(4)}, {.name = "other", .attributes = barriers(5)}});
  elf.header.push_back({0x3c, number(0, 2) + number(0xffff, 2)});
  elf.sections[0].size = elf.sections.size() + 1;
  elf.sections[0].link = 1;
  elf.symbols[2].section = 0xffff;
  const std::uint32_t text = elf.index_of(".text.other");
  elf.add({.name = ".symtab_shndx", .type = 18, .content = number(0, 8) + number(text, 4), .link = 3});
  const Found found = read(elf.bytes());
  CHECK(found.problems.empty());
  REQUIRE(found.kernels.size() == 2);
  CHECK(found.kernels[0].barriers == 4);
  CHECK(found.kernels[1].barriers == 5);

  elf.section(".symtab_shndx").content.resize(11);
  CHECK(problem_of(elf) == behind_the_end("the section of a symbol", 4, 11));
}

TEST_CASE("of many sections, those whose numbers are reserved in symbols are no symbol's without a table") {
  ElfFile elf = cubin({}, {});
  elf.sections.resize(0xfff2 - 3, {.type = 8});
  ElfFile last = cubin({}, {{.attributes = barriers(4)}});
  Section text = last.section(".text.k");
  Section info = last.section(".nv.info.k");
  info.info = elf.add(text);
  elf.add(info);
  elf.symbols.push_back({.name = "k", .section = static_cast<std::uint16_t>(info.info)});
  elf.section(".nv.info").content = registers_of(1, 24);
  CHECK(info.info == 0xffef);
  CHECK(problem_of(elf) == "kernel 'k': lies in none of the 65521 sections of its cubin");
  elf.symbols[1].section = 0xffff;
  elf.add({.name = ".symtab_shndx", .type = 18, .content = number(0, 4) + number(info.info, 4), .link = 3});
  CHECK(read_one(elf).barriers == 4);
}

TEST_CASE("a cubin without kernels, symbols or sections is none of the problems") {
  ElfFile bare = cubin({}, {});
  bare.header.push_back({0x28, number(0, 8)});
  ElfFile stripped = cubin({}, {{}});
  stripped.section(".symtab").type = 1;
  for (const ElfFile& elf : {cubin({}, {}), bare, stripped}) {
    CHECK(read(elf.bytes()).kernels.empty());
    CHECK(read(elf.bytes()).problems.empty());
  }
}

TEST_CASE("of two kernels of one name, and of two sections of shared memory, the first is taken") {
  const ElfFile twice = cubin({}, {{.registers = 10}, {.name = "other"}, {.registers = 20}});
  CHECK(problem_of(twice, {"k", "other"}) == "kernel 'k': stands twice in one cubin; the first one is taken");
  CHECK(read(twice.bytes()).kernels.front().registers_per_thread == 10);
  ElfFile shared = cubin({}, {{.attributes = barriers(1), .shared = 100}});
  shared.add({.name = ".nv.shared.k", .type = 8, .size = 200});
  shared.add({.name = ".nv.info.k", .type = nv_info, .content = barriers(2), .info = shared.index_of(".text.k")});
  shared.add({.name = ".symtab", .type = 2});
  CHECK(read_one(shared).static_shared_memory == 100);
  CHECK(read_one(shared).barriers == 1);
}

TEST_CASE("a kernel whose numbers are out of range is told, and the others are read") {
  CHECK(problem_of_kernel({.registers = 0}) == "kernel 'k': has 0 registers");
  CHECK(problem_of_kernel({.registers = 256}) == "kernel 'k': has 256 registers");
  CHECK(problem_of_kernel({.registers = 0xffffffff}) == "kernel 'k': has 4294967295 registers");
  CHECK(read_one({}, {.registers = 1}).registers_per_thread == 1);
  CHECK(problem_of_kernel({.name = ""}) == "kernel '': has no name");
  ElfFile small = cubin({}, {{.shared = 1023}, {.name = "other", .shared = 1024}});
  small.symbols.push_back(mark(".nv.reservedSmem.offset0", 0));
  CHECK(problem_of(small, {"other"}) == "kernel 'k': has 1023 bytes of shared memory, less than the reserve of 1024");
  small.symbols.back() = mark(".nv.reservedSmem.cap", most_64);
  const Found found = read(small.bytes());
  CHECK(found.kernels.empty());
  CHECK(found.problems.at(1) ==
        "0: at byte 0: kernel 'other': has 1024 bytes of shared memory, less than the reserve of 9223372036854775807");
}

TEST_CASE("a kernel that lies in no section is told, and the others are read") {
  for (const int abi : {7, 8}) {
    for (const unsigned section : {99U, 0xfff1U, 0xffffU}) {
      ElfFile elf = cubin({.abi = abi}, {{}, {.name = "other"}});
      elf.symbols[1].section = static_cast<std::uint16_t>(section);
      CHECK(problem_of(elf, {"other"}) == "kernel 'k': lies in none of the 9 sections of its cubin");
    }
  }
}

TEST_CASE("attributes of a kernel that are malformed are told, and the others are read") {
  CHECK(problem_of_kernel({.attributes = attribute(0, 0x4c)}) == "kernel 'k': an attribute of unknown format 0");
  CHECK(problem_of_kernel({.attributes = attribute(5, 0x4c)}) == "kernel 'k': an attribute of unknown format 5");
  CHECK(problem_of_kernel({.attributes = barriers(1) + number(2, 1)}) ==
        "kernel 'k': " + behind_the_end("an attribute", 1, 5));
  CHECK(problem_of_kernel({.attributes = barriers(1).substr(0, 3)}) ==
        "kernel 'k': " + behind_the_end("an attribute", 2, 3));
  CHECK(problem_of_kernel({.attributes = words(0x55, {1, 2}).substr(0, 11)}) ==
        "kernel 'k': " + behind_the_end("an attribute's value", 8, 11));
  CHECK(problem_of_kernel({.attributes = attribute(4, 0x37, 0xffff)}) ==
        "kernel 'k': " + behind_the_end("an attribute's value", 65535, 4));
  CHECK(problem_of_kernel({.attributes = words(0x37, {})}) ==
        "kernel 'k': " + behind_the_end("an attribute's value", 4, 0));
}

TEST_CASE("attributes are not read once more for each kernel that names them") {
  ElfFile elf = cubin({}, {{.attributes = repeated(barriers(2), 1000)}, {.name = "other"}});
  elf.symbols[2].section = elf.symbols[1].section;
  CHECK(problem_of(elf, {"k"}) == "kernel 'other': its attributes are those of other kernels too");
}

TEST_CASE("a section of attributes that names no section of code, or has another name, is no kernel's") {
  ElfFile elf = cubin({}, {{.attributes = barriers(2)}});
  elf.section(".nv.info.k").info = 0xffffffff;
  CHECK(read_one(elf).barriers == 0);
  elf = cubin({}, {{.attributes = barriers(2)}});
  elf.section(".nv.info.k").name = ".nv.other.k";
  CHECK(read_one(elf).barriers == 0);
}

TEST_CASE("a header that is none of a cubin's is told") {
  CHECK(problem_of_header(0, "no") == "is no ELF file of 64 bits, little-endian");
  CHECK(problem_of_header(4, "\1") == "is no ELF file of 64 bits, little-endian");
  CHECK(problem_of_header(5, "\2") == "is no ELF file of 64 bits, little-endian");
  CHECK(problem_of_header(18, number(62, 2)) == "is ELF, but no cubin: e_machine is 62");
  CHECK(problem_of_header(16, number(3, 2)) == "e_type is 3; 1 or 2 is read");
  CHECK(problem_of_header(0x3a, number(63, 2)) == "e_shentsize is not 64");
}

TEST_CASE("tables that do not lie within the file are told") {
  const std::uint64_t size = cubin({}, {{}}).bytes().size();
  CHECK(problem_of_header(0x28, number(size - 63, 8)) == behind_the_end("the section table", 64, size));
  CHECK(problem_of_header(0x28, number(size, 8)) == behind_the_end("the section table", 64, size));
  CHECK(problem_of_header(0x28, number(most_64, 8)) == behind_the_end("the section table", 64, size));
  CHECK(problem_of_header(0x3c, number(8, 2)) == behind_the_end("the section table", 512, size));
  CHECK(problem_of_header(0x3c, number(0xffff, 2)) ==
        "the section table has 65535 entries, more than the file has room for");
  CHECK(problem_after([](ElfFile& elf) {
          elf.header.push_back({0x3c, number(0, 2)});
          elf.sections[0].size = std::uint64_t{1} << 58U;  // times 64: 0
        }) == "the section table has 288230376151711744 entries, more than the file has room for");
  for (const char* const name : {".shstrtab", ".strtab", ".symtab", ".nv.info"}) {
    INFO(name);
    CHECK(problem_after([&](ElfFile& elf) { elf.section(name).size = size; }) ==
          behind_the_end("a section", size, size));
    CHECK(problem_after([&](ElfFile& elf) { elf.section(name).size = most_64; }) ==
          behind_the_end("a section", most_64, size));
    CHECK(problem_after([&](ElfFile& elf) {
            elf.section(name).offset = most_64;
            elf.section(name).size = 2;
          }) == behind_the_end("a section", 2, size));
  }
}

TEST_CASE("sections that do not lie within the file cost what is in them") {
  ElfFile elf = cubin({}, {{}, {.name = "other"}});
  elf.section(".nv.info.k").size = 4096;
  const std::uint64_t size = elf.bytes().size();
  CHECK(problem_of(elf, {"other"}) == "kernel 'k': " + behind_the_end("a section", 4096, size));
  ElfFile code = cubin({}, {{}});
  code.section(".text.k").size = most_64;  // is not looked at
  CHECK(read_one(code).registers_per_thread == 24);
  ElfFile suffix = cubin({}, {{}});
  suffix.add(compatibility_of(1));
  suffix.section(".nv.compat").content += attribute(0, 0);
  CHECK(read(suffix.bytes()).problems == std::vector<std::string>{"0: at byte 0: an attribute of unknown format 0"});
}

TEST_CASE("names that do not lie within their table are told") {
  CHECK(problem_of_header(0x3e, number(99, 2)) == behind_the_end("a section's name", 1, 0));
  CHECK(problem_of_header(0x3e, number(0, 2)) == behind_the_end("a section's name", 1, 0));
  CHECK(problem_after([](ElfFile& elf) { elf.section(".nv.info").name_at = 0xffffffff; }) ==
        behind_the_end("a section's name", 1, 56));
  CHECK(problem_after([](ElfFile& elf) { elf.section(".shstrtab").size = 55; }) == "a section's name has no end");
  CHECK(problem_after([](ElfFile& elf) { elf.section(".symtab").link = 99; }) ==
        "the symbol table names section 99 of 7 for its names");
  CHECK(problem_after([](ElfFile& elf) { elf.section(".symtab").link = 0; }) ==
        behind_the_end("a symbol's name", 1, 0));
  CHECK(problem_after([](ElfFile& elf) { elf.symbols[1].name_at = 3; }) == behind_the_end("a symbol's name", 1, 3));
  CHECK(problem_after([](ElfFile& elf) { elf.symbols[1].name_at = 0xffffffff; }) ==
        behind_the_end("a symbol's name", 1, 3));
  CHECK(problem_after([](ElfFile& elf) { elf.section(".strtab").size = 2; }) == "a symbol's name has no end");
}

TEST_CASE("attributes of a module that are malformed are told") {
  const auto with = [](const std::string& content) {
    return problem_after([&content](ElfFile& elf) { elf.section(".nv.info").content += content; });
  };
  CHECK(with(attribute(0, 0)) == "an attribute of unknown format 0");
  CHECK(with(attribute(255, 0x2f)) == "an attribute of unknown format 255");
  CHECK(with(words(0x2f, {1})) == behind_the_end("an attribute's value", 4, 4));
  CHECK(with(words(0x11, {1})) == behind_the_end("an attribute's value", 4, 4));
  CHECK(with(registers_of(1, 24).substr(0, 11)) == behind_the_end("an attribute's value", 8, 35));
  CHECK(with("\4") == behind_the_end("an attribute", 1, 25));
}

TEST_CASE("a cubin for another part than its entry's is told") {
  const Found found = read(fatbin({{.sm = 90, .flags = 0x11 | FatbinEntry::accelerated, .payload = one_kernel("k")}}));
  CHECK(found.kernels.empty());
  CHECK(found.problems ==
        std::vector<std::string>{"0: at byte 16 (sm_90a): is a cubin for sm_80 in an entry for sm_90a"});
}
