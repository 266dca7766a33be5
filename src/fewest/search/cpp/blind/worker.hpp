// The work of one thread in a breadth-first search over a divided set of states.
//
// Problem: every successor requires a random look-up in a table of several gigabytes. If each look-up waited for the
// memory or acquired a lock, these waits would take most of the time.
// Solution: a worker has a block of successors for every part, and inserts a full block while it holds the lock of the
// part. So all look-ups of a block fall into one part, and each slot is prefetched well before it is needed. The next
// part to expand is the value of a shared counter, which each worker increments. A worker copies the states of a part
// in small portions, also under the lock of the part, because an insertion may move the table. The workers' counts are
// added up between two layers (`take_counts`). If several goal states are found, the search uses the smallest of them,
// so the plan of an exhaustive search does not depend on the order of discovery.
// See breadth_first.hpp for an example of its use.
#pragma once

#include <atomic>
#include <optional>
#include <utility>

#include "state/control.hpp"
#include "expand/expander.hpp"
#include "blind/layered_closed_list.hpp"

namespace fewest {

// The counts of one layer, and the smallest goal state among its counted states.
template <int P>
struct WorkCounts {
  std::uint64_t states = 0, goals = 0, expanded = 0, generated = 0, canonical = 0, in_orbits = 0;
  std::optional<State<P>> goal;

  // Counts the states of a new entry. Returns false if some of them are goal states.
  bool add(const State<P>& s, const Count& count) {
    states += count.states;
    canonical += count.canonical;
    in_orbits += count.in_orbits;
    FEWEST_ASSERT(count.goals <= count.states, "goal states are states");
    if (count.goals == 0) [[likely]] return true;
    goals += count.goals;
    if (!goal || s < *goal) goal = s;
    return false;
  }
};

// The reason why a search ends. The first reason that is passed to `stop` remains; later calls of `stop` have no
// effect.
class StopFlag {
 public:
  bool is_running() const { return status() == Status::running; }
  Status status() const { return status_.load(std::memory_order_relaxed); }
  void stop(Status status) {
    Status running = Status::running;
    if (status != running) status_.compare_exchange_strong(running, status);
  }
  void replace(Status status) { status_ = status; }

  // Pauses the search: the threads finish their current parts and start no new ones.
  void pause() { is_to_pause_.store(true, std::memory_order_relaxed); }
  bool is_to_pause() const { return is_to_pause_.load(std::memory_order_relaxed); }
  bool was_to_pause() { return is_to_pause_.exchange(false, std::memory_order_relaxed); }

 private:
  std::atomic<Status> status_ = Status::running;
  std::atomic<bool> is_to_pause_ = false;
};

template <int P, class Extra>
class alignas(64) Worker {
 public:
  using Entry = Successor<P, Extra>;

  Worker(const Expander<P, Extra>& expander, LayeredClosedList<P>& reached, StopFlag& ending, Budget& budget,
         bool exhaust)
      : expander_(expander.copy()), reached_(reached), ending_(ending), blocks_(budget), exhaust_(exhaust) {}

  // Allocates blocks of `size` successors for `num_parts` parts, unless the blocks already have at least 8/9 of this
  // size. The function must be called between two layers. Returns false if there is not enough memory; in that case,
  // nothing changes.
  bool widen(std::size_t size, std::size_t num_parts) {
    if (size < block_size_ + block_size_ / 8) return true;
    // All blocks fill at about the same rate. Because of the additional cache line, the current ends of the blocks are
    // in different cache sets.
    const std::size_t stride = size + std::max<std::size_t>(1, 64 / sizeof(Entry));
    FEWEST_ASSERT(std::ranges::all_of(fill_, [](std::uint32_t fill) { return fill == 0; }),
                  "blocks are empty between layers");
    if (!blocks_.grow(num_parts * stride)) return false;
    block_size_ = size;
    stride_ = stride;
    fill_.resize(num_parts, 0);
    return true;
  }

  // Expands parts of the layer until the counter has passed the last part, or the search must pause or end. Then
  // inserts the contents of all blocks, beginning with the block of part `first`. Calls tick() every few milliseconds.
  template <class Tick>
  void work(std::atomic<std::size_t>& next_part, std::size_t first, Tick tick) {
    const std::size_t num_parts = reached_.num_parts();
    for (std::size_t p; ending_.is_running() && !ending_.is_to_pause() && (p = next_part++) < num_parts;) expand(p, tick);
    for (std::size_t i = 0; i < num_parts; ++i) {
      const std::size_t p = (first + i) % num_parts;
      account_work(fill_[p], tick);
      insert_block(p);
    }
  }

  // Inserts, without counting them, the states that remained in the blocks when the search was stopped. Returns false
  // if there is not enough memory.
  bool insert_waiting() {
    for (std::size_t p = 0; p < fill_.size(); ++p) {
      StateTable<P>& table = reached_[p].table;
      if (!table.reserve(fill_[p])) return false;
      for (std::size_t i = 0; i < fill_[p]; ++i) {
        const State<P>& s = blocks_[p * stride_ + i].state;
        table.insert(s, hash(s));
      }
      fill_[p] = 0;
    }
    return true;
  }

  WorkCounts<P> take_counts() {
    seen_states_ = seen_expanded_ = 0;
    return std::exchange(tally_, {});
  }

  // The counts of this layer at the last tick, for other threads to read.
  std::uint64_t seen_states() const { return seen_states_.load(std::memory_order_relaxed); }
  std::uint64_t seen_expanded() const { return seen_expanded_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kPortion = 128;
  static constexpr std::size_t kWorkPerTick = 1024;

  template <class Tick>
  void expand(std::size_t p, Tick& tick) {
    auto& part = reached_[p];
    State<P> portion[kPortion];
    for (std::size_t at = part.begin; at < part.end; at += kPortion) {
      const std::size_t size = std::min(kPortion, part.end - at);
      {
        const std::scoped_lock lock(part.mutex);
        std::copy_n(part.table.data() + at, size, portion);
      }
      account_work(size, tick);
      if (!ending_.is_running()) return;
      tally_.expanded += size;
      try {
        for (std::size_t i = 0; i < size; ++i) {
          expander_->expand(portion[i], successors_.cleared());
          for (const Entry& next : successors_) push(next);
        }
      } catch (const ExpansionStopped&) {
        return;
      }
    }
  }

  template <class Tick>
  void account_work(std::size_t work, Tick& tick) {
    work_ += work;
    if (work_ < kWorkPerTick) return;
    work_ = 0;
    seen_states_.store(tally_.states, std::memory_order_relaxed);
    seen_expanded_.store(tally_.expanded, std::memory_order_relaxed);
    tick();
  }

  void push(const Entry& next) {
    if (!ending_.is_running()) return;
    const std::size_t p = reached_.part_of(hash(next.state));
    FEWEST_ASSERT(fill_[p] < block_size_, "a block that is full has been inserted");
    blocks_[p * stride_ + fill_[p]] = next;
    if (++fill_[p] == block_size_) insert_block(p);
  }

  void insert_block(std::size_t p) {
    if (fill_[p] == 0 || !ending_.is_running()) return;
    auto& part = reached_[p];
    const std::scoped_lock lock(part.mutex);
    StateTable<P>& table = part.table;
    if (!table.reserve(fill_[p])) return ending_.stop(Status::memory);
    const std::size_t size = std::exchange(fill_[p], 0);
    tally_.generated += size;
    FEWEST_ASSERT(size <= block_size_, "a block contains at most as many successors as its size allows");
    const Entry* block = blocks_.data() + p * stride_;
    // The slot of a successor is prefetched first. Later, the state to which the slot refers is prefetched, because the
    // successor may be equal to it.
    constexpr std::size_t far = 32, near = 16;
    Word hashes[far];
    std::size_t places[far];
    for (std::size_t i = 0; i < size + far; ++i) {
      if (i >= far) {
        const Entry& next = block[i - far];
        if (table.insert(next.state, hashes[i % far], places[i % far]).is_new &&
            !tally_.add(next.state, expander_->count(next.state, next.extra)) && !exhaust_)
          return ending_.stop(Status::goal);
      }
      if (const std::size_t j = i - near; i >= near && j < size)
        places[j % far] = table.approach(hashes[j % far]);
      if (i < size) {
        hashes[i % far] = hash(block[i].state);
        table.prefetch(hashes[i % far]);
      }
    }
  }

  std::unique_ptr<Expander<P, Extra>> expander_;
  Successors<P, Extra> successors_;  // the successors of the state that is being expanded
  LayeredClosedList<P>& reached_;
  StopFlag& ending_;
  // The block of part p starts at blocks_[p * stride_] and contains fill_[p] of at most block_size_ successors.
  PageArray<Entry> blocks_;
  std::vector<std::uint32_t> fill_;
  std::size_t block_size_ = 0, stride_ = 0;
  WorkCounts<P> tally_;
  std::size_t work_ = 0;  // the work done since the last tick
  bool exhaust_;
  std::atomic<std::uint64_t> seen_states_ = 0, seen_expanded_ = 0;
};

}  // namespace fewest
