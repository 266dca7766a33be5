// Limits and interruptions, looked at from inside the search loops.
#pragma once

#include <chrono>
#include <limits>
#include <string>

#include "state/memory.hpp"
#include "state/problem.hpp"

namespace fewest {

struct Snapshot {
  PackedCost cost = 0;
  std::uint64_t num_states = 0, num_expanded = 0;
  double seconds = 0;
  std::uint64_t bytes = 0;
};

// Whoever runs the search: the Python bindings, or a test.
class Host {
 public:
  virtual ~Host() = default;
  // True: stop, status "interrupted". `report`: a tenth of a second has passed since the last one, or
  // a milestone has been reached.
  // May throw; the exception leaves the search.
  virtual bool poll(const Snapshot& snapshot, bool report) = 0;
};

// Whoever goes on with a breadth-first search that is long, or whose memory ends: gets the layers that are whole.
class Heir {
 public:
  virtual ~Heir() = default;
  // Whether it goes on with a search that is long, and has memory.
  virtual bool is_willing() = 0;
  // May use so many bytes beside those of the search, till that has returned.
  virtual void begin(std::size_t memory) = 0;
  // Of the next layer: [count] states as they are packed, of the width that is compiled.
  virtual void take(const Word* states, std::size_t count) = 0;
  // All of it has been taken; what was done in all until it was whole.
  virtual void end_layer(std::uint64_t expanded, std::uint64_t generated) = 0;
  // The memory ended, and nobody goes on: whatever it was given is to be forgotten.
  virtual void decline() = 0;
};

struct Options {
  bool exhaust = false;
  double seconds = std::numeric_limits<double>::infinity();
  std::size_t memory = std::numeric_limits<std::size_t>::max();
  Host* host = nullptr;
  Heir* heir = nullptr;  // if the memory is to end nothing
  // Entries from which a search is long, and willing heirs have it, if the layer has 1/64 of so many.
  std::size_t long_from = std::numeric_limits<std::size_t>::max();
  // Bytes at which the host gets a report whatever the clock says, and again at four times as many, and so on: what it
  // decides by it is the same on fast and slow machines.
  std::size_t milestone = std::numeric_limits<std::size_t>::max();
  // From so many entries on, a breadth-first search goes on in parts (reached.hpp).
  std::size_t split_from = std::size_t{1} << 19;
  // Then it may use so many threads, in layers that have so many entries for each.
  std::size_t threads = 1, states_per_thread = std::size_t{1} << 13;
  // Where Dijkstra's searches and those from both ends keep what they have and from where they go on; "": nowhere.
  std::string file = {};
  double keep_every = 60;  // seconds
};

class Control {
 public:
  explicit Control(const Options& options)
      : options_(options), began_(Clock::now()), polled_(began_), reported_(began_) {}

  double seconds() const { return since(began_, Clock::now()); }

  // `running`, or why to stop. To be called every few thousand expansions. used(): bytes.
  template <class Used>
  Status check(PackedCost cost, std::uint64_t num_states, std::uint64_t num_expanded, Used used) {
    const auto now = Clock::now();
    const double elapsed = since(began_, now);
    if (elapsed >= options_.seconds) return Status::time;
    if (options_.host == nullptr) return Status::running;
    const bool passes_milestone = used() >= options_.milestone;
    if (passes_milestone) options_.milestone = next_milestone(used());
    if (passes_milestone || since(polled_, now) >= 0.02) {
      polled_ = now;
      const bool report = passes_milestone || since(reported_, now) >= 0.1;
      if (report) reported_ = now;
      if (options_.host->poll({cost, num_states, num_expanded, elapsed, used()}, report))
        return Status::interrupted;
    }
    return Status::running;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double since(Clock::time_point a, Clock::time_point b) {
    return std::chrono::duration<double>(b - a).count();
  }

  // Several may be passed at once.
  std::size_t next_milestone(std::size_t used) const {
    constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
    std::size_t next = options_.milestone;
    while (next <= used && next < kMost) next = next == 0 ? 1 : next > kMost / 4 ? kMost : 4 * next;
    FEWEST_ASSERT(next > used || next == kMost, "the next milestone is ahead");
    return next;
  }

  Options options_;
  Clock::time_point began_, polled_, reported_;
};

}  // namespace fewest
