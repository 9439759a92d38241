// Kernels in JSON: traces of PyTorch's profiler, and what Triton writes beside each cubin. Kineto is read as its
// sources write it (pytorch/kineto: libkineto/src/output_json.cpp, CuptiActivity.cpp, CudaDeviceProperties.cpp).
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "input/json_text.hpp"
#include "input/text.hpp"
#include "occcalc/compute_capability.hpp"
#include "occcalc/readers.hpp"

namespace occcalc {

namespace {

using input::JsonCursor;
using nlohmann::json;

constexpr std::size_t most_levels = 64;
constexpr std::int64_t most_int = 2147483647;

// The text, byte by byte; `reached` follows the parser, which tells no position of what it finds.
class Bytes {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Bytes(const char* at, const char** reached) : at_(at), reached_(reached) {}
  const char& operator*() const { return *at_; }
  Bytes& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  Bytes operator++(int) {
    const Bytes before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const Bytes& a, const Bytes& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  const char** reached_;
};

// The members that are looked at; all others are passed over.
bool is_wanted(std::string_view key) {
  constexpr std::array<std::string_view, 27> wanted = {"name",
                                                       "cat",
                                                       "ph",
                                                       "dur",
                                                       "args",
                                                       "device",
                                                       "registers per thread",
                                                       "shared memory",
                                                       "grid",
                                                       "block",
                                                       "est. achieved occupancy %",  // events
                                                       "id",
                                                       "computeMajor",
                                                       "computeMinor",
                                                       "major",
                                                       "minor",
                                                       "maxSharedMemoryPerMultiProcessor",  // devices
                                                       "num_warps",
                                                       "warp_size",
                                                       "shared",
                                                       "num_ctas",
                                                       "cluster_dims",
                                                       "target",
                                                       "arch",
                                                       "backend",
                                                       "backend_name",
                                                       "child_paths"};  // Triton
  return std::find(wanted.begin(), wanted.end(), key) != wanted.end();
}

// Traces have hundreds of megabytes: a document is never held, only the wanted members of the object at hand. These
// are the objects of one list ("": the list that the document itself is), and the document.
class Document : public nlohmann::json_sax<json> {
 public:
  using Use = std::function<void(const json& item, std::int64_t line)>;

  enum class Extent : std::uint8_t { All, ToEndOfList };

  Document(std::initializer_list<std::string_view> lists, Extent extent, Use use)
      : lists_(lists), extent_(extent), use_(std::move(use)) {}

  // False: stopped, at the end of the list or at what error() tells.
  bool read(std::string_view text) {
    counted_ = reached_ = text.data();
    end_ = text.data() + text.size();
    return json::sax_parse(Bytes(reached_, &reached_), Bytes(end_, &reached_), this);
  }
  [[nodiscard]] const json& root() const noexcept { return root_; }
  [[nodiscard]] bool has_list() const noexcept { return has_list_; }
  [[nodiscard]] const std::string& error() const noexcept { return error_; }
  [[nodiscard]] std::int64_t line() {
    line_ += std::count(counted_, reached_, '\n');
    counted_ = reached_;
    return line_;
  }

  bool null() override { return true; }  // as if it were not there
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    constexpr double most_exact = 9007199254740992.0;
    const bool is_whole = std::abs(value) <= most_exact && value == std::trunc(value);  // "1024.000000"
    return is_whole ? put(static_cast<std::int64_t>(value)) : put(value);
  }
  bool string(string_t& value) override { return put(value); }
  bool binary(binary_t& /*value*/) override { return true; }
  bool key(string_t& name) override {
    key_.swap(name);
    return true;
  }
  bool start_object(std::size_t /*size*/) override { return open(json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*size*/) override { return open(json::array()); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/, const json::exception& error) override {
    constexpr int out_of_range = 406;
    if (error.id == out_of_range) {
      error_ = "found a number beyond 1.8e308; accepted: numbers below that";
    } else if (reached_ == end_) {
      error_ = "found the end of the text; accepted: JSON up to its own end; is the text cut off?";
    } else {
      error_ = "found " + stumbling_block() + "; accepted: JSON";
    }
    return false;
  }

 private:
  // The byte that the parser could not take, and the rest of its line.
  [[nodiscard]] std::string stumbling_block() const {
    const char* const from = reached_ - 1;
    std::string found = input::abridged({from, std::find(reached_, end_, '\n')});
    std::replace_if(
        found.begin(), found.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return found;
  }

  // Where the next value belongs; nullptr: nowhere.
  json* place() {
    if (levels_.empty()) {
      return &root_;
    }
    if (levels_.size() == list_level_) {
      item_ = nullptr;
      return &item_;
    }
    json* const holder = levels_.back();
    if (holder == nullptr) {
      return nullptr;
    }
    if (holder->is_array()) {
      constexpr std::size_t most_items = 4;  // three dimensions, and one to see that there are more
      return holder->size() < most_items ? &holder->emplace_back() : nullptr;
    }
    return is_wanted(key_) ? &(*holder)[key_] : nullptr;
  }

  template <class Value>
  bool put(const Value& value) {
    if (json* const to = place()) {
      *to = value;
    }
    return true;
  }

  bool open(json container) {
    constexpr std::size_t most_taken = 2;  // `args` of an event, and `grid` therein
    const std::size_t level = levels_.size();
    if (level == most_levels) {
      error_ = "found more than " + std::to_string(most_levels) + " levels of nesting; accepted: at most that many";
      return false;
    }
    const bool opens_list = container.is_array() && is_list(level);
    if (level == list_level_) {
      item_line_ = line();
    }
    json* const to = place();
    if (to != nullptr) {
      *to = std::move(container);
    }
    levels_.push_back(opens_list || level - list_level_ > most_taken ? nullptr : to);
    if (opens_list) {
      has_list_ = true;
      list_level_ = levels_.size();
    }
    return true;
  }

  bool close() {
    levels_.pop_back();
    if (list_level_ != 0 && levels_.size() == list_level_ && item_.is_object()) {
      use_(item_, item_line_);
    }
    if (levels_.size() + 1 != list_level_) {
      return true;
    }
    list_level_ = 0;
    return extent_ == Extent::All;
  }

  [[nodiscard]] bool is_list(std::size_t level) const {
    if (level > 1 || (level == 1 && !root_.is_object())) {
      return false;
    }
    const std::string_view name = level == 0 ? "" : std::string_view(key_);
    return std::find(lists_.begin(), lists_.end(), name) != lists_.end();
  }

  std::vector<std::string_view> lists_;
  Extent extent_;
  Use use_;
  json root_;
  json item_;
  std::string key_;
  std::vector<json*> levels_;  // the open containers; nullptr: not taken
  std::size_t list_level_ = 0;
  bool has_list_ = false;
  std::string error_;
  std::int64_t item_line_ = 0;
  std::int64_t line_ = 1;
  const char* counted_ = nullptr;
  const char* reached_ = nullptr;
  const char* end_ = nullptr;
};

std::string_view text_of(const json& object, const char* key) {
  const auto member = object.find(key);
  return member != object.end() && member->is_string() ? std::string_view(member->get_ref<const std::string&>()) : "";
}

// "kernel" since 2021, "Kernel" before. Copies have a category of their own ("gpu_memcpy", "Memcpy"), and so have the
// arrows from launch to kernel, which are no slices ("ph": "s" and "f").
bool is_kernel(const json& event) {
  const std::string_view phase = text_of(event, "ph");
  return input::equal_ignoring_case(text_of(event, "cat"), "kernel") && (phase == "X" || phase.empty());
}

template <class Number>
void read_number(const JsonCursor& object, const std::string& key, std::int64_t most, std::optional<Number>& field) {
  if (object.has(key)) {
    field = static_cast<Number>(object.at(key).integer(0, most));
  }
}

Dim3 read_dimensions(const JsonCursor& cursor) {
  const std::vector<JsonCursor> items = cursor.items();
  if (items.size() != 3) {
    cursor.fail("three whole numbers");
  }
  const auto size = [&items](std::size_t at) { return static_cast<int>(items[at].integer(1, most_int)); };
  return {size(0), size(1), size(2)};
}

// 90, "90", "sm90" and "sm_90a" are all seen.
std::string read_arch(const JsonCursor& cursor) {
  std::string text = cursor.value().is_number_integer() ? cursor.value().dump() : cursor.text();
  if (text.starts_with("sm") && !text.starts_with("sm_")) {
    text.erase(0, 2);
  }
  const std::optional<ArchName> name = parse_arch_name(text);
  if (!name) {
    cursor.fail("an architecture such as 90 or \"sm_90\"");
  }
  return to_string(*name);
}

// ROCm's devices have computeMajor and computeMinor too (9.4 of an MI300X), which mean no sm_94. Kineto tells their
// memory under a name of its own.
bool is_rocm(const JsonCursor& device) { return device.has("maxSharedMemoryPerMultiProcessor"); }

std::string read_capability(const JsonCursor& device) {
  if (is_rocm(device)) {
    device.complain("found a device of ROCm; accepted: a device of NVIDIA's");
  }
  const bool is_older = device.has("major");
  const std::int64_t major = device.at(is_older ? "major" : "computeMajor").integer(1, 99);
  const std::int64_t minor = device.at(is_older ? "minor" : "computeMinor").integer(0, 9);
  return to_string(ArchName{{static_cast<int>(major), static_cast<int>(minor)}, '\0'});
}

double read_duration(const JsonCursor& microseconds) {
  constexpr double most = 1e15;
  const json& value = microseconds.value();
  const double number = value.is_number() ? value.get<double>() : -1.0;
  if (number < 0 || number > most) {
    microseconds.fail("microseconds from 0 to 1e15");
  }
  return number * 1000;
}

double read_percent(const JsonCursor& cursor) {
  constexpr double whole = 100;
  const double number = cursor.value().is_number() ? cursor.value().get<double>() : -1.0;
  if (number < 0 || number > whole) {
    cursor.fail("a per cent from 0 to 100");
  }
  return number / whole;
}

// Triton launches one block of the cluster's blocks as a plain block: {1, 1, 1} is no cluster. Newer versions have
// num_ctas alone.
std::optional<Dim3> read_cluster(const JsonCursor& kernel) {
  constexpr std::int64_t most_blocks = 1024;
  if (kernel.has("cluster_dims")) {
    const Dim3 dimensions = read_dimensions(kernel.at("cluster_dims"));
    if (thread_count(dimensions) > 1) {
      return dimensions;
    }
  }
  std::optional<int> blocks;
  read_number(kernel, "num_ctas", most_blocks, blocks);
  return blocks.value_or(1) > 1 ? std::optional(Dim3{*blocks, 1, 1}) : std::nullopt;
}

class KernelJsonReader {
 public:
  explicit KernelJsonReader(const KernelSink& sink) : sink_(sink) {}

  void read(std::string_view text) {
    read_devices(text);
    Document document({"", "traceEvents"}, Document::Extent::All,
                      [this](const json& event, std::int64_t line) { read_event(event, line); });
    if (!document.read(text)) {
      sink_.problem(document.line(), document.error());
    } else if (document.root().contains("num_warps")) {
      read_triton(document.root());
    } else if (!has_kernels_) {
      sink_.problem(1, what_it_is(document));
    }
  }

 private:
  // Kineto writes the devices before the events, other programs may write them behind: a pass of its own finds them
  // first, so that no record ever waits for its architecture. It ends with the list of devices, in a file of Kineto's
  // after some kilobytes.
  void read_devices(std::string_view text) {
    if (text.find("Properties\"") == std::string_view::npos) {
      return;
    }
    std::int64_t position = 0;
    Document({"deviceProperties", "computeProperties"}, Document::Extent::ToEndOfList,
             [&](const json& device, std::int64_t line) { read_device(device, position++, line); })
        .read(text);
  }

  // The first traces had no "id": there the position counts.
  void read_device(const json& properties, std::int64_t position, std::int64_t line) {
    attempt(line, [&] {
      const JsonCursor device(properties, "device");
      const std::int64_t id = device.has("id") ? device.at("id").integer(0, most_device) : position;
      if (id > most_device) {
        return;
      }
      if (is_rocm(device)) {
        foreign_.insert(id);
      }
      archs_[id] = read_capability(device);
    });
  }

  // A kernel of a device that is not NVIDIA's; what is wrong with the device has been said.
  [[nodiscard]] bool is_foreign(const json& event) const {
    const auto args = event.find("args");
    const bool has_device = args != event.end() && args->is_object() && args->contains("device");
    const json device = has_device ? args->at("device") : json();
    return device.is_number_integer() && foreign_.contains(device.get<std::int64_t>());
  }

  // "est. achieved occupancy %" and "occupancy" are what Kineto computes from cuda_occupancy.h and the number of blocks
  // in the grid, not measurements; and it computes with the default limit of shared memory, so that kernels which have
  // opted in to more than 48 KiB are given 0 %. The first is taken as the estimate that it is; not so "blocks per SM"
  // and "warps per SM", which are the grid divided by the number of SMs.
  void read_event(const json& event, std::int64_t line) {
    is_trace_ = is_trace_ || event.contains("ph");
    if (!is_kernel(event)) {
      return;
    }
    has_kernels_ = true;
    if (is_foreign(event)) {
      return;
    }
    const JsonCursor cursor(event, "kernel event");
    KernelRecord record;
    record.line = line;
    if (!attempt(line, [&] { record.kernel = cursor.at("name").text(); })) {
      return;
    }
    if (event.contains("dur")) {
      attempt(line, [&] { record.reported.duration_ns = read_duration(cursor.at("dur")); });
    }
    if (event.contains("args")) {
      attempt(line, [&] { read_launch(cursor.at("args"), record); });
    }
    sink_.kernel(std::move(record));
  }

  // "shared memory" is CUPTI's staticSharedMemory + dynamicSharedMemory, in one number. As an occupancy depends on the
  // sum alone, it is all taken as dynamic: of static memory more than 48 KiB would be refused, which a launch that took
  // place was not. CUPTI counts what the kernel declares and the launch adds; Kineto hands the numbers to
  // cuda_occupancy.h, which adds the driver's reserve itself.
  void read_launch(const JsonCursor& args, KernelRecord& record) const {
    constexpr std::int64_t most_registers = 65535;  // CUPTI has 16 bits for them
    static_cast<void>(args.members());              // an object
    attempt(record.line,
            [&] { read_number(args, "registers per thread", most_registers, record.registers_per_thread); });
    attempt(record.line, [&] { read_number(args, "shared memory", most_int, record.dynamic_shared_memory); });
    constexpr const char* estimate = "est. achieved occupancy %";
    if (args.has(estimate)) {
      attempt(record.line, [&] { record.reported.estimated_occupancy = read_percent(args.at(estimate)); });
    }
    for (const auto& [key, field] : {std::pair("grid", &record.grid), std::pair("block", &record.block)}) {
      if (args.has(key)) {
        attempt(record.line, [&args, &key = key, &field = field] { *field = read_dimensions(args.at(key)); });
      }
    }
    std::optional<std::int64_t> device;
    attempt(record.line, [&] { read_number(args, "device", most_int, device); });
    if (const auto arch = archs_.find(device.value_or(-1)); arch != archs_.end()) {
      record.arch = arch->second;
    }
  }

  // A kernel of Triton's cache; the registers are in the cubin beside it.
  void read_triton(const json& root) const {
    const JsonCursor kernel(root, "kernel of Triton");
    KernelRecord record;
    record.line = 1;
    const bool is_cuda = attempt(1, [&] {
      record.kernel = kernel.at("name").text();
      const JsonCursor target = kernel.has("target") ? kernel.at("target") : kernel;
      for (const char* const key : {"backend", "backend_name"}) {
        if (target.has(key) && target.at(key).text() != "cuda") {
          target.at(key).fail("\"cuda\"");
        }
      }
    });
    if (!is_cuda) {
      return;
    }
    attempt(1, [&] { read_number(kernel, "shared", most_int, record.dynamic_shared_memory); });
    attempt(1, [&] { record.cluster = read_cluster(kernel); });
    attempt(1, [&] { read_target(kernel, record); });
    sink_.kernel(std::move(record));
  }

  // Triton's "block size" is a number of elements; the threads are those of its warps.
  void read_target(const JsonCursor& kernel, KernelRecord& record) const {
    constexpr std::int64_t most_warps = 1024;
    constexpr std::int64_t most_warp_size = 128;
    const JsonCursor target = kernel.has("target") ? kernel.at("target") : kernel;  // older: at the top
    attempt(1, [&] {
      const std::int64_t warps = kernel.at("num_warps").integer(1, most_warps);
      const JsonCursor holder = target.has("warp_size") ? target : kernel;
      const std::int64_t size = holder.has("warp_size") ? holder.at("warp_size").integer(1, most_warp_size) : warp_size;
      record.block = Dim3{static_cast<int>(warps * size), 1, 1};
    });
    if (target.has("arch")) {
      record.arch = read_arch(target.at("arch"));
    }
  }

  [[nodiscard]] std::string what_it_is(const Document& document) const {
    if (document.root().is_object() ? document.has_list() : is_trace_) {
      return "found a trace without kernel events; accepted: a trace in which the GPU's activities were recorded";
    }
    if (document.root().contains("child_paths")) {
      return "found Triton's list of a kernel's files; accepted: the <kernel>.json that it names";
    }
    return "found JSON, but neither a trace with kernel events nor what Triton writes of a kernel; accepted: one of "
           "these";
  }

  // What a reader throws is a problem of the kernel at hand; the rest is read. False: it threw.
  template <class Read>
  bool attempt(std::int64_t line, const Read& read) const {
    try {
      read();
      return true;
    } catch (const InputError& error) {
      sink_.problem(line, error.what());
      return false;
    }
  }

  static constexpr std::int64_t most_device = 65535;

  const KernelSink& sink_;
  std::map<std::int64_t, std::string> archs_{};  // by device
  std::set<std::int64_t> foreign_{};             // devices
  bool is_trace_ = false;
  bool has_kernels_ = false;
};

}  // namespace

void read_kernel_json(std::string_view text, const KernelSink& sink) { KernelJsonReader(sink).read(text); }

}  // namespace occcalc
