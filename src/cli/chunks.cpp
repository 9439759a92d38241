#include "cli/chunks.hpp"

#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace occcalc::cli {

namespace {

constexpr std::int64_t chunk_rows = 8192;

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

// Workers fill slots ahead of the consumer, who empties them in order.
class Pipeline {
 public:
  Pipeline(std::int64_t rows, const std::function<Chunk(std::int64_t, std::int64_t)>& make, std::size_t workers)
      : rows_(rows), chunks_((rows + chunk_rows - 1) / chunk_rows), make_(make), slots_(2 * workers) {
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

  void drain(const std::function<bool(Chunk&&)>& take) {
    for (std::int64_t chunk = 0; chunk < chunks_; ++chunk) {
      if (!take(threads_.empty() ? make_chunk(chunk) : wait_for(chunk))) {
        return;
      }
    }
  }

 private:
  Chunk wait_for(std::int64_t chunk) {
    std::unique_lock lock(mutex_);
    std::optional<Chunk>& slot = slots_[static_cast<std::size_t>(chunk) % slots_.size()];
    changed_.wait(lock, [&] { return slot.has_value() || failure_ != nullptr; });
    if (failure_ != nullptr) {
      std::rethrow_exception(failure_);
    }
    Chunk result = std::exchange(slot, std::nullopt).value();
    ++taken_;
    changed_.notify_all();
    return result;
  }

  // The next chunk to make, once there is a slot for it; nullopt at the end.
  std::optional<std::int64_t> claim() {
    std::unique_lock lock(mutex_);
    const auto window = static_cast<std::int64_t>(slots_.size());
    changed_.wait(lock,
                  [&] { return stopped_ || failure_ != nullptr || claimed_ >= chunks_ || claimed_ < taken_ + window; });
    if (stopped_ || failure_ != nullptr || claimed_ >= chunks_) {
      return std::nullopt;
    }
    return claimed_++;
  }

  [[nodiscard]] Chunk make_chunk(std::int64_t chunk) const {
    const std::int64_t begin = chunk * chunk_rows;
    return make_(begin, std::min(rows_, begin + chunk_rows));
  }

  void work() {
    while (const std::optional<std::int64_t> chunk = claim()) {
      try {
        Chunk made = make_chunk(*chunk);
        const std::lock_guard lock(mutex_);
        slots_[static_cast<std::size_t>(*chunk) % slots_.size()] = std::move(made);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
      }
      changed_.notify_all();
    }
  }

  std::int64_t rows_;
  std::int64_t chunks_;
  const std::function<Chunk(std::int64_t, std::int64_t)>& make_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<Chunk>> slots_;
  std::int64_t claimed_ = 0;
  std::int64_t taken_ = 0;
  bool stopped_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace

void run_chunks(std::int64_t rows, const std::function<Chunk(std::int64_t, std::int64_t)>& make,
                const std::function<bool(Chunk&&)>& take) {
  if (rows <= chunk_rows) {
    if (rows > 0) {
      take(make(0, rows));
    }
    return;
  }
  constexpr unsigned most_workers = 8;
  Pipeline pipeline(rows, make, std::clamp(std::thread::hardware_concurrency(), 1U, most_workers));
  pipeline.drain(take);
}

}  // namespace occcalc::cli
