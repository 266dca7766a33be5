// A few threads for one piece of work, joined at its end.
//
// Usage:
//   Threads threads;
//   threads.start([] {...});   // may not throw
//   ...                        // whatever happens here, all are waited for
#pragma once

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

}  // namespace fewest
