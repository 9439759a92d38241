#include "input/elf.hpp"

#include <algorithm>

namespace occcalc::input {

namespace {

constexpr std::uint64_t section_header_size = 64;
constexpr std::uint64_t machine_at = 18;

// sum of what is in a file, or more than any file has
std::uint64_t end_of(std::uint64_t offset, std::uint64_t size) {
  return size > ~std::uint64_t{0} - offset ? ~std::uint64_t{0} : offset + size;
}

}  // namespace

std::uint16_t Elf::machine_of(Bytes bytes) noexcept {
  constexpr std::string_view class_64_little_endian = "\x02\x01";
  return bytes.holds(0, header_size) && bytes.view().starts_with(elf_magic) &&
                 bytes.view().substr(elf_magic.size()).starts_with(class_64_little_endian)
             ? bytes.u16(machine_at, "e_machine")
             : 0;
}

Elf::Elf(Bytes bytes) : bytes_(bytes) {
  const Bytes header = bytes.part(0, header_size, "the ELF header");
  if (machine_of(bytes) == 0) {
    throw Malformed(0, "is no ELF file of 64 bits, little-endian");
  }
  abi_version_ = header.u8(8, "EI_ABIVERSION");
  type_ = header.u16(16, "e_type");
  machine_ = header.u16(machine_at, "e_machine");
  const std::uint64_t table_at = header.u64(0x28, "e_shoff");
  flags_ = header.u32(0x30, "e_flags");
  if (table_at == 0) {
    return;  // no sections
  }
  if (header.u16(0x3a, "e_shentsize") != section_header_size) {
    throw Malformed(0x3a, "e_shentsize is not 64");
  }
  section_count_ = header.u16(0x3c, "e_shnum");
  std::uint64_t names = header.u16(0x3e, "e_shstrndx");
  // Numbers too large for the header stand in the first section's.
  table_ = bytes.part(table_at, section_header_size, "the section table");
  const ElfSection first = section(0);
  section_count_ = section_count_ == 0 ? first.size : section_count_;
  constexpr std::uint64_t in_first_section = 0xffff;
  names = names == in_first_section ? first.link : names;
  if (section_count_ > bytes.size() / section_header_size) {
    throw Malformed(table_at, "the section table has " + std::to_string(section_count_) +
                                  " entries, more than the file has room for");
  }
  table_ = bytes.part(table_at, section_count_ * section_header_size, "the section table");
  if (names < section_count_) {
    names_ = content(section(names));
  }
}

ElfSection Elf::section(std::uint64_t index) const {
  const Bytes header = table_.part(index * section_header_size, section_header_size, "a section header");
  return {header.u32(0x00, "sh_name"),   header.u32(0x04, "sh_type"), header.u64(0x08, "sh_flags"),
          header.u64(0x18, "sh_offset"), header.u64(0x20, "sh_size"), header.u32(0x28, "sh_link"),
          header.u32(0x2c, "sh_info")};
}

Bytes Elf::content(const ElfSection& section) const {
  return section.has_file_bytes() ? bytes_.part(section.offset, section.size, "a section") : Bytes();
}

std::uint64_t Elf::extent() const {
  const Bytes header = bytes_.part(0, header_size, "the ELF header");
  std::uint64_t end = header_size;
  const std::uint64_t segments = header.u64(0x20, "e_phoff");
  const std::uint64_t segment_bytes = std::uint64_t{header.u16(0x36, "e_phentsize")} * header.u16(0x38, "e_phnum");
  end = std::max(end, segments == 0 ? 0 : end_of(segments, segment_bytes));
  end = std::max(end, section_count_ == 0 ? 0 : end_of(header.u64(0x28, "e_shoff"), table_.size()));
  for (std::uint64_t i = 0; i < section_count_; ++i) {
    const ElfSection one = section(i);
    end = one.has_file_bytes() ? std::max(end, end_of(one.offset, one.size)) : end;
  }
  return end;
}

}  // namespace occcalc::input
