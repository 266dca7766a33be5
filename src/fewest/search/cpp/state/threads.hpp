// A few threads for one piece of work, joined at its end.
//
// Usage:
//   Threads threads;
//   threads.start([] {...});   // may not throw
//   ...                        // whatever happens here, all are waited for
//   in_pieces(1000, 2, [&](std::size_t thread, std::size_t piece) {...}, [&](std::size_t) { return !is_interrupted(); });
#pragma once

#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace fewest {

class Threads {
 public:
  Threads() = default;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() {
    for (std::thread& thread : threads_) thread.join();
  }

  // False: the system gives no more; the work must be done by those there are.
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

// Calls work(thread, piece) for every piece below `count`, by so many threads, of which this is number 0; it alone
// calls goes_on(piece), before each piece that it does, and whatever says false or throws ends it all. Returns whether
// every piece has been done; throws what was thrown.
template <class Work, class GoesOn>
bool in_pieces(std::size_t count, std::size_t num_threads, Work work, GoesOn goes_on) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> is_ended = false;
  std::vector<std::exception_ptr> errors(num_threads);
  const auto take_part = [&](std::size_t thread, auto may_go_on) {
    try {
      for (std::size_t piece; !is_ended && (piece = next++) < count;) {
        if (!may_go_on(piece)) return is_ended.store(true);
        work(thread, piece);
      }
    } catch (...) {
      errors[thread] = std::current_exception();
      is_ended = true;
    }
  };
  {
    Threads threads;
    for (std::size_t i = 1; i < num_threads && i < count; ++i)
      if (!threads.start([&, i] { take_part(i, [](std::size_t) { return true; }); })) break;
    take_part(0, goes_on);
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  return !is_ended;
}

}  // namespace fewest
