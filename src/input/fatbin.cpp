// As `fatbinary` of CUDA 13.0 writes it, and as the 42,298 entries in the libraries of that toolkit are.
#include "input/fatbin.hpp"

#include <algorithm>
#include <string>

namespace occcalc::input {

namespace {

constexpr std::uint64_t least_header_size = 64;

struct Entry {
  GpuImage image{};
  std::uint64_t size = 0;  // header and payload
};

std::string arch_of(std::uint32_t number, std::uint64_t flags) {
  constexpr std::uint64_t accelerated = 0x100000;  // sm_90a
  constexpr std::uint64_t family = 0x200000;       // sm_100f
  return "sm_" + std::to_string(number) + ((flags & accelerated) != 0 ? "a" : (flags & family) != 0 ? "f" : "");
}

GpuImage::Kind kind_of(std::uint16_t kind) {
  constexpr std::uint16_t ptx = 1;
  constexpr std::uint16_t cubin = 2;
  constexpr std::uint16_t lto_ir = 8;
  switch (kind) {
    case ptx: return GpuImage::Kind::Ptx;
    case cubin: return GpuImage::Kind::Cubin;
    case lto_ir: return GpuImage::Kind::LtoIr;
    default: return GpuImage::Kind::Unknown;
  }
}

Entry read_entry(Bytes rest) {
  const Bytes header = rest.part(0, least_header_size, "an entry's header");
  const std::uint64_t header_size = header.u32(0x04, "header size");
  const std::uint64_t payload_size = header.u64(0x08, "payload size");
  if (header_size < least_header_size) {
    throw Malformed(0, "an entry's header of " + std::to_string(header_size) + " bytes; 64 are the least");
  }
  const Bytes payload = rest.part(header_size, payload_size, "an entry's payload");
  const std::uint64_t flags = header.u64(0x28, "flags");
  constexpr std::uint64_t is_lz4 = 0x2000;
  constexpr std::uint64_t is_zstd = 0x8000;
  Entry entry;
  entry.size = header_size + payload_size;
  GpuImage& image = entry.image;
  image.kind = kind_of(header.u16(0x00, "kind"));
  image.arch = arch_of(header.u32(0x1c, "SM number"), flags);
  image.payload = payload.view();
  image.size = static_cast<std::int64_t>(payload_size);
  const bool is_read = image.kind == GpuImage::Kind::Cubin || image.kind == GpuImage::Kind::Ptx;
  if (is_read && (flags & (is_lz4 | is_zstd)) != 0) {  // LTO-IR is scrambled besides
    const std::uint64_t compressed = header.u32(0x10, "compressed size");
    image.compression = (flags & is_lz4) != 0 ? GpuImage::Compression::Lz4 : GpuImage::Compression::Zstd;
    image.payload = payload.part(0, compressed, "a compressed payload").view();
    constexpr std::uint64_t most = std::uint64_t{1} << 62;
    image.size = static_cast<std::int64_t>(std::min(header.u64(0x38, "decompressed size"), most));
  }
  return entry;
}

}  // namespace

Fatbin read_fatbin(Bytes bytes) {
  Fatbin fatbin;
  std::uint64_t at = 0;
  bool is_cut = false;
  try {
    const std::uint64_t entries_size = bytes.u64(8, "the size of a fatbin");
    const std::uint64_t room = bytes.size() - fatbin_header_size;
    is_cut = entries_size > room;
    fatbin.size = fatbin_header_size + std::min(entries_size, room);
    const Bytes all = bytes.part(0, fatbin.size, "a fatbin");
    for (at = fatbin_header_size; at < fatbin.size;) {
      Entry entry = read_entry(all.part(at, fatbin.size - at, "an entry"));
      entry.image.offset = static_cast<std::int64_t>(at);
      fatbin.images.push_back(std::move(entry.image));
      at += entry.size;
    }
    if (is_cut) {
      throw Malformed(at, "");
    }
  } catch (const Malformed& problem) {
    fatbin.size = at;
    fatbin.problem.emplace(
        at, is_cut ? "the fatbin is cut off: its header says more bytes than there are" : problem.what());
  }
  const bool has_cubin = std::any_of(fatbin.images.begin(), fatbin.images.end(),
                                     [](const GpuImage& image) { return image.kind == GpuImage::Kind::Cubin; });
  for (GpuImage& image : fatbin.images) {
    image.beside_cubin = has_cubin;
  }
  return fatbin;
}

}  // namespace occcalc::input
