// The layout is undocumented. What is read here was found by comparing `ptxas -v` with the bytes for all 23 targets of
// CUDA 13.0, and holds for the cubins of 9.0 to 13.1 in the libraries of that toolkit.
#include "input/cubin.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "input/elf.hpp"
#include "input/text.hpp"

namespace occcalc::input {

namespace {

constexpr std::uint64_t symbol_size = 24;
constexpr std::int64_t reserved_bytes = 1024;  // of shared memory, for the driver, per block
constexpr int first_new_abi = 8;               // the layout of CUDA 13

// Records of .nv.info sections, by NVIDIA's names.
enum class Attribute : std::uint8_t {
  MaxThreads = 0x05,
  ReqNtid = 0x10,
  FrameSize = 0x11,
  RegCount = 0x2f,
  CudaApiVersion = 0x37,
  CtaPerCluster = 0x3d,
  NumBarriers = 0x4c,
  Annotations = 0x55,
};

struct Record {
  std::uint8_t attribute = 0;
  std::uint64_t at = 0;  // of the record
  std::uint16_t value = 0;
  Bytes payload{};  // of the format that has one

  [[nodiscard]] bool is(Attribute which) const { return attribute == static_cast<std::uint8_t>(which); }
  [[nodiscard]] std::uint32_t word(std::uint64_t index) const { return payload.u32(index * 4, "an attribute's value"); }
};

// Each record says how long it is, so that unknown ones are passed over.
template <class Use>
void each_record(Bytes section, const Use& use) {
  constexpr std::uint64_t header = 4;
  for (std::uint64_t at = 0; at < section.size();) {
    const std::uint8_t format = section.u8(at, "an attribute");
    Record record{section.u8(at + 1, "an attribute"), at, section.u16(at + 2, "an attribute"), {}};
    constexpr std::uint8_t without_payload = 3;
    constexpr std::uint8_t with_payload = 4;
    if (format == 0 || format > with_payload) {
      throw Malformed(at, "an attribute of unknown format " + std::to_string(format));
    }
    at += header;
    if (format > without_payload) {
      record.payload = section.part(at, record.value, "an attribute's value");
      at += record.value;
    }
    use(record);
  }
}

int as_count(std::uint64_t number) {
  return static_cast<int>(std::min<std::uint64_t>(number, std::numeric_limits<int>::max()));
}

Dim3 dimensions(const Record& record) {
  const Dim3 block = {as_count(record.word(0)), as_count(record.word(1)), as_count(record.word(2))};
  if (thread_count(block) == 0) {
    throw Malformed(record.at, "an attribute with a dimension of 0");
  }
  return block;
}

// "sm_90a" behind -arch in the command line that ptxas notes; nullopt where there is none for this number.
std::optional<std::string_view> noted_suffix(std::string_view note, const std::string& number) {
  constexpr std::string_view option = "-arch";
  for (std::size_t at = note.find(option); at != std::string_view::npos; at = note.find(option, at + 1)) {
    std::string_view rest = note.substr(at + option.size());
    if (!rest.starts_with(' ') && !rest.starts_with('=')) {
      continue;
    }
    rest.remove_prefix(1);
    const std::string target = "sm_" + number;
    if (rest.starts_with(target)) {
      rest.remove_prefix(target.size());
      return rest.starts_with('a') || rest.starts_with('f') ? rest.substr(0, 1) : std::string_view();
    }
  }
  return std::nullopt;
}

}  // namespace

// One cubin while it is read.
class CubinReader::Module {
 public:
  Module(CubinReader& memory, std::string_view cubin)
      : memory_(memory), elf_(Bytes(cubin)), attribute_bytes_left_(cubin.size()) {
    if (elf_.machine() != Elf::cuda_machine) {
      throw Malformed(0, "is ELF, but no cubin: e_machine is " + std::to_string(elf_.machine()));
    }
    if (elf_.type() != Elf::relocatable && elf_.type() != Elf::executable) {
      throw Malformed(0x10, "e_type is " + std::to_string(elf_.type()) + "; 1 or 2 is read");
    }
    sort_sections();
    find_kernels();
    read_module_attributes();
  }

  void each_kernel(std::string_view arch, const KernelUse& use, const Complaint& complain) {
    if (memory_.kernels_.empty()) {
      return;
    }
    const std::string own = own_arch(arch);
    sort_names();
    for (const Kernel& kernel : memory_.kernels_) {
      try {
        if (kernel.name.empty()) {
          throw Malformed(0, "has no name");
        }
        if (first_of_name(kernel.name) != kernel.symbol) {
          throw Malformed(0, "stands twice in one cubin; the first one is taken");
        }
        KernelRecord record = record_of(kernel);
        record.arch = own;
        use(std::move(record));
      } catch (const Malformed& problem) {
        complain(Malformed(problem.at(), "kernel " + abridged(kernel.name) + ": " + problem.what()));
      }
    }
  }

 private:
  [[nodiscard]] bool is_new() const { return elf_.abi_version() >= first_new_abi; }

  // e_flags: bits 8 to 15 in the new layout, 0 to 7 in the older.
  [[nodiscard]] unsigned sm_number() const { return (is_new() ? elf_.flags() >> 8U : elf_.flags()) & 0xffU; }

  // One look at each section's name.
  void sort_sections() {
    memory_.shared_.clear();
    memory_.info_of_section_.assign(elf_.section_count(), 0);
    for (std::uint32_t i = 1; i < elf_.section_count(); ++i) {
      const ElfSection section = elf_.section(i);
      constexpr std::uint32_t symbol_table = 2;
      constexpr std::uint32_t note = 7;
      constexpr std::uint32_t section_indexes = 18;
      constexpr std::uint32_t nv_info = 0x70000000;
      constexpr std::uint32_t nv_compatibility = 0x70000086;
      constexpr std::string_view shared = ".nv.shared.";
      if (section.type == symbol_table) {
        symbols_ = symbols_ == 0 ? i : symbols_;
      } else if (section.type == section_indexes) {
        section_indexes_ = section_indexes_ == 0 ? i : section_indexes_;
      } else if (section.type == nv_info) {
        sort_info(i, section);
      } else if (section.type == nv_compatibility) {
        compatibility_ = elf_.name(section) == ".nv.compat" ? i : compatibility_;
      } else if (section.type == note) {
        note_ = elf_.name(section) == ".note.nv.tkinfo" ? i : note_;
      } else if (elf_.name_begins(section, shared)) {
        memory_.shared_.push_back({elf_.name(section).substr(shared.size()), i});
      }
    }
    std::stable_sort(memory_.shared_.begin(), memory_.shared_.end(), by_name);
  }

  // Of the module, or of one function: then sh_info is the section of its code.
  void sort_info(std::uint32_t index, const ElfSection& section) {
    const std::string_view name = elf_.name(section);
    if (name == ".nv.info") {
      module_info_ = module_info_ == 0 ? index : module_info_;
    } else if (name.starts_with(".nv.info.") && section.info < elf_.section_count()) {
      std::uint32_t& place = memory_.info_of_section_[section.info];
      place = place == 0 ? index : place;
    }
  }

  static bool by_name(const Named& a, const Named& b) { return a.name < b.name; }

  // The first of that name; nullptr if there is none.
  [[nodiscard]] static const Named* find(const std::vector<Named>& sorted, std::string_view name) {
    const auto found = std::lower_bound(sorted.begin(), sorted.end(), Named{name}, by_name);
    return found != sorted.end() && found->name == name ? &*found : nullptr;
  }

  // A kernel is a function whose symbol has STO_CUDA_ENTRY.
  void find_kernels() {
    memory_.kernels_.clear();
    memory_.kernel_of_symbol_.clear();
    if (symbols_ == 0) {
      return;
    }
    const ElfSection table = elf_.section(symbols_);
    const Bytes symbols = elf_.content(table);
    if (table.link >= elf_.section_count()) {
      throw Malformed(table.offset, "the symbol table names section " + std::to_string(table.link) + " of " +
                                        std::to_string(elf_.section_count()) + " for its names");
    }
    const Bytes names = elf_.content(elf_.section(table.link));
    const auto count = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(symbols.size() / symbol_size, std::numeric_limits<std::uint32_t>::max()));
    memory_.kernel_of_symbol_.assign(count, 0);
    for (std::uint32_t i = 1; i < count; ++i) {
      const Bytes symbol = symbols.part(i * symbol_size, symbol_size, "a symbol");
      const std::uint32_t name = symbol.u32(0, "a symbol");
      constexpr unsigned function = 2;  // STT_FUNC
      constexpr unsigned entry = 0x10;  // STO_CUDA_ENTRY
      const bool is_function = (symbol.u8(4, "a symbol") & 0xfU) == function;
      if (is_function && (symbol.u8(5, "a symbol") & entry) != 0) {
        add_kernel(names.text(name, "a symbol's name"), i, section_of(symbol, i));
      } else if (!is_function) {
        note_reserve(names, name, symbol);
      }
    }
  }

  // 0: defined elsewhere. Numbers too large for the symbol stand in a table beside it: ptxas writes one where a module
  // has more than some 16,000 kernels.
  [[nodiscard]] std::uint32_t section_of(Bytes symbol, std::uint32_t number) const {
    constexpr std::uint32_t first_reserved = 0xff00;
    constexpr std::uint32_t in_table = 0xffff;
    const std::uint32_t section = symbol.u16(6, "a symbol");
    if (section == in_table && section_indexes_ != 0) {
      return elf_.content(elf_.section(section_indexes_)).u32(number * std::uint64_t{4}, "the section of a symbol");
    }
    return section < first_reserved ? section : std::numeric_limits<std::uint32_t>::max();
  }

  void add_kernel(std::string_view name, std::uint32_t symbol, std::uint32_t text_section) {
    if (text_section == 0) {
      return;
    }
    Kernel kernel{name, symbol, text_section};
    if (text_section < memory_.info_of_section_.size()) {
      kernel.info_section = memory_.info_of_section_[text_section];
    }
    memory_.kernels_.push_back(kernel);
    memory_.kernel_of_symbol_[symbol] = static_cast<std::uint32_t>(memory_.kernels_.size());
  }

  void sort_names() {
    memory_.names_.clear();
    for (const Kernel& kernel : memory_.kernels_) {
      memory_.names_.push_back({kernel.name, kernel.symbol});
    }
    std::stable_sort(memory_.names_.begin(), memory_.names_.end(), by_name);
  }

  [[nodiscard]] std::uint32_t first_of_name(std::string_view name) const { return find(memory_.names_, name)->index; }

  // Marks of the 1,024 bytes that linked cubins from 9.0 on count into .nv.shared sections.
  void note_reserve(Bytes names, std::uint64_t name, Bytes symbol) {
    constexpr std::string_view prefix = ".nv.reservedSmem.";
    const std::string_view all = names.view();
    if (name > all.size() || !all.substr(name).starts_with(prefix)) {
      return;
    }
    const std::string_view which = names.text(name + prefix.size(), "a symbol's name");
    if (which == "cap") {
      constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
      const std::uint64_t value = std::min(symbol.u64(8, "a symbol"), most);
      reserve_ = value != 0 ? static_cast<std::int64_t>(value) : reserve_.value_or(reserved_bytes);
    } else if (which == "offset0") {
      reserve_ = reserve_.value_or(reserved_bytes);
    }
  }

  // Registers and stack frames of all functions, kernels or not.
  void read_module_attributes() {
    if (module_info_ == 0) {
      return;
    }
    each_record(elf_.content(elf_.section(module_info_)), [this](const Record& record) {
      const bool is_registers = record.is(Attribute::RegCount);
      if (!is_registers && !record.is(Attribute::FrameSize)) {
        return;
      }
      const std::uint32_t symbol = record.word(0);
      const std::uint32_t number = symbol < memory_.kernel_of_symbol_.size() ? memory_.kernel_of_symbol_[symbol] : 0;
      if (number != 0) {
        Kernel& kernel = memory_.kernels_[number - 1];
        (is_registers ? kernel.registers : kernel.stack_frame) = record.word(1);
      }
    });
  }

  [[nodiscard]] KernelRecord record_of(const Kernel& kernel) {
    if (kernel.text_section >= elf_.section_count()) {
      throw Malformed(0, "lies in none of the " + std::to_string(elf_.section_count()) + " sections of its cubin");
    }
    KernelRecord record;
    record.kernel = kernel.name;
    record.linked = elf_.type() == Elf::executable;
    record.registers_per_thread = registers_of(kernel);
    if (kernel.stack_frame >= 0) {
      record.stack_frame = kernel.stack_frame;
    }
    record.static_shared_memory = static_memory(kernel);
    read_attributes(kernel, record);
    if (!is_new()) {
      record.barriers = barriers_of_flags(kernel);
    }
    return record;
  }

  // Cubins that an assembler made have no record; the code's section states it, on parts before 9.0.
  [[nodiscard]] int registers_of(const Kernel& kernel) const {
    std::int64_t registers = kernel.registers;
    if (registers < 0) {
      const std::uint32_t info = elf_.section(kernel.text_section).info;
      constexpr unsigned first_bit = 24;
      const bool is_of_kernel = (info & ((1U << first_bit) - 1)) == kernel.symbol;
      registers = is_of_kernel && info >> first_bit != 0 ? std::int64_t{info >> first_bit} : registers;
    }
    constexpr std::int64_t most = 255;
    if (registers <= 0 || registers > most) {
      throw Malformed(
          0, registers < 0 ? "its number of registers is missing" : "has " + std::to_string(registers) + " registers");
    }
    return static_cast<int>(registers);
  }

  [[nodiscard]] std::int64_t static_memory(const Kernel& kernel) const {
    const Named* const named = find(memory_.shared_, kernel.name);
    if (named == nullptr) {
      return 0;
    }
    const ElfSection section = elf_.section(named->index);
    constexpr std::uint64_t most = std::uint64_t{1} << 40;  // nothing has as much
    if (section.size > most) {
      throw Malformed(section.offset, "has " + std::to_string(section.size) + " bytes of shared memory");
    }
    const auto size = static_cast<std::int64_t>(section.size);
    const bool includes_reserve = elf_.type() == Elf::executable;
    const std::int64_t reserve = !includes_reserve ? 0 : reserve_.value_or(has_reserved_section() ? reserved_bytes : 0);
    if (size < reserve) {
      throw Malformed(section.offset, "has " + std::to_string(size) +
                                          " bytes of shared memory, less than the reserve of " +
                                          std::to_string(reserve));
    }
    return size - reserve;
  }

  [[nodiscard]] bool has_reserved_section() const { return find(memory_.shared_, "reserved.0") != nullptr; }

  void read_attributes(const Kernel& kernel, KernelRecord& record) {
    if (is_new()) {
      record.barriers = 0;  // no record: none
    }
    if (kernel.info_section == 0) {
      return;
    }
    const Bytes attributes = elf_.content(elf_.section(kernel.info_section));
    if (attributes.size() > attribute_bytes_left_) {  // they would be read once for each of many kernels
      throw Malformed(0, "its attributes are those of other kernels too");
    }
    attribute_bytes_left_ -= attributes.size();
    std::uint32_t toolkit = 0;
    std::optional<int> spills;
    each_record(attributes, [&](const Record& one) {
      switch (static_cast<Attribute>(one.attribute)) {
        case Attribute::MaxThreads: record.max_threads_per_block = thread_count(dimensions(one)); break;
        case Attribute::ReqNtid: record.required_block = dimensions(one); break;
        case Attribute::CtaPerCluster:
          record.cluster = dimensions(one);
          record.cluster_is_required = record.cluster.has_value();
          break;
        case Attribute::CudaApiVersion: toolkit = one.word(0); break;
        case Attribute::NumBarriers: record.barriers = is_new() ? one.value & 0xff : 0; break;
        case Attribute::Annotations: spills = spills.value_or(0) + spill_count(one); break;
        default: break;
      }
    });
    constexpr std::uint32_t first_annotating = 130;  // CUDA 13.0 notes every spill: no note, no spill
    record.spill_instructions = spills ? spills : toolkit >= first_annotating ? std::optional(0) : std::nullopt;
  }

  // Pairs of a kind and a place in the code; kind 1 is a spill.
  [[nodiscard]] static int spill_count(const Record& record) {
    int count = 0;
    constexpr std::uint64_t pair_bytes = 8;
    for (std::uint64_t i = 0; i < record.payload.size() / pair_bytes; ++i) {
      count += record.word(2 * i) == 1 ? 1 : 0;
    }
    return count;
  }

  // sh_flags of the code, bits 20 to 26, in the older layout.
  [[nodiscard]] int barriers_of_flags(const Kernel& kernel) const {
    constexpr unsigned first_bit = 20;
    return static_cast<int>((elf_.section(kernel.text_section).flags >> first_bit) & 0x7fU);
  }

  // The suffix is not in the ELF header: a fatbin knows it, or the command line of ptxas, or an attribute.
  [[nodiscard]] std::string own_arch(std::string_view of_container) const {
    const std::string number = std::to_string(sm_number());
    const std::string name = "sm_" + number;
    if (!of_container.empty()) {
      const std::string_view plain = of_container.ends_with('a') || of_container.ends_with('f')
                                         ? of_container.substr(0, of_container.size() - 1)
                                         : of_container;
      if (plain != name) {
        throw Malformed(0, "is a cubin for " + name + " in an entry for " + std::string(of_container));
      }
      return std::string(of_container);
    }
    if (note_ != 0) {
      if (const auto suffix = noted_suffix(elf_.content(elf_.section(note_)).view(), number)) {
        return name + std::string(*suffix);
      }
    }
    return name + (has_accelerated_attribute() || has_accelerated_flag() ? "a" : "");
  }

  [[nodiscard]] bool has_accelerated_attribute() const {
    constexpr std::uint8_t accelerated = 9;
    bool found = false;
    if (compatibility_ != 0) {
      each_record(elf_.content(elf_.section(compatibility_)), [&found](const Record& record) {
        found = found || (record.attribute == accelerated && (record.value & 0xffU) == 1);
      });
    }
    return found;
  }

  // Bit 11 of the older layout means something else before 9.0.
  [[nodiscard]] bool has_accelerated_flag() const {
    constexpr unsigned first = 90;
    constexpr std::uint32_t bit = 0x800;
    return !is_new() && sm_number() >= first && (elf_.flags() & bit) != 0;
  }

  CubinReader& memory_;
  Elf elf_;
  std::uint64_t attribute_bytes_left_;  // more than all kernels together can have
  std::uint32_t symbols_ = 0;           // sections; 0: none
  std::uint32_t section_indexes_ = 0;
  std::uint32_t module_info_ = 0;
  std::uint32_t compatibility_ = 0;
  std::uint32_t note_ = 0;
  std::optional<std::int64_t> reserve_;
};

void CubinReader::read(std::string_view cubin, std::string_view arch, const KernelUse& use, const Complaint& complain) {
  Module(*this, cubin).each_kernel(arch, use, complain);
}

}  // namespace occcalc::input
