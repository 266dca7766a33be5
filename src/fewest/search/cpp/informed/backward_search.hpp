// Backward search over a projection: the cost of reaching an abstract goal state from each abstract state.
//
// Problem: single pieces (piece_distances.hpp), patterns (pattern_projection.hpp) and local PDBs
// (local_pdb_projection.hpp) are projections. Each of them preserves a part of the state and relaxes the rest. A lower
// bound needs the least cost from every abstract state to an abstract goal state.
// Solution: a single implementation of Dijkstra's algorithm starts at the abstract goal states and undoes moves. A
// projection has three members. `AbstractState` is the type of its states. `goals(push)` calls push(0, state) for each
// goal state. `expand(state, cost, push)` has an effect only if `state` is new: it records the cost of the state, and
// calls push(cost of predecessor, predecessor) for each predecessor. `expand` returns false to stop the search. Each
// projection owns its table of costs, since the best data structure depends on the projection: an array of bytes, a
// hash table, or an array of distances. The table limits the costs that can be stored, so the projection caps costs;
// `push` accepts any cost that is at least the cost of the expanded state. If moves between some states are free, a
// projection may record all of these states together. There are two kinds of queue: `BucketQueue` (Dial, 1969) for
// small costs, and `HeapQueue` for large ones.
// Usage:
//   BucketQueue<Projection::AbstractState> queue;
//   const bool is_complete = backward_search(projection, queue);
#pragma once

#include <concepts>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "state/assert.hpp"
#include "state/compiler_attributes.hpp"

namespace fewest {

template <class P>
concept Projection = requires(P projection, const typename P::AbstractState& state, unsigned cost,
                              void (*push)(unsigned, const typename P::AbstractState&)) {
  projection.goals(push);
  { projection.expand(state, cost, push) } -> std::same_as<bool>;
};

// A queue with a first-in, first-out bucket for each cost. The buckets take 24 bytes for each cost up to the greatest
// one.
template <class State>
class BucketQueue {
 public:
  FEWEST_INLINE void push(unsigned cost, const State& state) {
    FEWEST_ASSERT(cost >= cost_, "a predecessor costs no less than its successor");
    if (cost >= buckets_.size()) buckets_.resize(cost + 1);
    buckets_[cost].push_back(state);
  }

  // Removes a cheapest state; returns false if the queue is empty.
  bool pop(unsigned& cost, State& state) {
    while (cost_ < buckets_.size() && next_ == buckets_[cost_].size()) {
      buckets_[cost_++] = {};
      next_ = 0;
    }
    if (cost_ >= buckets_.size()) return false;
    cost = cost_;
    state = buckets_[cost_][next_++];
    return true;
  }

 private:
  std::vector<std::vector<State>> buckets_;
  unsigned cost_ = 0;
  std::size_t next_ = 0;  // the next state in the bucket of `cost_`
};

template <class State>
class HeapQueue {
 public:
  void push(unsigned cost, const State& state) { heap_.emplace(cost, state); }

  // Removes a cheapest state; returns false if the queue is empty.
  bool pop(unsigned& cost, State& state) {
    if (heap_.empty()) return false;
    std::tie(cost, state) = heap_.top();
    heap_.pop();
    return true;
  }

 private:
  using Entry = std::pair<unsigned, State>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
};

// Returns false if the projection stopped the search.
template <Projection P, class Queue>
bool backward_search(P& projection, Queue& queue) {
  const auto push = [&queue](unsigned cost, const typename P::AbstractState& state) { queue.push(cost, state); };
  projection.goals(push);
  unsigned cost = 0;
  typename P::AbstractState state{};
  while (queue.pop(cost, state))
    if (!projection.expand(state, cost, push)) return false;
  return true;
}

}  // namespace fewest
