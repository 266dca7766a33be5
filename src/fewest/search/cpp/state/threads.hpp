// Threads for a single job, which are joined when the job ends, and permanent threads for many short jobs.
//
// Usage:
//   Threads threads;
//   threads.start([] {...}); // must not throw
//   ... // the destructor always waits for all threads
//
//   Pool pool;
//   in_pieces(pool, 1000, 2, [&](std::size_t thread, std::size_t piece) {...}, [&](std::size_t) { return !is_over(); });
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <system_error>
#include <thread>
#include <vector>

#include "state/assert.hpp"

namespace fewest {

class Threads {
 public:
  Threads() = default;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() {
    for (std::thread& thread : threads_) thread.join();
  }

  // Returns false if the system provides no more threads; the existing threads must then do the work.
  template <class F>
  bool start(F f) {
    try {
      threads_.emplace_back(std::move(f));
    } catch (const std::system_error&) {
      return false;
    }
    return true;
  }

 private:
  std::vector<std::thread> threads_;
};

// Threads that wait for the next job. At first, the threads wait without sleeping, because starting or waking a thread
// takes as long as expanding a small layer.
class Pool {
 public:
  Pool() = default;
  ~Pool() {
    gate_ = kEnd;
    gate_.notify_all();
  }

  // Calls job(0) on the calling thread and job(1) .. job(count - 1) on other threads. A thread that is not ready by the
  // time job(0) returns does not take part. When this function returns, no job is running. Jobs must not throw. Only
  // one call may be active at a time.
  void run(std::size_t count, const std::function<void(std::size_t)>& job) {
    while (num_threads_ + 1 < count && threads_.start([this, number = num_threads_ + 1] { serve(number); }))
      ++num_threads_;
    job_ = &job;
    epoch_ += kOne;
    if (count < 2 || num_threads_ == 0) return job(0);
    open(static_cast<std::uint32_t>(std::min<std::size_t>(count, kMost - 1)));
    job(0);
    gate_ = epoch_;
    for (std::uint32_t inside, spins = 0; (inside = inside_) != 0; ++spins)
      spins < kSpins ? pause() : inside_.wait(inside);
  }

 private:
  // A gate consists of an epoch and, in its low bits, the number of participants (including the calling thread), which
  // is 0 once the gate is closed.
  static constexpr std::uint32_t kOne = 1u << 12, kMost = kOne - 1, kEnd = ~0u;
  static constexpr std::uint32_t kSpins = 2000;  // each takes about 50 ns

  void open(std::uint32_t count) {
    gate_ = epoch_ | count;
    gate_.notify_all();
  }

  void serve(std::size_t number) {
    for (std::uint32_t seen = 0;;) {
      seen = changed(seen);
      if (seen == kEnd) return;
      if ((seen & kMost) <= number) continue;
      ++inside_;
      if (gate_ == seen) (*job_)(number);  // closing the gate waits for threads that entered earlier
      if (--inside_ == 0) inside_.notify_all();
    }
  }

  // Waits until the gate has changed, and returns its new value.
  std::uint32_t changed(std::uint32_t seen) {
    for (std::uint32_t spins = 0; spins < kSpins; ++spins) {
      if (const std::uint32_t gate = gate_; gate != seen) return gate;
      pause();
    }
    gate_.wait(seen);
    return gate_;
  }

  static void pause() {
#if defined(__x86_64__) || defined(_M_X64)
    __builtin_ia32_pause();
#endif
  }

  std::atomic<std::uint32_t> gate_ = 0, inside_ = 0;
  std::uint32_t epoch_ = 0;
  const std::function<void(std::size_t)>* job_ = nullptr;
  std::size_t num_threads_ = 0;
  Threads threads_;  // destroyed first
};

// Calls work(thread, piece) for every piece below `count`, on at most `num_threads` threads; the caller is thread 0.
// Only the caller calls may_continue(begun), before each of its pieces, with the number of pieces that all threads have
// begun. If may_continue returns false, or may_continue or work throws, no further pieces are begun. Each thread first processes
// its own range of pieces, and then helps with the ranges of other threads. Neighbouring pieces mostly use the same
// cache lines; if two threads processed them, they would compete for these lines, which would cost both of them 5 to 10
// % of their time. Returns whether every piece was completed; rethrows exceptions.
template <class Work, class MayContinue>
bool in_pieces(Pool& pool, std::size_t count, std::size_t num_threads, Work work, MayContinue may_continue) {
  struct alignas(64) Range {
    std::atomic<std::size_t> next;
    std::size_t end;
  };
  const std::size_t team = std::max<std::size_t>(1, std::min(num_threads, count));
  std::vector<Range> ranges(team);
  for (std::size_t i = 0; i < team; ++i) {
    ranges[i].next = i * count / team;
    ranges[i].end = (i + 1) * count / team;
  }
  std::atomic<std::size_t> begun = 0;
  std::atomic<bool> is_ended = false;
  std::vector<std::exception_ptr> errors(team);
  const auto take_part = [&](std::size_t thread, auto may_go_on) {
    try {
      for (std::size_t i = 0; i < team; ++i) {
        Range& range = ranges[(thread + i) % team];
        for (std::size_t piece; !is_ended && (piece = range.next++) < range.end;) {
          if (!may_go_on(begun++)) return is_ended.store(true);
          work(thread, piece);
        }
      }
    } catch (...) {
      errors[thread] = std::current_exception();
      is_ended = true;
    }
  };
  pool.run(team, [&](std::size_t thread) {
    if (thread == 0) return take_part(0, may_continue);
    take_part(thread, [](std::size_t) { return true; });
  });
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  FEWEST_ASSERT(is_ended || begun == count, "every piece is begun once, unless the work ends early");
  return !is_ended;
}

}  // namespace fewest
