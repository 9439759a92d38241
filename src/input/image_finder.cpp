// Finds images by their magics, wherever they stand: libraries keep fatbins in sections of any name (.nv_fatbin,
// .cask_resource, .ldata, .rodata), and bare cubins too; programs of other systems have other containers. Sections and
// archive members give names, and sections of the host's code are passed over.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "input/archive.hpp"
#include "input/elf.hpp"
#include "input/fatbin.hpp"
#include "occcalc/gpu_binaries.hpp"

namespace occcalc {

namespace {

using namespace input;

// Up to e_machine: ELF of 64 bits; CUDA's ABI, older (0x33, 7) or new (0x41, 8); zeros; ET_REL or ET_EXEC; EM_CUDA.
bool is_cubin(std::string_view bytes) {
  constexpr std::size_t size = 20;
  constexpr std::string_view ident = "\x02\x01\x01";
  constexpr std::string_view zeros = std::string_view("\0\0\0\0\0\0\0", 7);
  if (bytes.size() < size || !bytes.starts_with(elf_magic) || bytes.substr(4, 3) != ident ||
      bytes.substr(9, 7) != zeros) {
    return false;
  }
  const std::string_view abi = bytes.substr(7, 2);
  const std::string_view type = bytes.substr(16, 2);
  const std::string_view machine = bytes.substr(18, 2);
  return (abi == "\x33\x07" || abi == "\x41\x08") &&
         (type == std::string_view("\1\0", 2) || type == std::string_view("\2\0", 2)) &&
         machine == std::string_view("\xbe\0", 2);
}

enum class Magic : std::uint8_t { None, Fatbin, Cubin };

Magic magic_at(std::string_view bytes) {
  return bytes.starts_with(fatbin_magic) ? Magic::Fatbin : is_cubin(bytes) ? Magic::Cubin : Magic::None;
}

// 1 where a magic may begin. In bytes throughout, so that compilers test many at once.
std::uint8_t is_candidate(const std::uint8_t* at) {
  const auto fatbin =
      static_cast<std::uint8_t>(static_cast<std::uint8_t>(at[0] == 0x50U) & static_cast<std::uint8_t>(at[1] == 0xedU));
  const auto elf =
      static_cast<std::uint8_t>(static_cast<std::uint8_t>(at[0] == 0x7fU) & static_cast<std::uint8_t>(at[1] == 0x45U));
  return fatbin | elf;
}

// Where a magic may begin, or the end. Most blocks have no such pair of bytes.
std::size_t find_candidate(std::string_view bytes, std::size_t from) {
  constexpr std::size_t block = 128;
  const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::size_t at = from;
  for (; at + block < bytes.size(); at += block) {
    std::uint8_t found = 0;
    for (std::size_t i = 0; i < block; ++i) {
      found |= is_candidate(data + at + i);
    }
    if (found != 0) {
      break;
    }
  }
  for (; at + 1 < bytes.size(); ++at) {
    if (is_candidate(data + at) != 0) {
      return at;
    }
  }
  return bytes.size();
}

// The bytes of a file that a section has, and its name.
struct NamedRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string_view name{};
  bool is_code = false;  // of the host: no image stands in it, and it is large
};

std::vector<NamedRange> sections_of(Bytes file) {
  const Elf elf(file);
  std::vector<NamedRange> ranges;
  for (std::uint64_t i = 1; i < elf.section_count(); ++i) {
    const ElfSection section = elf.section(i);
    if (section.has_file_bytes() && section.size > 0) {
      static_cast<void>(elf.content(section));  // lies within the file
      constexpr std::uint64_t executable = 4;   // SHF_EXECINSTR
      ranges.push_back(
          {section.offset, section.offset + section.size, elf.name(section), (section.flags & executable) != 0});
    }
  }
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const NamedRange& a, const NamedRange& b) { return a.begin < b.begin; });
  return ranges;
}

}  // namespace

class ImageFinder::State {
 public:
  State(std::string_view file, std::string member) : file_(file), member_(std::move(member)) {
    if (Archive::begins(file)) {
      archive_.emplace(Bytes(file));
      end_ = 0;
    } else {
      end_ = file.size();
      is_at_begin_ = true;
    }
  }

  [[nodiscard]] std::int64_t position() const noexcept { return static_cast<std::int64_t>(at_); }

  bool advance(const ImageSink& sink) {
    if (std::exchange(is_at_begin_, false)) {
      begin_file(sink);
      return true;
    }
    if (at_ < end_) {
      scan(sink);
      return true;
    }
    return archive_ && enter_member(sink);
  }

 private:
  // What begins at at_: a cubin is taken whole, whatever its ABI; of another ELF file the sections are noted.
  void begin_file(const ImageSink& sink) {
    const Bytes rest = here();
    sections_.clear();
    const std::uint16_t machine = Elf::machine_of(rest);
    if (machine == Elf::cuda_machine) {
      add_cubin(sink, rest.size());
      return;
    }
    constexpr std::string_view class_32 = "\x01";
    constexpr std::string_view little_endian_cuda = std::string_view("\xbe\0", 2);
    if (rest.view().starts_with(elf_magic) && rest.view().substr(4, 1) == class_32 && rest.holds(18, 2) &&
        rest.view().substr(18, 2) == little_endian_cuda) {
      complain(sink, at_, "is a cubin of 32 bits, as toolkits before CUDA 12 made them; none of 64 bits is in it");
      at_ = end_;
      return;
    }
    if (machine != 0) {
      begin_ = at_;
      try {
        sections_ = sections_of(rest);
      } catch (const Malformed& problem) {
        complain(sink, at_ + problem.at(), std::string(problem.what()) + "; all its bytes are searched");
      }
    }
  }

  bool enter_member(const ImageSink& sink) {
    std::optional<ArchiveMember> member;
    try {
      member = archive_->next();
    } catch (const Malformed& problem) {
      member_.clear();
      complain(sink, problem.at(), std::string(problem.what()) + "; all bytes from there are searched");
      at_ = problem.at();
      end_ = file_.size();
      return true;
    }
    if (!member) {
      at_ = end_ = file_.size();
      return false;
    }
    if (member->is_file) {
      sink.file(member->name);
      return true;
    }
    member_ = std::move(member->name);
    at_ = member->begin;
    end_ = member->end;
    is_at_begin_ = at_ < end_;
    return true;
  }

  // To the next image, but not over more than some megabytes.
  void scan(const ImageSink& sink) {
    constexpr std::uint64_t step = std::uint64_t{1} << 21;
    const auto next = section_behind(at_);
    if (next != sections_.begin() && std::prev(next)->is_code && at_ - begin_ < std::prev(next)->end) {
      const std::uint64_t code_end = begin_ + std::prev(next)->end;
      at_ = std::min(end_, next != sections_.end() ? std::min(code_end, begin_ + next->begin) : code_end);
      return;
    }
    std::uint64_t limit = end_ - at_ > step ? at_ + step : end_;
    limit = next != sections_.end() ? std::min(limit, begin_ + next->begin) : limit;
    while (at_ < limit) {
      // One byte more than is passed: a magic that begins with the last one.
      at_ = find_candidate(file_.substr(0, std::min(limit + 1, end_)), at_);
      if (at_ >= limit) {
        at_ = limit;
        return;
      }
      switch (magic_at(file_.substr(at_, end_ - at_))) {
        case Magic::Fatbin: add_fatbin(sink); return;
        case Magic::Cubin: add_bare_cubin(sink); return;
        case Magic::None: ++at_;
      }
    }
  }

  // The first section that begins behind a byte of the file.
  [[nodiscard]] std::vector<NamedRange>::const_iterator section_behind(std::uint64_t at) const {
    return std::upper_bound(sections_.begin(), sections_.end(), at - begin_,
                            [](std::uint64_t place, const NamedRange& one) { return place < one.begin; });
  }

  void add_fatbin(const ImageSink& sink) {
    const std::uint64_t begin = at_;
    Fatbin fatbin = read_fatbin(here());
    for (GpuImage& image : fatbin.images) {
      image.offset += static_cast<std::int64_t>(begin);
      image.member = member_at(begin);
      sink.image(std::move(image));
    }
    if (fatbin.problem) {
      complain(sink, begin + fatbin.problem->at(), fatbin.problem->what());
    }
    at_ += std::max<std::uint64_t>(fatbin.size, fatbin_magic.size());
  }

  void add_bare_cubin(const ImageSink& sink) {
    std::uint64_t sections = 0;
    std::uint64_t size = 0;
    try {
      const Elf elf(here());
      sections = elf.section_count();
      if (sections > damaged_sections_left_) {
        throw Malformed(0, "a cubin behind too many that are damaged is not read");
      }
      size = elf.extent();
      static_cast<void>(here().part(0, size, "a cubin"));
    } catch (const Malformed& problem) {
      damaged_sections_left_ -= std::min(sections, damaged_sections_left_);
      complain(sink, at_, problem.what());
      at_ += elf_magic.size();
      return;
    }
    add_cubin(sink, size);
  }

  void add_cubin(const ImageSink& sink, std::uint64_t size) {
    GpuImage image;
    image.offset = static_cast<std::int64_t>(at_);
    image.member = member_at(at_);
    image.payload = file_.substr(at_, size);
    image.size = static_cast<std::int64_t>(size);
    sink.image(std::move(image));
    at_ += size;
  }

  [[nodiscard]] Bytes here() const { return Bytes(file_.substr(at_, end_ - at_)); }

  [[nodiscard]] std::string member_at(std::uint64_t at) const {
    const auto behind = section_behind(at);
    const bool is_within = behind != sections_.begin() && at - begin_ < std::prev(behind)->end;
    return member_.empty() && is_within ? std::string(std::prev(behind)->name) : member_;
  }

  void complain(const ImageSink& sink, std::uint64_t at, const std::string& what) const {
    sink.problem((member_.empty() ? "" : member_ + ": ") + "at byte " + std::to_string(at) + ": " + what);
  }

  std::string_view file_;
  std::string member_;  // of an archive
  std::optional<Archive> archive_;
  std::vector<NamedRange> sections_;  // of an ELF file, from its begin
  std::uint64_t begin_ = 0;           // of that file
  std::uint64_t at_ = 0;
  std::uint64_t end_ = 0;  // of what is searched: the file, or a member
  bool is_at_begin_ = false;
  // The tables of damaged cubins may be the same bytes, and are not jumped over.
  std::uint64_t damaged_sections_left_ = std::uint64_t{1} << 22;
};

ImageFinder::ImageFinder(std::string_view file, std::string member)
    : state_(std::make_unique<State>(file, std::move(member))) {}
ImageFinder::ImageFinder(ImageFinder&&) noexcept = default;
ImageFinder& ImageFinder::operator=(ImageFinder&&) noexcept = default;
ImageFinder::~ImageFinder() = default;

bool ImageFinder::advance(const ImageSink& sink) { return state_->advance(sink); }

std::int64_t ImageFinder::position() const noexcept { return state_->position(); }

}  // namespace occcalc
