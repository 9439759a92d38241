#include "cli/chunks.hpp"

#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace occcalc::cli {

namespace {

// Their text stays in the cache of a core, and the chunks of all workers together in a few megabytes.
constexpr std::int64_t chunk_rows = 1024;

// Threads that are started meanwhile receive no signals.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGBUS, SIGSEGV, SIGFPE, SIGILL}) {
      sigdelset(&all, fault);  // they come to the thread that causes them, which must end as main's thread would
    }
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  SignalsBlocked(SignalsBlocked&&) = delete;
  SignalsBlocked& operator=(SignalsBlocked&&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

void clear(Chunk& chunk) {
  chunk.text.clear();
  chunk.rows = 0;
  chunk.bytes = 0;
  chunk.failing = {};
  chunk.errors.clear();
}

// Workers fill slots ahead of the consumer, who empties them in order and helps where that does not make it wait: on
// few cores a consumer that only waits is woken for every chunk, which costs as much as making one.
class Pipeline {
 public:
  Pipeline(Task first, const TaskSource& source, std::size_t cores)
      : first_(std::move(first)), source_(source), slots_(source.ahead * cores) {
    const std::size_t workers = source.may_wait ? cores : cores - 1;
    threads_.reserve(workers);
    const SignalsBlocked blocked;  // in the workers, so that they reach the thread that may wait in a write
    try {
      while (threads_.size() < workers) {
        threads_.emplace_back([this] { work(); });
      }
    } catch (const std::system_error&) {
      // As many as the system allows; without any, the consumer works alone.
    }
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;
  Pipeline(Pipeline&&) = delete;
  Pipeline& operator=(Pipeline&&) = delete;
  ~Pipeline() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    slot_is_free_.notify_all();
    if (source_.stop) {
      source_.stop();
    }
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

  void drain(const std::function<bool(const Chunk&)>& take) {
    while (Slot* const slot = next_done()) {
      if (!take(slot->chunk)) {
        return;
      }
      {
        const std::lock_guard lock(mutex_);
        slot->is_done = false;
        ++taken_;
      }
      slot_is_free_.notify_one();
    }
  }

 private:
  struct Slot {
    Chunk chunk;
    bool is_done = false;
  };

  [[nodiscard]] bool is_over() const { return stopped_ || ended_ || failure_ != nullptr; }
  [[nodiscard]] bool has_free_slot() const { return claimed_ < taken_ + slots_.size(); }
  Slot& slot_of(std::size_t index) { return slots_[index % slots_.size()]; }

  // The next chunk in order; nullptr at the end.
  Slot* next_done() {
    const bool helps = threads_.empty() || !source_.may_wait;
    for (bool helped = helps;;) {
      {
        std::unique_lock lock(mutex_);
        Slot& slot = slot_of(taken_);
        const auto is_ready = [&] { return slot.is_done || failure_ != nullptr || (ended_ && taken_ == claimed_); };
        if (!helped) {
          chunk_is_done_.wait(lock, is_ready);
        }
        if (failure_ != nullptr) {
          std::rethrow_exception(failure_);
        }
        if (is_ready()) {
          return slot.is_done ? &slot : nullptr;
        }
      }
      helped = work_once(std::try_to_lock);
    }
  }

  // Takes a task for the next slot and runs it. Tasks are taken by one thread at a time, so that slots and tasks are in
  // the same order. False at the end, and where `locking` does not wait but would have to, for a thread or a slot.
  template <class... Locking>
  bool work_once(Locking... locking) {
    Task task;
    Slot* slot = nullptr;
    std::uint64_t number = 0;
    {
      const std::unique_lock one_at_a_time(source_mutex_, locking...);
      if (!one_at_a_time.owns_lock()) {
        return false;
      }
      {
        std::unique_lock lock(mutex_);
        if (sizeof...(locking) == 0) {
          slot_is_free_.wait(lock, [&] { return is_over() || has_free_slot(); });
        }
        if (is_over() || !has_free_slot()) {
          return false;
        }
      }
      task = first_ ? std::exchange(first_, nullptr) : source_.next();  // without the lock that the consumer needs
      const std::lock_guard lock(mutex_);
      ended_ = !task;
      slot = ended_ ? nullptr : &slot_of(claimed_++);
      number = claimed_;  // the one before the first of these was made without threads
    }
    if (slot != nullptr) {
      clear(slot->chunk);
      slot->chunk.number = number;
      task(slot->chunk);
      const std::lock_guard lock(mutex_);
      slot->is_done = true;
    }
    chunk_is_done_.notify_one();
    return slot != nullptr;
  }

  void work() {
    try {
      while (work_once()) {
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
    chunk_is_done_.notify_one();
  }

  Task first_;
  const TaskSource& source_;
  std::mutex source_mutex_;
  std::mutex mutex_;
  std::condition_variable slot_is_free_;
  std::condition_variable chunk_is_done_;
  std::vector<Slot> slots_;
  std::size_t claimed_ = 0;
  std::size_t taken_ = 0;
  bool ended_ = false;
  bool stopped_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace

TaskSource tasks_of(std::int64_t rows, std::function<void(std::int64_t, std::int64_t, Chunk&)> make) {
  const auto next_task = [rows, make = std::move(make), next = std::int64_t{0}]() mutable -> Task {
    if (next == rows) {
      return nullptr;
    }
    const std::int64_t begin = next;
    next = std::min(rows, begin + chunk_rows);
    return [&make, begin, end = next](Chunk& chunk) { make(begin, end, chunk); };
  };
  return {next_task, false, nullptr};
}

void run_here(const TaskSource& source, const std::function<bool(const Chunk&)>& take) {
  Chunk chunk;
  for (Task task = source.next(); task; task = source.next()) {
    clear(chunk);
    task(chunk);
    ++chunk.number;
    if (!take(chunk)) {
      return;
    }
  }
}

void run_chunks(const TaskSource& source, const std::function<bool(const Chunk&)>& take) {
  // The first alone: most sweeps are no longer, and need no threads.
  const Task first = source.next();
  if (!first) {
    return;
  }
  {
    Chunk chunk;
    first(chunk);
    if (!take(chunk)) {
      return;
    }
  }
  Task second = source.next();
  if (second) {
    constexpr unsigned most_cores = 8;
    Pipeline pipeline(std::move(second), source, std::clamp(std::thread::hardware_concurrency(), 1U, most_cores));
    pipeline.drain(take);
  }
}

}  // namespace occcalc::cli
