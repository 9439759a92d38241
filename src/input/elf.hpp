/// ELF files of 64 bits, little-endian, as the System V ABI defines them: what cubins and their hosts are.
#pragma once

#include <cstdint>
#include <string_view>

#include "input/bytes.hpp"
#include "input/magic.hpp"

namespace occcalc::input {

/// A section as its header says it. Nothing of it is checked.
struct ElfSection {
  std::uint32_t name = 0;  // in the table of names
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint32_t link = 0;
  std::uint32_t info = 0;

  /// Its size is that of bytes in the file: not so of NOBITS, and of NVIDIA's own kinds of it (global, local, shared,
  /// reserved shared memory), whose size is that of memory.
  [[nodiscard]] constexpr bool has_file_bytes() const noexcept {
    constexpr std::uint32_t no_bits = 8;
    constexpr std::uint32_t nv_global = 0x70000007;
    constexpr std::uint32_t nv_shared = 0x7000000a;
    constexpr std::uint32_t nv_reserved = 0x70000015;
    constexpr std::uint32_t nv_merc_shared = 0x70000016;
    return type != 0 && type != no_bits && (type < nv_global || type > nv_shared) && type != nv_reserved &&
           type != nv_merc_shared;
  }
};

/// Reads headers where they stand: nothing is copied or allocated.
class Elf {
 public:
  static constexpr std::uint16_t cuda_machine = 190;  // EM_CUDA
  static constexpr std::uint16_t relocatable = 1;     // ET_REL
  static constexpr std::uint16_t executable = 2;      // ET_EXEC
  static constexpr std::uint64_t header_size = 64;

  /// Throws Malformed if the section table does not lie within the bytes, or if they are of another class.
  explicit Elf(Bytes bytes);

  [[nodiscard]] std::uint8_t abi_version() const noexcept { return abi_version_; }
  [[nodiscard]] std::uint16_t type() const noexcept { return type_; }
  [[nodiscard]] std::uint16_t machine() const noexcept { return machine_; }
  [[nodiscard]] std::uint32_t flags() const noexcept { return flags_; }
  [[nodiscard]] std::uint64_t section_count() const noexcept { return section_count_; }
  /// `index` < section_count().
  [[nodiscard]] ElfSection section(std::uint64_t index) const;
  [[nodiscard]] std::string_view name(const ElfSection& section) const {
    return names_.text(section.name, "a section's name");
  }
  [[nodiscard]] bool name_begins(const ElfSection& section, std::string_view prefix) const noexcept {
    return section.name < names_.size() && names_.view().substr(section.name).starts_with(prefix);
  }
  /// The section's bytes in the file.
  [[nodiscard]] Bytes content(const ElfSection& section) const;
  /// The least number of bytes that a file with these headers has: more may follow.
  [[nodiscard]] std::uint64_t extent() const;

  /// The machine that bytes are for which begin as ELF of 64 bits, little-endian; 0 if they do not.
  [[nodiscard]] static std::uint16_t machine_of(Bytes bytes) noexcept;

 private:
  Bytes bytes_;
  Bytes table_;
  Bytes names_;
  std::uint8_t abi_version_ = 0;
  std::uint16_t type_ = 0;
  std::uint16_t machine_ = 0;
  std::uint32_t flags_ = 0;
  std::uint64_t section_count_ = 0;
};

}  // namespace occcalc::input
