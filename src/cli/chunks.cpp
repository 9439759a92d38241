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
constexpr std::int64_t chunk_rows = 512;

// Threads that are started meanwhile receive no signals.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
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
  chunk.failing = {};
  chunk.errors.clear();
}

// Workers fill slots ahead of the consumer, who empties them in order.
class Pipeline {
 public:
  Pipeline(Task first, const std::function<Task()>& next, std::size_t workers)
      : first_(std::move(first)), next_(next), slots_(2 * workers) {
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
    changed_.notify_all();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

  void drain(const std::function<bool(const Chunk&)>& take) {
    for (;;) {
      const Slot* const slot = threads_.empty() ? make_next() : wait_for_next();
      if (slot == nullptr || !take(slot->chunk)) {
        return;
      }
      {
        const std::lock_guard lock(mutex_);
        slot_of(taken_).is_done = false;
        ++taken_;
      }
      changed_.notify_all();
    }
  }

 private:
  struct Slot {
    Chunk chunk;
    bool is_done = false;
  };

  Slot& slot_of(std::size_t index) { return slots_[index % slots_.size()]; }

  Task next_task() { return first_ ? std::exchange(first_, nullptr) : next_(); }

  // By the consumer, where there are no workers; nullptr at the end.
  const Slot* make_next() {
    const Task task = next_task();
    if (!task) {
      return nullptr;
    }
    Slot& slot = slot_of(taken_);
    clear(slot.chunk);
    task(slot.chunk);
    return &slot;
  }

  const Slot* wait_for_next() {
    std::unique_lock lock(mutex_);
    const Slot& slot = slot_of(taken_);
    changed_.wait(lock, [&] { return slot.is_done || failure_ != nullptr || (ended_ && taken_ == claimed_); });
    if (failure_ != nullptr) {
      std::rethrow_exception(failure_);
    }
    return slot.is_done ? &slot : nullptr;
  }

  // Waits for a free slot, then for a task to fill it with; false at the end. One worker at a time, so that slots and
  // tasks are in the same order.
  bool claim(Task& task, Slot*& slot) {
    const std::lock_guard one_at_a_time(source_mutex_);
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return is_over() || claimed_ < taken_ + slots_.size(); });
      if (is_over()) {
        return false;
      }
    }
    task = next_task();  // may wait for input: without the lock that the consumer needs
    const std::lock_guard lock(mutex_);
    ended_ = !task;
    slot = ended_ ? nullptr : &slot_of(claimed_++);
    return !ended_;
  }

  [[nodiscard]] bool is_over() const { return stopped_ || ended_ || failure_ != nullptr; }

  void work() {
    try {
      Task task;
      Slot* slot = nullptr;
      while (claim(task, slot)) {
        clear(slot->chunk);
        task(slot->chunk);
        {
          const std::lock_guard lock(mutex_);
          slot->is_done = true;
        }
        changed_.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
    changed_.notify_all();
  }

  Task first_;
  const std::function<Task()>& next_;
  std::mutex source_mutex_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Slot> slots_;
  std::size_t claimed_ = 0;
  std::size_t taken_ = 0;
  bool ended_ = false;
  bool stopped_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace

std::function<Task()> tasks_of(std::int64_t rows, std::function<void(std::int64_t, std::int64_t, Chunk&)> make) {
  return [rows, make = std::move(make), next = std::int64_t{0}]() mutable -> Task {
    if (next == rows) {
      return nullptr;
    }
    const std::int64_t begin = next;
    next = std::min(rows, begin + chunk_rows);
    return [&make, begin, end = next](Chunk& chunk) {
      chunk.rows = end - begin;
      make(begin, end, chunk);
    };
  };
}

void run_chunks(const std::function<Task()>& next, const std::function<bool(const Chunk&)>& take) {
  // The first alone: most sweeps are no longer, and need no threads.
  const Task first = next();
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
  Task second = next();
  if (second) {
    constexpr unsigned most_workers = 8;
    Pipeline pipeline(std::move(second), next, std::clamp(std::thread::hardware_concurrency(), 1U, most_workers));
    pipeline.drain(take);
  }
}

}  // namespace occcalc::cli
