// Rows as text: the program against the usual ways to write the same rows, side by side in one run, and its memory.
//   rows-bench PROGRAM
// Every figure is a rate of one round; the ratio is of the medians. Rows are those of one sweep of ten million.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "occcalc/occcalc.hpp"
#include "report/sentences.hpp"

namespace {

using namespace occcalc;

constexpr int rounds = 5;
constexpr std::int64_t all_rows = std::int64_t{32} * 240 * 1303;
const std::vector<std::string> sweep = {"--arch", "sm_90",  "--block",    "32:1024", "--regs",
                                        "16:255", "--smem", "0:227K:178", "--format"};

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

[[noreturn]] void fail(const std::string& what) {
  fmt::print(stderr, "rows-bench: {}\n", what);
  std::exit(2);
}

// Runs the program with its output at `descriptor`; its peak memory in bytes.
std::int64_t run_program(const std::string& program, std::vector<std::string> words, int descriptor) {
  words.insert(words.begin(), program);
  const pid_t child = fork();
  if (child == 0) {
    dup2(descriptor, STDOUT_FILENO);
    std::vector<char*> arguments;
    for (std::string& word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    execv(program.c_str(), arguments.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
    fail("the program failed");
  }
  return std::int64_t{usage.ru_maxrss} * 1024;
}

std::vector<std::string> sweep_in(const std::string& format) {
  std::vector<std::string> words = sweep;
  words.push_back(format);
  return words;
}

using report::Row;

// Evaluates a sample of the sweep's rows, spread over all of it, in its order.
void for_sample(const std::function<void(const Row&)>& use) {
  static const OccupancyTable table(find_architecture("sm_90")->limits);
  Row row;
  row.arch = "sm_90";
  row.architecture = find_architecture("sm_90");
  for (int threads = 32; threads <= 1024; threads += 32) {
    for (int registers = 16; registers <= 255; ++registers) {
      for (std::int64_t bytes = 0; bytes <= 227 * 1024; bytes += 178 * 60) {
        row.kernel.registers_per_thread = registers;
        row.launch = {.block = {threads}, .dynamic_shared_memory = bytes};
        row.occupancy = table.compute(row.kernel, row.launch);
        row.reasons = find_reasons(row.architecture->limits, row.kernel, row.launch, row.occupancy);
        use(row);
      }
    }
  }
}

std::int64_t sample_size() {
  std::int64_t rows = 0;
  for_sample([&rows](const Row&) { ++rows; });
  return rows;
}

std::vector<std::string> limiters(const Row& row) {
  std::vector<std::string> names;
  for (const Resource resource : all_resources) {
    if (row.occupancy.limiters.contains(resource)) {
      names.emplace_back(to_string(resource));
    }
  }
  return names;
}

std::vector<std::string_view> codes(const Row& row) {
  std::vector<std::string_view> codes;
  for (const Reason& reason : row.reasons) {
    codes.push_back(to_string(reason.code));
  }
  return codes;
}

std::string limit(const Row& row, Resource resource) {
  const auto ceiling = row.occupancy.ceiling(resource);
  return ceiling ? fmt::format("{}", *ceiling) : "";
}

std::string formatted(const Row& row, fmt::string_view format) {
  const Occupancy& a = row.occupancy;
  return fmt::format(
      fmt::runtime(format), "sm_90", a.threads_per_block, a.warps_per_block, *row.kernel.registers_per_thread,
      row.kernel.static_shared_memory, row.launch.dynamic_shared_memory, row.kernel.barriers, a.shared_memory_per_sm,
      a.active_blocks_per_sm, a.active_warps_per_sm, a.max_warps_per_sm, a.active_blocks_per_sm * a.threads_per_block,
      2048, a.fraction(), fmt::join(limiters(row), "+"), limit(row, Resource::Warps), limit(row, Resource::Blocks),
      limit(row, Resource::Registers), limit(row, Resource::SharedMemory), limit(row, Resource::Barriers),
      limit(row, Resource::VirtualResources), *a.allocated_registers_per_block, a.allocated_shared_memory_per_block,
      a.launchable(), fmt::join(codes(row), "+"));
}

void write_formatted(int descriptor) {
  const std::string format = "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n";
  std::string text;
  for_sample([&](const Row& row) {
    text += formatted(row, format);
    if (text.size() > 60000) {
      static_cast<void>(write(descriptor, text.data(), text.size()) > 0);
      text.clear();
    }
  });
}

nlohmann::json reasons_of(const Row& row) {
  nlohmann::json reasons = nlohmann::json::array();
  for (const Reason& reason : row.reasons) {
    reasons.push_back({{"code", to_string(reason.code)},
                       {"message", report::sentence(reason, row)},
                       {"requested", reason.requested},
                       {"allowed", reason.allowed},
                       {"excess", reason.requested - reason.allowed}});
  }
  return reasons;
}

nlohmann::json object_of(const Row& row) {
  const Occupancy& a = row.occupancy;
  const auto number = [&a](Resource resource) {
    const auto ceiling = a.ceiling(resource);
    return ceiling ? nlohmann::json(*ceiling) : nlohmann::json(nullptr);
  };
  return {{"schema", "occcalc/1"},
          {"compute_capability", "9.0"},
          {"arch", "sm_90"},
          {"threads_per_block", a.threads_per_block},
          {"warps_per_block", a.warps_per_block},
          {"registers_per_thread", *row.kernel.registers_per_thread},
          {"static_shared_memory", row.kernel.static_shared_memory},
          {"dynamic_shared_memory", row.launch.dynamic_shared_memory},
          {"barriers", row.kernel.barriers},
          {"shared_memory_per_sm", a.shared_memory_per_sm},
          {"active_blocks_per_sm", a.active_blocks_per_sm},
          {"active_warps_per_sm", a.active_warps_per_sm},
          {"max_warps_per_sm", a.max_warps_per_sm},
          {"active_threads_per_sm", a.active_blocks_per_sm * a.threads_per_block},
          {"max_threads_per_sm", 2048},
          {"occupancy", a.fraction()},
          {"limiters", limiters(row)},
          {"limit_warps", number(Resource::Warps)},
          {"limit_blocks", number(Resource::Blocks)},
          {"limit_registers", number(Resource::Registers)},
          {"limit_shared_memory", number(Resource::SharedMemory)},
          {"limit_barriers", number(Resource::Barriers)},
          {"limit_virtual_resources", number(Resource::VirtualResources)},
          {"allocated_registers_per_block", *a.allocated_registers_per_block},
          {"allocated_shared_memory_per_block", a.allocated_shared_memory_per_block},
          {"launchable", a.launchable()},
          {"reasons", reasons_of(row)}};
}

void write_objects(int descriptor) {
  std::string text;
  for_sample([&](const Row& row) {
    text += object_of(row).dump() + "\n";
    if (text.size() > 60000) {
      static_cast<void>(write(descriptor, text.data(), text.size()) > 0);
      text.clear();
    }
  });
}

// Calls `produce` with the writing end of a pipe that a child empties.
void through_pipe(const std::function<void(int)>& produce) {
  int ends[2];
  if (pipe(ends) != 0) {
    fail("no pipe");
  }
  const pid_t reader = fork();
  if (reader == 0) {
    close(ends[1]);
    std::vector<char> buffer(1 << 16);
    while (read(ends[0], buffer.data(), buffer.size()) > 0) {
    }
    _exit(0);
  }
  close(ends[0]);
  produce(ends[1]);
  close(ends[1]);
  waitpid(reader, nullptr, 0);
}

std::int64_t bytes_of(const std::string& program, const std::string& format) {
  int ends[2];
  if (pipe(ends) != 0) {
    fail("no pipe");
  }
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    run_program(program, sweep_in(format), ends[1]);
    _exit(0);
  }
  close(ends[1]);
  std::vector<char> buffer(1 << 16);
  std::int64_t bytes = 0;
  for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    bytes += got;
  }
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return bytes;
}

void write_raw(int descriptor, std::int64_t bytes) {
  const std::vector<char> block(1 << 16, 'x');
  while (bytes > 0) {
    const ssize_t written =
        write(descriptor, block.data(), static_cast<std::size_t>(std::min<std::int64_t>(bytes, 1 << 16)));
    if (written <= 0) {
      fail("cannot write");
    }
    bytes -= written;
  }
}

struct Measure {
  std::string name;
  double units;  // rows or bytes of one round
  std::function<void()> work;
  std::vector<double> rates{};

  [[nodiscard]] double median() const {
    std::vector<double> sorted = rates;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

// Measures in turn, so that what disturbs the machine disturbs all.
void compare(std::vector<Measure> measures, std::string_view unit, double wanted) {
  for (int round = 0; round < rounds; ++round) {
    for (Measure& measure : measures) {
      measure.rates.push_back(measure.units / seconds(measure.work));
    }
  }
  for (const Measure& measure : measures) {
    const auto [least, most] = std::minmax_element(measure.rates.begin(), measure.rates.end());
    fmt::print("{:<44} {:>9.2f} {}  ({:.2f} to {:.2f})\n", measure.name, measure.median() / 1e6, unit, *least / 1e6,
               *most / 1e6);
  }
  fmt::print("{:<44} {:>9.2f} times, wanted {}\n\n", "ratio", measures.back().median() / measures.front().median(),
             wanted);
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    fail("give the program");
  }
  const std::string program = words[1];
  const int null = open("/dev/null", O_WRONLY);
  const auto sample = static_cast<double>(sample_size());
  const auto rows = static_cast<double>(all_rows);
  const auto to_null = [&](const std::string& format) { run_program(program, sweep_in(format), null); };

  compare({{"csv: run-time fmt::format, one thread", sample, [&] { write_formatted(null); }},
           {"csv: occcalc", rows, [&] { to_null("csv"); }}},
          "M rows/s", 20);
  compare({{"jsonl: nlohmann objects dumped, one thread", sample, [&] { write_objects(null); }},
           {"jsonl: occcalc", rows, [&] { to_null("jsonl"); }}},
          "M rows/s", 60);
  const std::int64_t bytes = bytes_of(program, "csv");
  compare({{"pipe: raw bytes", static_cast<double>(bytes),
            [&] { through_pipe([&](int descriptor) { write_raw(descriptor, bytes); }); }},
           {"pipe: occcalc csv", static_cast<double>(bytes),
            [&] { through_pipe([&](int descriptor) { run_program(program, sweep_in("csv"), descriptor); }); }}},
          "MB/s", 0.6);
  for (const char* const format : {"table", "csv", "json", "jsonl", "markdown"}) {
    fmt::print("peak memory, ten million rows as {:<9} {:>5.1f} MB, wanted below 32\n", format,
               static_cast<double>(run_program(program, sweep_in(format), null)) / 1e6);
  }
  std::vector<std::string> sorted = sweep_in("csv");
  sorted.insert(sorted.end(), {"--sort", "occupancy:desc", "--top", "1000"});
  fmt::print("peak memory, the 1,000 best of them          {:>5.1f} MB, wanted below 32\n",
             static_cast<double>(run_program(program, sorted, null)) / 1e6);
  return 0;
}
