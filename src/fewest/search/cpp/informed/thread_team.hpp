// A team of threads that execute the steps of a computation together.
//
// Problem: a search on several threads performs thousands of steps per second. Starting threads for each step would
// take longer than the steps themselves.
// Solution: the threads live as long as the team. In each step, all threads call the same function, each with its own
// number. The caller acts as thread 0 and continues once all threads have finished. Each step can read the results of
// the previous one.
// Usage:
//   ThreadTeam team(2);                  // has fewer threads if the system provides fewer
//   team.all([&](std::size_t i) {...});  // rethrows the first exception after all threads have finished
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

#include "state/threads.hpp"

namespace fewest {

class ThreadTeam {
 public:
  explicit ThreadTeam(std::size_t size) {
    while (size_ < size && threads_.start([this, i = size_] { work(i); })) ++size_;
  }
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ~ThreadTeam() {
    step_ = nullptr;
    announce();
  }

  std::size_t size() const { return size_; }

  template <class Step>
  void all(Step step) {
    context_ = &step;
    step_ = [](void* context, std::size_t i) { (*static_cast<Step*>(context))(i); };
    num_busy_.store(size_ - 1, std::memory_order_relaxed);
    announce();
    attempt(0);
    if (!spin([&] { return num_busy_.load(std::memory_order_acquire) == 0; })) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return num_busy_.load(std::memory_order_acquire) == 0; });
    }
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  static constexpr int kSpins = 8000;  // about 0.2 ms; a thread that waits longer sleeps, and waking it takes time

  template <class Condition>
  static bool spin(Condition holds) {
    for (int i = 0; i < kSpins; ++i) {
      if (holds()) return true;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    return false;
  }

  void announce() {
    {
      const std::lock_guard lock(mutex_);
      step_number_.fetch_add(1, std::memory_order_release);
    }
    changed_.notify_all();
  }

  void attempt(std::size_t i) {
    try {
      step_(context_, i);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  void work(std::size_t i) {
    for (std::size_t done = 0;; ++done) {
      const auto is_next = [&] { return step_number_.load(std::memory_order_acquire) != done; };
      if (!spin(is_next)) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, is_next);
      }
      if (step_ == nullptr) return;
      attempt(i);
      if (num_busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        { const std::lock_guard lock(mutex_); }
        changed_.notify_all();
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<std::size_t> step_number_ = 0, num_busy_ = 0;
  void (*step_)(void*, std::size_t) = nullptr;
  void* context_ = nullptr;
  std::exception_ptr error_;
  std::size_t size_ = 1;
  Threads threads_;  // The last member, so that its destructor, which waits for the threads, runs first.
};

}  // namespace fewest
