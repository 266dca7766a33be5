// Limits and interruptions that the search loops check.
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

// The interface to a search's caller: the Python bindings or a test.
class Host {
 public:
  virtual ~Host() = default;
  // Returns true to stop the search with the status "interrupted". `report` is true if a tenth of a second has passed
  // since the last report, or if a milestone has been reached. If the function throws, the exception propagates out of
  // the search.
  virtual bool poll(const Snapshot& snapshot, bool report) = 0;
};

// The budgets for one call of a search that can pause. The search pauses (Status::paused) at the first check at which
// one of the budgets is used up. `seconds` is a limit, not a budget: when it is reached, the search ends.
struct TimeSlice {
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

  std::uint64_t expansions = kNoLimit;  // the number of further expansions; at least 1
  std::size_t bytes = kNoLimit;         // The total size of all tables.
  // A breadth-first search also pauses before it expands a large layer: if the search has at least this number of
  // entries and the layer contains at least 1/64 of this number.
  std::size_t entries = kNoLimit;
  double seconds = std::numeric_limits<double>::infinity();
  Host* host = nullptr;
};

struct Options {
  bool exhaust = false;
  double seconds = std::numeric_limits<double>::infinity();
  std::size_t memory = std::numeric_limits<std::size_t>::max();
  Host* host = nullptr;
  // The host gets a report when this number of bytes is in use, then at four times this number, and so on, regardless
  // of the time. So decisions that the host bases on these reports do not depend on the speed of the machine.
  std::size_t milestone = std::numeric_limits<std::size_t>::max();
  // The number of entries at which a breadth-first search begins to divide its closed list into parts
  // (layered_closed_list.hpp).
  std::size_t split_from = std::size_t{1} << 19;
  // The maximum number of threads, and the number of entries that a layer must have per thread.
  std::size_t threads = 1, states_per_thread = std::size_t{1} << 13;
  // The checkpoint file of Dijkstra's algorithm and of bidirectional searches; "": none.
  std::string file = {};
  double save_every = 60;  // seconds
};

class Control {
 public:
  explicit Control(const Options& options)
      : options_(options), began_(Clock::now()), polled_(began_), reported_(began_) {}

  double seconds() const { return spent_ + (is_between_slices_ ? 0 : since(began_, Clock::now())); }

  // Sets the limits and budgets of the time slice that begins now. `num_expanded`: the number of expansions in earlier
  // slices.
  void begin_slice(const TimeSlice& slice, std::uint64_t num_expanded) {
    slice_ = slice;
    const bool is_unlimited = slice.expansions >= TimeSlice::kNoLimit - num_expanded;
    last_expansion_ = is_unlimited ? TimeSlice::kNoLimit : num_expanded + slice.expansions;
    options_.seconds = slice.seconds;
    options_.host = slice.host;
    began_ = Clock::now();
    is_between_slices_ = false;
  }
  void end_slice() {
    spent_ = seconds();
    is_between_slices_ = true;
  }
  const TimeSlice& slice() const { return slice_; }

  // Returns `running`, `paused`, or a reason to stop. A search calls this function about every thousand expansions, at
  // a point where it can pause. used() must return the number of bytes in use.
  template <class Used>
  Status check(PackedCost cost, std::uint64_t num_states, std::uint64_t num_expanded, Used used) {
    const Status status = check_limits(cost, num_states, num_expanded, used);
    if (status != Status::running) return status;
    const bool is_used_up =
        num_expanded >= last_expansion_ || (slice_.bytes != TimeSlice::kNoLimit && used() >= slice_.bytes);
    return is_used_up ? Status::paused : Status::running;
  }

  // Like `check`, but for points where the search cannot pause.
  template <class Used>
  Status check_limits(PackedCost cost, std::uint64_t num_states, std::uint64_t num_expanded, Used used) {
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
      if (options_.host->poll({cost, num_states, num_expanded, spent_ + elapsed, used()}, report))
        return Status::interrupted;
    }
    return Status::running;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double since(Clock::time_point a, Clock::time_point b) {
    return std::chrono::duration<double>(b - a).count();
  }

  // The memory may grow past several milestones between two checks.
  std::size_t next_milestone(std::size_t used) const {
    constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
    std::size_t next = options_.milestone;
    while (next <= used && next < kMost) next = next == 0 ? 1 : next > kMost / 4 ? kMost : 4 * next;
    FEWEST_ASSERT(next > used || next == kMost, "the next milestone is ahead");
    return next;
  }

  Options options_;
  TimeSlice slice_;
  std::uint64_t last_expansion_ = TimeSlice::kNoLimit;  // the number of expansions at which the time slice is used up
  bool is_between_slices_ = false;
  double spent_ = 0;  // the number of seconds that earlier time slices took
  Clock::time_point began_, polled_, reported_;  // `began_`: when the time slice began
};

}  // namespace fewest
