// What holds GPU code: objects, programs, fatbins, archives, compressed payloads; whole, malformed and cut off.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "binary_writer.hpp"
#include "occcalc/gpu_binaries.hpp"
#include "reading.hpp"

namespace {

using namespace occcalc;
using namespace occcalc::test;
using namespace std::string_literals;

using Strings = std::vector<std::string>;
using Kind = GpuImage::Kind;
using Compression = GpuImage::Compression;

constexpr std::uint64_t most_64 = std::numeric_limits<std::uint64_t>::max();

// From memory that ends where the file does.
Found read(std::string_view file) {
  const std::vector<char> bytes(file.begin(), file.end());
  return read_with(read_gpu_binary, {bytes.data(), bytes.size()});
}

// "member/kernel", or the kernel where it has no member.
Strings names_of(const Found& found) {
  Strings names;
  for (const KernelRecord& kernel : found.kernels) {
    names.push_back((kernel.member.empty() ? "" : kernel.member + "/") + kernel.kernel);
  }
  return names;
}

// Of a file without problems.
Strings kernels_of(std::string_view file) {
  const Found found = read(file);
  const Strings none;
  CHECK(found.problems == none);
  return names_of(found);
}

// What is said of a file's begin; the fatbin with the kernel 'rest' behind it is read all the same.
Strings problems_before_rest(const std::string& begin) {
  const Found found = read(begin + fatbin_of("rest"));
  CHECK(names_of(found) == Strings{"rest"});
  return found.problems;
}

struct Search {
  std::vector<GpuImage> images{};
  Strings problems{};
  Strings files{};
};

// What a finder finds in a file, which outlives it.
Search search(const std::string& file, const std::string& member = {}) {
  Search found;
  ImageFinder finder(file, member);
  const ImageSink sink{[&found](GpuImage&& image) { found.images.push_back(std::move(image)); },
                       [&found](const std::string& what) { found.problems.push_back(what); },
                       [&found](const std::string& name) { found.files.push_back(name); }};
  std::int64_t position = 0;
  while (finder.advance(sink)) {
    CHECK(finder.position() >= position);
    position = finder.position();
  }
  CHECK(finder.position() == static_cast<std::int64_t>(file.size()));
  return found;
}

// The offset of the one image of a file.
std::int64_t offset_of_image(const std::string& file) {
  const Search found = search(file);
  CHECK(found.problems.empty());
  CHECK(found.images.size() == 1);
  return found.images.empty() ? -1 : found.images.front().offset;
}

constexpr std::uint64_t executable = 4;

ElfFile program(const std::vector<Section>& sections) {
  ElfFile elf;
  for (const Section& section : sections) {
    elf.add(section);
  }
  return elf;
}

FatbinEntry ptx_entry(const std::string& kernel) {
  return {.kind = FatbinEntry::ptx,
          .sm = 90,
          .payload = ".version 8.8\n.target sm_90\n.visible .entry " + kernel + "() .minnctapersm 2 { ret; }\n"};
}

// A cubin's entry, to be changed.
FatbinEntry cubin_entry(const std::string& kernel = "k") { return {.payload = one_kernel(kernel)}; }

// What is said of the first entry of a fatbin whose second one has the kernel 'rest'.
std::string problem_of_entry(const FatbinEntry& entry) {
  const Found found = read(fatbin({entry, cubin_entry("rest")}));
  CHECK(names_of(found) == Strings{"rest"});
  REQUIRE(found.problems.size() == 1);
  return found.problems.front();
}

// The same of its payload: all of it, however large it is said to be.
std::string problem_of_payload(std::uint64_t flag, const std::string& payload, std::uint64_t decompressed_size) {
  const std::string problem =
      problem_of_entry({.flags = 0x11 | flag, .payload = payload, .decompressed_size = decompressed_size});
  constexpr std::string_view where = "0: at byte 16 (sm_80): ";
  CHECK(problem.starts_with(where));
  return problem.substr(std::min(problem.size(), where.size()));
}

constexpr const char* cut_off = "the fatbin is cut off: its header says more bytes than there are";

}  // namespace

TEST_CASE("a finder says what each entry of a fatbin is") {
  const std::string cubin_80 = one_kernel("k", 80);
  const std::vector<FatbinEntry> entries = {
      {.payload = cubin_80, .options = std::string(8, 'o')},
      in_lz4({.sm = 90, .flags = 0x11 | FatbinEntry::accelerated, .payload = one_kernel("k", 90)}),
      in_zstd({.sm = 100, .flags = 0x11 | FatbinEntry::family, .payload = one_kernel("k", 100)}),
      in_zstd(ptx_entry("p")),
      {.kind = FatbinEntry::lto_ir, .flags = 0x11 | FatbinEntry::lz4, .payload = "scrambled"},
      {.kind = 77, .payload = "new"}};
  const std::string file = fatbin(entries);
  const Search found = search(file);
  CHECK(found.problems.empty());
  REQUIRE(found.images.size() == 6);
  std::uint64_t at = 16;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    INFO(i);
    CHECK(found.images[i].offset == static_cast<std::int64_t>(at));
    CHECK(found.images[i].beside_cubin);
    CHECK(found.images[i].member.empty());
    at += entries[i].bytes().size();
  }
  CHECK(found.images[0].kind == Kind::Cubin);
  CHECK(found.images[0].compression == Compression::None);
  CHECK(found.images[0].arch == "sm_80");
  CHECK(found.images[0].payload == cubin_80);
  CHECK(found.images[0].size == static_cast<std::int64_t>(cubin_80.size()));
  CHECK(found.images[1].compression == Compression::Lz4);
  CHECK(found.images[1].arch == "sm_90a");
  CHECK(found.images[1].payload == entries[1].payload);  // without what fills it up to 8 bytes
  CHECK(found.images[1].size == static_cast<std::int64_t>(entries[1].decompressed_size));
  CHECK(found.images[2].compression == Compression::Zstd);
  CHECK(found.images[2].arch == "sm_100f");
  CHECK(found.images[3].kind == Kind::Ptx);
  CHECK(found.images[4].kind == Kind::LtoIr);
  CHECK(found.images[4].compression == Compression::None);
  CHECK(found.images[5].kind == Kind::Unknown);
}

TEST_CASE("cubins are read in any compression, code before the link and unknown kinds are no problem") {
  const std::string file = fatbin({cubin_entry("raw"),
                                   in_lz4(cubin_entry("lz4")),
                                   in_zstd(cubin_entry("zstd")),
                                   {.kind = FatbinEntry::lto_ir, .flags = 0x12011, .payload = "scrambled"},
                                   {.kind = 77, .flags = 0x8011, .payload = "new"}});
  CHECK(kernels_of(file) == Strings{"raw", "lz4", "zstd"});
}

TEST_CASE("PTX is flagged, and passed over, beside a cubin") {
  const std::string beside = fatbin({ptx_entry("p"), cubin_entry()});
  CHECK(kernels_of(beside) == Strings{"k"});
  CHECK(search(beside).images.at(0).beside_cubin);
  const std::string alone = fatbin({ptx_entry("p"), in_lz4(ptx_entry("q"))});
  CHECK_FALSE(search(alone).images.at(0).beside_cubin);
  const Found found = read(alone);
  CHECK(names_of(found) == Strings{"p", "q"});
  CHECK(found.kernels.at(1).is_ptx);
  CHECK(found.kernels.at(1).arch == "sm_90");
  CHECK(found.kernels.at(1).line == 0);
  CHECK(found.kernels.at(1).min_blocks_per_sm == 2);
  CHECK_FALSE(found.kernels.at(1).registers_per_thread);
  // Each fatbin by itself.
  CHECK(kernels_of(beside + alone) == Strings{"k", "p", "q"});
}

TEST_CASE("PTX that cannot be read is told with its line") {
  FatbinEntry entry = ptx_entry("p");
  entry.payload = ".version 8.8\n.target sm_90\n.entry (\n";
  CHECK(read(fatbin({entry})).problems ==
        Strings{"0: at byte 16 (sm_90): line 3 of its PTX: found '(' behind .entry; expected a name"});
  entry.payload = ".version 8.8\n.entry p { ret; }\n";
  CHECK(read(fatbin({entry})).kernels.at(0).arch == "sm_90");  // the entry's
}

TEST_CASE("a section is the member, and all its fatbins are found") {
  const std::string two = fatbin_of("a") + fatbin_of("b") + std::string(24, '\0') + fatbin_of("c");
  const std::string file = program({{.name = ".data", .content = "data"},
                                    {.name = ".bss", .type = 8, .size = most_64},
                                    {.name = ".nv_fatbin", .content = two},
                                    {.name = "empty"},
                                    {.name = ".cask_resource", .content = fatbin_of("d")},
                                    {.name = "__nv_relfatbin", .content = "filled" + fatbin_of("e")}})
                               .bytes();
  CHECK(kernels_of(file) ==
        Strings{".nv_fatbin/a", ".nv_fatbin/b", ".nv_fatbin/c", ".cask_resource/d", "__nv_relfatbin/e"});
}

TEST_CASE("an empty section takes no other's name") {
  // As large as the others in memory alone.
  ElfFile elf = program({{.name = "first", .content = std::string(1000, '\0') + fatbin_of("k")},
                         {.name = "empty"},
                         {.name = ".bss", .type = 8, .size = 100000}});
  const std::uint64_t within = elf.bytes().find(elf.section("first").content) + 500;
  elf.section("empty").offset = within;
  elf.section(".bss").offset = within;
  CHECK(kernels_of(elf.bytes()) == Strings{"first/k"});
  CHECK(kernels_of(elf.bytes() + fatbin_of("behind")) == Strings{"first/k", "behind"});
}

TEST_CASE("a member that the finder is given is that of all") {
  const std::string file = program({{.name = ".nv_fatbin", .content = fatbin_of("k")}}).bytes();
  CHECK(search(file, "beside.o").images.at(0).member == "beside.o");
  CHECK(search(fatbin_of("k"), "beside.fatbin").images.at(0).member == "beside.fatbin");
}

TEST_CASE("code of the host is jumped over") {
  ElfFile elf = program({{.name = ".text", .content = fatbin_of("no"), .flags = executable},
                         {.name = ".nv_fatbin", .content = fatbin_of("k")},
                         {.name = ".fini", .content = fatbin_of("no"), .flags = executable}});
  CHECK(kernels_of(elf.bytes()) == Strings{".nv_fatbin/k"});
  elf.section(".text").size = elf.section(".text").content.size() + 100;  // over the begin of the next
  CHECK(kernels_of(elf.bytes()) == Strings{".nv_fatbin/k"});
}

TEST_CASE("a bare cubin is found, and what is in it is not searched") {
  ElfFile inner = cubin({.sm = 90}, {{.name = "inner"}});
  inner.add({.name = ".rodata", .content = fatbin_of("no") + one_kernel("no")});
  const ElfFile older = cubin({.sm = 75, .abi = 7, .type = 1}, {{.name = "older"}});
  const std::string two = "text" + inner.bytes() + older.bytes() + fatbin_of("k");
  const std::string file = program({{.name = ".rodata", .content = two}}).bytes();
  const Found found = read(file);
  CHECK(found.problems.empty());
  CHECK(names_of(found) == Strings{".rodata/inner", ".rodata/older", ".rodata/k"});
  CHECK(found.kernels.at(0).arch == "sm_90");
  const std::vector<GpuImage> images = search(file).images;
  REQUIRE(images.size() == 3);
  CHECK(images[0].payload == inner.bytes());
  CHECK(images[0].offset == static_cast<std::int64_t>(file.find(two) + 4));
  CHECK(images[0].arch.empty());
  CHECK(images[1].payload == older.bytes());
}

TEST_CASE("a bare cubin ends where its tables and sections do") {
  ElfFile elf = cubin({}, {{.shared = std::uint64_t{1} << 40U}});  // not in the file
  const std::string whole = "x" + elf.bytes();
  CHECK(search(whole + fatbin_of("k")).images.size() == 2);
  // Program headers behind the section table.
  elf.header.push_back({0x20, number(elf.bytes().size(), 8)});
  elf.header.push_back({0x36, number(56, 2) + number(2, 2)});
  const std::string headers = std::string(100, 'h') + fatbin_of("no").substr(0, 12);
  const std::string file = "x" + elf.bytes() + headers + fatbin_of("k");
  const std::vector<GpuImage> images = search(file).images;
  REQUIRE(images.size() == 2);
  CHECK(images[0].payload == elf.bytes() + headers);
}

TEST_CASE("a file that is a cubin is one as a whole") {
  const std::string file = one_kernel("k") + "more" + fatbin_of("no");
  CHECK(kernels_of(file) == Strings{"k"});
  CHECK(search(file).images.at(0).size == static_cast<std::int64_t>(file.size()));
  ElfFile unknown_abi = cubin({}, {{}});
  unknown_abi.abi_version = 9;
  unknown_abi.os_abi = 0x42;
  CHECK(kernels_of(unknown_abi.bytes()) == Strings{"k"});
}

TEST_CASE("fatbins are found wherever they stand in a container that is not known") {
  for (std::size_t at = 1; at < 300; ++at) {
    CHECK(offset_of_image("MZ" + std::string(at, '\x50') + fatbin_of("k")) == static_cast<std::int64_t>(2 + at + 16));
  }
  CHECK(kernels_of("MZ" + std::string(1000, '\0') + fatbin_of("a") + "PE" + one_kernel("b") + "end") ==
        Strings{"a", "b"});
  CHECK(kernels_of("\xcf\xfa\xed\xfe" + std::string(77, '\0') + fatbin_of("mach")) == Strings{"mach"});
}

TEST_CASE("no image is lost between two pieces of a search") {
  constexpr std::size_t piece = std::size_t{1} << 22U;
  const std::string image = fatbin_of("k");
  std::string file = "MZ" + std::string(2 * piece, '\0');
  for (std::size_t at = piece - 10; at <= piece + 2; ++at) {
    INFO(at);
    put(file, at, image);
    CHECK(offset_of_image(file) == static_cast<std::int64_t>(at + 16));
    put(file, at, std::string(image.size(), '\0'));
  }
}

TEST_CASE("a program without section headers is searched") {
  ElfFile elf = program({{.name = ".text", .content = fatbin_of("a"), .flags = executable},
                         {.name = ".nv_fatbin", .content = fatbin_of("b")}});
  elf.header.push_back({0x28, number(0, 8)});
  CHECK(kernels_of(elf.bytes()) == Strings{"a", "b"});
}

TEST_CASE("bytes that only begin as an image are none") {
  const std::string magic = fatbin_of("k").substr(0, 4);
  const std::string cubin_begin = one_kernel("k").substr(0, 20);
  std::string other_version = fatbin({});
  put(other_version, 4, number(2, 2));
  ElfFile other = cubin({}, {{}});
  other.machine = 191;
  ElfFile filled = cubin({}, {{}});
  filled.header.push_back({15, "\1"});
  for (const std::string& text :
       {std::string(), std::string("\x50"), std::string("\x7f"), std::string("\x7f\x45"), magic,
        cubin_begin.substr(0, 19), other_version, "x" + other.bytes(), "x" + filled.bytes()}) {
    CHECK(kernels_of(text).empty());
    CHECK(kernels_of("MZ" + text + fatbin_of("k")) == Strings{"k"});
  }
}

TEST_CASE("a cubin of 32 bits is told, other ELF files of 32 bits or big-endian are searched") {
  const std::string content = fatbin_of("k");
  ElfFile elf = cubin({}, {});
  elf.header.push_back({4, "\1"});
  CHECK(read(elf.bytes()).problems ==
        Strings{"0: at byte 0: is a cubin of 32 bits, as toolkits before CUDA 12 made them; none of 64 bits is in it"});
  ElfFile host = program({{.content = content}});
  host.header.push_back({4, "\1"});
  CHECK(kernels_of(host.bytes()) == Strings{"k"});
  host.header.back() = {5, "\2"};
  CHECK(kernels_of(host.bytes()) == Strings{"k"});
}

TEST_CASE("a program whose sections are malformed is told, and all its bytes are searched") {
  const std::string all = "; all its bytes are searched";
  ElfFile elf = program({{.name = ".text", .content = fatbin_of("a"), .flags = executable}});
  const auto problem_of = [&all](const ElfFile& changed) {
    const Found found = read(changed.bytes());
    CHECK(names_of(found) == Strings{"a"});
    REQUIRE(found.problems.size() == 1);
    CHECK(found.problems[0].ends_with(all));
    return found.problems[0].substr(0, found.problems[0].size() - all.size());
  };
  const std::string size = std::to_string(elf.bytes().size());
  ElfFile changed = elf;
  changed.header = {{0x28, number(most_64, 8)}};
  CHECK(problem_of(changed) ==
        "0: at byte 18446744073709551615: the section table of 64 bytes lies behind the end, " + size);
  changed.header = {{0x3a, number(40, 2)}};
  CHECK(problem_of(changed) == "0: at byte 58: e_shentsize is not 64");
  changed = elf;
  changed.sections[4].size = 100000;
  CHECK(contains(problem_of(changed), ": a section of 100000 bytes lies behind the end, " + size));
  changed = elf;
  changed.sections[4].name_at = 4000;
  CHECK(problem_of(changed) == "0: at byte 4000: a section's name of 1 bytes lies behind the end, 34");
}

TEST_CASE("members of an archive are named, in GNU's form and BSD's") {
  const std::string object = program({{.name = ".nv_fatbin", .content = fatbin_of("b")}}).bytes();
  const std::vector<Member> members = {{"a.o", fatbin_of("a") + "?"},  // of odd size
                                       {"a name of more than 15 characters.o", object},
                                       {"text.txt", "no code\n"},
                                       {"c.cubin", one_kernel("c")},
                                       {"empty.o", ""},
                                       {"a.o", fatbin_of("d") + fatbin_of("e")}};
  const Strings expected = {"a.o/a", "a name of more than 15 characters.o/b", "c.cubin/c", "a.o/d", "a.o/e"};
  CHECK(kernels_of(gnu_archive(members)) == expected);
  CHECK(kernels_of(bsd_archive(members)) == expected);
  const std::string file = gnu_archive({{"a.o", fatbin_of("a")}, {"b.o", fatbin_of("b")}});
  const std::vector<GpuImage> images = search(file).images;
  REQUIRE(images.size() == 2);
  CHECK(images[0].offset == static_cast<std::int64_t>(file.find(fatbin_of("a")) + 16));
  CHECK(images[1].offset == static_cast<std::int64_t>(file.find(fatbin_of("b")) + 16));
}

TEST_CASE("names of other archivers are read") {
  const std::string begin = "!<arch>\n";
  CHECK(kernels_of(begin + member_of("/SYM64/", "symbols!") + member_of("plain.o", fatbin_of("k"))) ==
        Strings{"plain.o/k"});
  // Microsoft's end with a NUL.
  const std::string names = "one.obj\0a long name.obj\0"s;
  CHECK(kernels_of(begin + member_of("/", "1") + member_of("/", "2") + member_of("//", names) +
                   member_of("/8", fatbin_of("k"))) == Strings{"a long name.obj/k"});
  CHECK(kernels_of(begin + member_of("//", "last") + member_of("/1", fatbin_of("k"))) == Strings{"ast/k"});
}

TEST_CASE("members of a thin archive are files") {
  const std::string file = gnu_archive({{"a.o", "12345"}, {"folder/b.o", "123456"}}, true);
  const Search found = search(file);
  CHECK(found.files == Strings{"a.o", "folder/b.o"});
  CHECK(found.images.empty());
  CHECK(found.problems.empty());
  CHECK(kernels_of(file).empty());
}

TEST_CASE("an archive in a thin archive is one file") {
  const std::string file = "!<thin>\n" + member_of("//", "inner.a/\nb.o/\nother.a/\n") + member_header("/0:68", "5") +
                           member_header("/0:136", "5") + member_header("/14:68", "5") + member_header("/9", "5") +
                           member_header("/14:68", "5");
  CHECK(search(file).files == Strings{"inner.a", "other.a", "b.o", "other.a"});
  CHECK(search(file).problems.empty());
}

TEST_CASE("an archive in an archive is searched as bytes") {
  const std::string inner = gnu_archive({{"inner.o", fatbin_of("k")}});
  CHECK(kernels_of(gnu_archive({{"inner.a", inner}, {"b.o", fatbin_of("b")}})) == Strings{"inner.a/k", "b.o/b"});
}

TEST_CASE("an archive that is malformed is told, and searched from there") {
  const std::string begin = "!<arch>\n" + member_of("a.o", fatbin_of("a"));
  const std::string at = "0: at byte " + std::to_string(begin.size()) + ": ";
  const std::string searched = "; all bytes from there are searched";
  const auto problem_of = [&](const std::string& rest) {
    const Found found = read(begin + rest + fatbin_of("rest"));
    CHECK(names_of(found) == Strings{"a.o/a", "rest"});
    REQUIRE(found.problems.size() == 1);
    CHECK(found.problems[0].ends_with(searched));
    return found.problems[0].substr(0, found.problems[0].size() - searched.size());
  };
  std::string no_end = member_of("b.o", "");
  put(no_end, 58, "x");
  CHECK(problem_of(no_end) == at + "the header of an archive member does not end as one");
  for (const char* const size : {"", "-1", "12x", "0x10", "1 2"}) {
    CHECK(problem_of(member_header("b.o", size)) == at + "the size of an archive member is no number");
  }
  const std::size_t behind = begin.size() + 60;
  CHECK(problem_of(member_header("b.o", "9999999999")) ==
        "0: at byte " + std::to_string(behind) + ": an archive member of 9999999999 bytes lies behind the end, " +
            std::to_string(behind + fatbin_of("rest").size()));
  CHECK(problem_of(member_header("/0", "0")) == at + "the name of an archive member lies behind the table of names");
  CHECK(problem_of(member_header("/99999999999999", "0")) ==
        at + "the name of an archive member lies behind the table of names");
  CHECK(problem_of(member_header("/x", "0")) == at + "the place of the name of an archive member is no number");
  CHECK(problem_of(member_header("#1/9", "8")) == at + "the name of an archive member is longer than the member");
  CHECK(problem_of(member_header("#1/", "8")) == at + "the length of the name of an archive member is no number");

  const Found cut = read(begin + "b.o/");
  CHECK(names_of(cut) == Strings{"a.o/a"});
  CHECK(cut.problems == Strings{at + "the header of an archive member of 60 bytes lies behind the end, " +
                                std::to_string(begin.size() + 4) + searched});
}

TEST_CASE("what a member begins ends with it") {
  const std::uint64_t size = cubin_entry("a").bytes().size() + 100;  // not more than the next member has
  const std::string begin = gnu_archive({{"a.o", fatbin({cubin_entry("a")}, size)}});
  const std::string at = "0: a.o: at byte " + std::to_string(begin.size()) + ": ";
  for (const char* const kernel : {"even", "odd"}) {
    const Found found = read(begin + member_of("b.o", fatbin_of(kernel)));
    CHECK(names_of(found) == Strings{"a.o/a", std::string("b.o/") + kernel});
    CHECK(found.problems == Strings{at + cut_off});
  }
}

TEST_CASE("names in an archive are not copied at any length") {
  const std::string names(10000, 'x');
  const std::string file = "!<arch>\n" + member_of("//", names) + member_of("/0", fatbin_of("a")) +
                           member_of("#1/10000", names + fatbin_of("b"));
  for (const GpuImage& image : search(file).images) {
    CHECK(image.member == names.substr(0, 4096));
  }
}

TEST_CASE("problems name the member, and the byte of the file") {
  const std::string cut = fatbin({cubin_entry()}, 9999);
  const std::string object = program({{.name = ".data", .content = cut}}).bytes();
  const std::string bad = cubin({}, {{.registers = 0}}).bytes();
  const std::string file = gnu_archive({{"a.o", object}, {"b.cubin", bad}});
  const Found found = read(file);
  CHECK(names_of(found) == Strings{"a.o/k"});
  CHECK(found.problems ==
        Strings{"0: a.o: at byte " + std::to_string(file.find(cut) + cut.size()) + ": " + cut_off,
                "0: b.cubin: at byte " + std::to_string(file.find(bad)) + ": kernel 'k': has 0 registers"});
}

TEST_CASE("a fatbin whose entries have no end is told, and what is behind them is found") {
  const std::string good = fatbin_of("a");
  const auto expected = [&good](const std::string& what) {
    return Strings{"0: at byte " + std::to_string(good.size()) + ": " + what};
  };
  const auto problems_of = [](const FatbinEntry& entry) {
    const std::string begin = fatbin({cubin_entry("a"), entry});
    const Found found = read(begin + fatbin_of("rest"));
    CHECK(names_of(found) == Strings{"a", "rest"});
    return found.problems;
  };
  CHECK(problems_of({.header_size = 0}) == expected("an entry's header of 0 bytes; 64 are the least"));
  CHECK(problems_of({.header_size = 63}) == expected("an entry's header of 63 bytes; 64 are the least"));
  CHECK(problems_of({.header_size = 65}) == expected("an entry's payload of 0 bytes lies behind the end, 64"));
  CHECK(problems_of({.header_size = 0xffffffff}) == expected("an entry's payload of 0 bytes lies behind the end, 64"));
  CHECK(problems_of({.payload = "12345678", .payload_size = 9}) ==
        expected("an entry's payload of 9 bytes lies behind the end, 72"));
  CHECK(problems_of({.payload_size = most_64}) ==
        expected("an entry's payload of 18446744073709551615 bytes lies behind the end, 64"));
  CHECK(problems_of({.payload_size = most_64 - 63}) ==  // with the header: 0
        expected("an entry's payload of 18446744073709551552 bytes lies behind the end, 64"));
  CHECK(problems_of({.flags = 0x8011, .payload = "12345678", .compressed_size = 9}) ==
        expected("a compressed payload of 9 bytes lies behind the end, 8"));
}

TEST_CASE("a fatbin that says more bytes than there are is told, and what is behind it is found") {
  const std::string at = "0: at byte " + std::to_string(fatbin_of("a").size()) + ": ";
  for (const std::uint64_t size : {std::uint64_t{100000}, most_64}) {
    const std::string begin = fatbin({cubin_entry("a")}, size);
    const Found found = read(begin + fatbin_of("rest"));
    CHECK(names_of(found) == Strings{"a", "rest"});
    CHECK(found.problems == Strings{at + cut_off});
    CHECK(read(begin).problems == Strings{at + cut_off});
  }
  // Too few: what is left of an entry is found as what it is.
  const Found less = read(fatbin({cubin_entry("a")}, 64) + fatbin_of("rest"));
  CHECK(names_of(less) == Strings{"a", "rest"});
  CHECK(less.problems.size() == 1);
  CHECK(problems_before_rest(fatbin({}, 63)) ==
        Strings{"0: at byte 16: an entry's header of 64 bytes lies behind the end, 63"});
  CHECK(problems_before_rest(fatbin({})).empty());
  CHECK(read("MZ" + fatbin({}).substr(0, 15)).problems ==
        Strings{"0: at byte 2: the size of a fatbin of 8 bytes lies behind the end, 15"});
}

TEST_CASE("an entry without payload is one") {
  CHECK(problem_of_entry({}) == "0: at byte 16 (sm_80): the ELF header of 64 bytes lies behind the end, 0");
  CHECK(kernels_of(fatbin({{.kind = FatbinEntry::ptx}, {.kind = 77}, cubin_entry()})) == Strings{"k"});
  CHECK(search(fatbin({{.sm = 0xffffffff}})).images.at(0).arch == "sm_4294967295");
}

TEST_CASE("a payload that would decompress to more than is credible is refused before memory is taken") {
  constexpr std::uint64_t mega = std::uint64_t{1} << 20U;
  for (const std::uint64_t flag : {FatbinEntry::lz4, FatbinEntry::zstd}) {
    const auto problem_of = [flag](std::uint64_t size) { return problem_of_payload(flag, "tiny", size); };
    CHECK(problem_of(0) == "would decompress to 0 bytes; 1 to 1073741824 are read");
    CHECK(problem_of(mega * mega) == "would decompress to 1099511627776 bytes; 1 to 1073741824 are read");
    CHECK(problem_of(1024 * mega + 1) == "would decompress to 1073741825 bytes; 1 to 1073741824 are read");
    CHECK(problem_of(most_64) == "would decompress to 4611686018427387904 bytes; 1 to 1073741824 are read");
    const std::string ratio = flag == FatbinEntry::lz4 ? "255" : "32768";
    CHECK(problem_of(1024 * mega) == "would decompress from 4 to 1073741824 bytes, more than " + ratio + ":1");
    CHECK(problem_of(mega) == "would decompress from 4 to 1048576 bytes, more than " + ratio + ":1");
    CHECK_FALSE(contains(problem_of(5 * (flag == FatbinEntry::lz4 ? 255 : 32768) - 1), "would"));
  }
}

TEST_CASE("a payload that repeats itself as often as its format allows is read") {
  ElfFile elf = cubin({}, {{}});
  elf.add({.name = ".text.large", .content = std::string(std::size_t{1} << 22U, '\0')});
  CHECK(kernels_of(fatbin({in_lz4({.payload = elf.bytes()})})) == Strings{"k"});
  const FatbinEntry entry = in_zstd({.payload = elf.bytes()});
  CHECK(entry.decompressed_size / entry.payload.size() > 8000);
  CHECK(kernels_of(fatbin({entry})) == Strings{"k"});
}

TEST_CASE("an LZ4 payload that is damaged, or of another size, is told") {
  const std::string image = one_kernel("k");
  const std::string block = lz4_block(image);
  const auto no_block = [](std::uint64_t size) { return "is no LZ4 block of " + std::to_string(size) + " bytes"; };
  const auto problem_of = [](const std::string& payload, std::uint64_t size) {
    return problem_of_payload(FatbinEntry::lz4, payload, size);
  };
  CHECK(problem_of(block, image.size() - 1) == no_block(image.size() - 1));
  CHECK(problem_of(block, image.size() + 1) == no_block(image.size() + 1));
  CHECK(problem_of(block.substr(0, block.size() - 1), image.size()) == no_block(image.size()));
  CHECK(problem_of(block + block, image.size()) == no_block(image.size()));
  CHECK(problem_of("", 100) == no_block(100));
  CHECK(problem_of(std::string(100, '\xff'), 100) == no_block(100));
  CHECK(problem_of(zstd_frame(image), image.size()) == no_block(image.size()));
}

TEST_CASE("a zstd payload that is damaged, or more or less than one frame of its size, is told") {
  const std::string image = one_kernel("k");
  const std::string frame = zstd_frame(image);
  const std::string no_frame = "is no zstd frame of " + std::to_string(image.size()) + " bytes";
  const auto problem_of = [&image](const std::string& payload) {
    return problem_of_payload(FatbinEntry::zstd, payload, image.size());
  };
  CHECK(problem_of("") == no_frame);
  CHECK(problem_of(frame.substr(0, frame.size() - 1)) == no_frame);
  CHECK(problem_of(frame + "x") == no_frame);
  CHECK(problem_of(frame + frame) == no_frame);
  CHECK(problem_of("\x50\x2a\x4d\x18\0\0\0\0"s + frame) == no_frame);  // one to be skipped before it
  CHECK(problem_of(zstd_frame(image + "x")) == no_frame);
  CHECK(problem_of(zstd_frame("")) == no_frame);
  CHECK(problem_of(lz4_block(image)) == no_frame);
  std::string damaged = frame;
  put(damaged, frame.size() - 8, std::string(8, '\0'));
  CHECK(contains(problem_of(damaged), "is a damaged zstd frame"));
  // With a dictionary of number 7, which nobody has: a bit of the frame's second byte, and a byte behind the next.
  std::string with_dictionary = frame;
  with_dictionary[4] = static_cast<char>(with_dictionary[4] | 1);
  with_dictionary.insert(5, 1, '\7');
  CHECK(contains(problem_of(with_dictionary), "is a damaged zstd frame: Dictionary mismatch"));
}

TEST_CASE("a damaged cubin in another file is told, and what follows its magic is found") {
  ElfFile elf = cubin({}, {{}});
  elf.section(".text.k").size = 100000;
  const std::string size = std::to_string(elf.bytes().size() + fatbin_of("rest").size());
  CHECK(contains(problems_before_rest("x" + elf.bytes()).at(0), "0: at byte 1: a cubin of "));
  elf = cubin({}, {{}});
  elf.header.push_back({0x28, number(most_64, 8)});
  CHECK(problems_before_rest("x" + elf.bytes()) ==
        Strings{"0: at byte 1: the section table of 64 bytes lies behind the end, " + size});
  elf.header = {{0x20, number(most_64, 8)}, {0x36, number(0xffff, 2) + number(0xffff, 2)}};
  CHECK(problems_before_rest("x" + elf.bytes()) ==
        Strings{"0: at byte 1: a cubin of 18446744073709551615 bytes lies behind the end, " + size});
  const std::string file = "x" + elf.bytes().substr(0, 30) + fatbin_of("k", 90);
  CHECK(search(file).images.at(0).arch == "sm_90");  // the fatbin's entry, not the cubin in it
  CHECK(read(one_kernel("k").substr(0, 63)).problems ==
        Strings{"0: at byte 0: the ELF header of 64 bytes lies behind the end, 63"});
}

// Each has the same table, of which only the last section is damaged.
TEST_CASE("tables of damaged cubins are not read without end") {
  constexpr std::size_t cubins = 1000;
  constexpr std::size_t sections = 10000;
  std::string file = "MZ" + std::string(14, '\0');
  for (std::size_t i = 0; i < cubins; ++i) {
    ElfFile elf = cubin({}, {});
    elf.header.push_back({0x28, number((cubins - i) * ElfFile::header_size, 8)});
    elf.header.push_back({0x3c, number(sections, 2)});
    file += elf.bytes().substr(0, ElfFile::header_size);
  }
  file += std::string((sections - 1) * 64, '\0') + number(0, 4) + number(1, 4) + std::string(24, '\0') +
          number(most_64, 8) + std::string(24, '\0');
  const Strings problems = problems_before_rest(file);
  REQUIRE(problems.size() == cubins);
  CHECK(contains(problems.front(), "0: at byte 16: a cubin of 18446744073709551615 bytes"));
  CHECK(problems.back() == "0: at byte " + std::to_string(16 + (cubins - 1) * 64) +
                               ": a cubin behind too many that are damaged is not read");
}

TEST_CASE("a file that is cut off at any byte has no other kernels than the whole one") {
  const auto shown = [](const KernelRecord& kernel) {
    return kernel.kernel + " " + kernel.arch + " " + std::to_string(kernel.registers_per_thread.value_or(-1)) + " " +
           std::to_string(kernel.static_shared_memory.value_or(-1)) + " " +
           std::to_string(kernel.barriers.value_or(-1)) + " " +
           std::to_string(kernel.max_threads_per_block.value_or(-1));
  };
  for (const char* const name : {"few.sm_90.cubin", "size.fatbin", "gnu.a"}) {
    INFO(name);
    const std::string file = sample_text("binaries/" + std::string(name));
    std::multiset<std::string> whole;
    for (const KernelRecord& kernel : read(file).kernels) {
      whole.insert(shown(kernel));
    }
    CHECK_FALSE(whole.empty());
    std::size_t silent = 0;
    for (std::size_t size = 0; size < file.size(); ++size) {
      const Found found = read(std::string_view(file).substr(0, size));
      std::multiset<std::string> left = whole;
      for (const KernelRecord& kernel : found.kernels) {
        const auto place = left.find(shown(kernel));
        INFO(size);
        REQUIRE(place != left.end());
        left.erase(place);
      }
      silent += found.problems.empty() && !left.empty() ? 1U : 0U;
    }
    // Less than a header, or the end of a member that another should follow.
    CHECK(silent <= 100);
  }
}
