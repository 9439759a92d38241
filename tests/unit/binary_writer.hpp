/// GPU binaries in words: ELF files, cubins, fatbins and archives as lists of what they hold. What is malformed in one
/// is said by a field that overrides what would be written, or by `put`.
#pragma once

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace occcalc::test {

/// A number in so many bytes, little-endian.
inline std::string number(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) {
    bytes += static_cast<char>(static_cast<unsigned char>((value >> (8 * i)) & 0xffU));
  }
  return bytes;
}

/// Writes over what stands there.
inline void put(std::string& bytes, std::size_t at, const std::string& what) {
  if (at > bytes.size() || what.size() > bytes.size() - at) {
    throw std::logic_error("writes behind the end");
  }
  bytes.replace(at, what.size(), what);
}

inline std::string padded(std::string bytes, std::size_t unit) {
  bytes.resize((bytes.size() + unit - 1) / unit * unit);
  return bytes;
}

// ELF

struct Section {
  std::string name{};
  std::uint32_t type = 1;  // PROGBITS
  std::string content{};
  std::uint32_t info = 0;
  std::uint32_t link = 0;
  std::uint64_t flags = 0;
  std::optional<std::uint64_t> size{};  // else that of the content
  std::optional<std::uint64_t> offset{};
  std::optional<std::uint32_t> name_at{};  // in the table of names
};

struct Symbol {
  std::string name{};
  std::uint16_t section = 0;
  std::uint8_t info = 2;      // a function
  std::uint8_t other = 0x10;  // a kernel
  std::uint64_t value = 0;
  std::optional<std::uint32_t> name_at{};
};

/// ELF of 64 bits: header, contents, section table. Sections 1 to 3 are the tables of section names, of symbol names
/// and of symbols; symbol 0 is none.
class ElfFile {
 public:
  static constexpr std::size_t header_size = 64;

  std::uint8_t os_abi = 0;
  std::uint8_t abi_version = 0;
  std::uint16_t type = 2;      // ET_EXEC
  std::uint16_t machine = 62;  // EM_X86_64
  std::uint32_t flags = 0;
  std::vector<Section> sections = {{.type = 0},
                                   {.name = ".shstrtab", .type = 3},
                                   {.name = ".strtab", .type = 3},
                                   {.name = ".symtab", .type = 2, .link = 2}};
  std::vector<Symbol> symbols = {{.info = 0, .other = 0}};
  std::vector<std::pair<std::size_t, std::string>> header{};  // what is written over it at last

  /// Its index.
  std::uint32_t add(Section section) {
    sections.push_back(std::move(section));
    return static_cast<std::uint32_t>(sections.size() - 1);
  }

  [[nodiscard]] std::uint32_t index_of(std::string_view name) const {
    const auto found =
        std::find_if(sections.begin(), sections.end(), [name](const Section& section) { return section.name == name; });
    if (found == sections.end()) {
      throw std::logic_error("no section " + std::string(name));
    }
    return static_cast<std::uint32_t>(found - sections.begin());
  }

  Section& section(std::string_view name) { return sections[index_of(name)]; }

  [[nodiscard]] std::string bytes() const {
    ElfFile whole = *this;
    whole.write_names();
    whole.write_symbols();
    std::string file(header_size, '\0');
    std::string table;
    for (const Section& section : whole.sections) {
      file = padded(std::move(file), 8);
      table += number(section.name_at.value_or(0), 4) + number(section.type, 4) + number(section.flags, 8) +
               number(0, 8) + number(section.offset.value_or(file.size()), 8) +
               number(section.size.value_or(section.content.size()), 8) + number(section.link, 4) +
               number(section.info, 4) + number(1, 8) + number(0, 8);
      file += section.content;
    }
    file = padded(std::move(file), 8);
    put(file, 0, whole.header_bytes(file.size()));
    for (const auto& [at, what] : header) {
      put(file, at, what);
    }
    return file + table;
  }

 private:
  void write_names() {
    std::string& names = sections[1].content;
    names = std::string(1, '\0');
    for (Section& section : sections) {
      section.name_at = section.name_at.value_or(static_cast<std::uint32_t>(names.size()));
      names += section.name + '\0';
    }
  }

  void write_symbols() {
    std::string& names = sections[2].content;
    for (const Symbol& symbol : symbols) {
      sections[3].content += number(symbol.name_at.value_or(static_cast<std::uint32_t>(names.size())), 4) +
                             number(symbol.info, 1) + number(symbol.other, 1) + number(symbol.section, 2) +
                             number(symbol.value, 8) + number(0, 8);
      names += symbol.name + '\0';
    }
  }

  [[nodiscard]] std::string header_bytes(std::size_t table_at) const {
    return "\x7f" + std::string("ELF\2\1\1") + number(os_abi, 1) + number(abi_version, 1) + std::string(7, '\0') +
           number(type, 2) + number(machine, 2) + number(1, 4) + number(0, 8) + number(0, 8) + number(table_at, 8) +
           number(flags, 4) + number(header_size, 2) + number(0, 2) + number(0, 2) + number(64, 2) +
           number(sections.size(), 2) + number(1, 2);
  }
};

// Attributes: a record of .nv.info sections, by its format.

inline std::string attribute(unsigned format, unsigned code, std::uint64_t value = 0) {
  return number(format, 1) + number(code, 1) + number(value, 2);
}

inline std::string words(unsigned code, std::initializer_list<std::uint32_t> values) {
  std::string record = attribute(4, code, 4 * values.size());
  for (const std::uint32_t value : values) {
    record += number(value, 4);
  }
  return record;
}

inline std::string registers_of(std::uint32_t symbol, std::uint32_t count) { return words(0x2f, {symbol, count}); }
inline std::string stack_frame_of(std::uint32_t symbol, std::uint32_t bytes) { return words(0x11, {symbol, bytes}); }
inline std::string barriers(unsigned count) { return attribute(2, 0x4c, count); }
inline std::string toolkit(std::uint32_t version) { return words(0x37, {version}); }

// Cubins

struct CubinOptions {
  unsigned sm = 80;
  int abi = 8;             // 8: CUDA 13; 7: older
  std::uint16_t type = 2;  // ET_EXEC; 1: before the link
  std::uint32_t flags = 0;
};

struct CubinKernel {
  std::string name = "k";
  std::optional<std::uint32_t> registers = 24;  // in .nv.info
  std::string attributes{};                     // in .nv.info.<name>
  std::optional<std::uint64_t> shared{};        // the size of .nv.shared.<name>
  std::uint64_t text_flags = 6;
  std::uint32_t text_info = 0;
};

/// Kernel i, from 0, is symbol i + 1. Each has the sections .text.<name>, .nv.info.<name>, and .nv.shared.<name> where
/// it has such memory; .nv.info is section 4.
inline ElfFile cubin(const CubinOptions& options, const std::vector<CubinKernel>& kernels) {
  ElfFile elf;
  elf.os_abi = options.abi == 8 ? 0x41 : 0x33;
  elf.abi_version = static_cast<std::uint8_t>(options.abi);
  elf.type = options.type;
  elf.machine = 190;
  elf.flags = options.flags | (options.abi == 8 ? options.sm << 8U : options.sm);
  constexpr std::uint32_t nv_info = 0x70000000;
  constexpr std::uint32_t no_bits = 8;
  const std::uint32_t module_info = elf.add({.name = ".nv.info", .type = nv_info});
  for (const CubinKernel& kernel : kernels) {
    const auto symbol = static_cast<std::uint32_t>(elf.symbols.size());
    const std::uint32_t text = elf.add({.name = ".text." + kernel.name,
                                        .content = std::string(16, '\0'),
                                        .info = symbol | kernel.text_info,
                                        .flags = kernel.text_flags});
    elf.add({.name = ".nv.info." + kernel.name, .type = nv_info, .content = kernel.attributes, .info = text});
    if (kernel.shared) {
      elf.add({.name = ".nv.shared." + kernel.name, .type = no_bits, .info = text, .size = kernel.shared});
    }
    elf.symbols.push_back({.name = kernel.name, .section = static_cast<std::uint16_t>(text)});
    if (kernel.registers) {
      elf.sections[module_info].content += registers_of(symbol, *kernel.registers) + stack_frame_of(symbol, 0);
    }
  }
  return elf;
}

inline std::string one_kernel(const std::string& name, unsigned sm = 80) {
  return cubin({.sm = sm}, {{.name = name}}).bytes();
}

// Fatbins

inline std::string lz4_block(const std::string& bytes) {
  std::string block(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(bytes.size()))), '\0');
  block.resize(static_cast<std::size_t>(LZ4_compress_default(bytes.data(), block.data(), static_cast<int>(bytes.size()),
                                                             static_cast<int>(block.size()))));
  return block;
}

inline std::string zstd_frame(const std::string& bytes) {
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), 3));
  return frame;
}

struct FatbinEntry {
  static constexpr unsigned ptx = 1;
  static constexpr unsigned cubin = 2;
  static constexpr unsigned lto_ir = 8;
  static constexpr std::uint64_t lz4 = 0x2000;
  static constexpr std::uint64_t zstd = 0x8000;
  static constexpr std::uint64_t accelerated = 0x100000;
  static constexpr std::uint64_t family = 0x200000;

  unsigned kind = cubin;
  unsigned sm = 80;
  std::uint64_t flags = 0x11;  // with a compression: of the payload as it is given
  std::string payload{};
  std::uint64_t decompressed_size = 0;
  std::string options{};  // between header and payload
  std::optional<std::uint32_t> header_size{};
  std::optional<std::uint64_t> payload_size{};
  std::optional<std::uint32_t> compressed_size{};

  [[nodiscard]] std::string bytes() const {
    const bool is_compressed = (flags & (lz4 | zstd)) != 0;
    const std::string whole = padded(payload, 8);
    const auto compressed = static_cast<std::uint32_t>(is_compressed ? payload.size() : 0);
    return number(kind, 2) + number(0x101, 2) + number(header_size.value_or(64 + options.size()), 4) +
           number(payload_size.value_or(whole.size()), 8) + number(compressed_size.value_or(compressed), 4) +
           number(0, 4) + number(8, 2) + number(1, 2) + number(sm, 4) + number(0, 8) + number(flags, 8) + number(0, 8) +
           number(decompressed_size, 8) + options + whole;
  }
};

inline FatbinEntry in_lz4(FatbinEntry entry) {
  entry.flags |= FatbinEntry::lz4;
  entry.decompressed_size = entry.payload.size();
  entry.payload = lz4_block(entry.payload);
  return entry;
}

inline FatbinEntry in_zstd(FatbinEntry entry) {
  entry.flags |= FatbinEntry::zstd;
  entry.decompressed_size = entry.payload.size();
  entry.payload = zstd_frame(entry.payload);
  return entry;
}

/// `size`: what the header says of the entries, where that is not so.
inline std::string fatbin(const std::vector<FatbinEntry>& entries, std::optional<std::uint64_t> size = std::nullopt) {
  std::string all;
  for (const FatbinEntry& entry : entries) {
    all += entry.bytes();
  }
  return number(0xba55ed50, 4) + number(1, 2) + number(16, 2) + number(size.value_or(all.size()), 8) + all;
}

/// Of one cubin with one kernel.
inline std::string fatbin_of(const std::string& kernel, unsigned sm = 80) {
  return fatbin({{.sm = sm, .payload = one_kernel(kernel, sm)}});
}

// Archives

struct Member {
  std::string name{};
  std::string content{};
};

/// The header: its name in 16 characters, as ar writes it, and a size in 10.
inline std::string member_header(std::string name, std::string size) {
  name.resize(16, ' ');
  size.resize(10, ' ');
  return name + "0           0     0     644     " + size + "`\n";
}

inline std::string member_of(const std::string& name, const std::string& content) {
  return member_header(name, std::to_string(content.size())) + content + (content.size() % 2 != 0 ? "\n" : "");
}

/// Long names stand in the table "//".
inline std::string gnu_archive(const std::vector<Member>& members, bool is_thin = false) {
  std::string names;
  std::string all;
  for (const Member& member : members) {
    const bool is_long = is_thin || member.name.size() > 15;
    const std::string name = is_long ? "/" + std::to_string(names.size()) : member.name + "/";
    names += is_long ? member.name + "/\n" : "";
    all += is_thin ? member_header(name, std::to_string(member.content.size())) : member_of(name, member.content);
  }
  return (is_thin ? "!<thin>\n" : "!<arch>\n") + member_of("/", std::string(4, '\0')) +
         (names.empty() ? "" : member_of("//", names)) + all;
}

/// Names stand before the contents, with NULs behind them.
inline std::string bsd_archive(const std::vector<Member>& members) {
  std::string all = "!<arch>\n" + member_of("#1/20", padded("__.SYMDEF SORTED", 20) + "symbols");
  for (const Member& member : members) {
    const std::string name = padded(member.name + '\0', 4);
    all += member_of("#1/" + std::to_string(name.size()), name + member.content);
  }
  return all;
}

}  // namespace occcalc::test
