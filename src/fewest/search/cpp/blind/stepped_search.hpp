// The interface of searches that advance in time slices.
//
// Problem: several searches for the same goal alternate, and each search does a limited amount of work per time slice.
// The caller, not the searches, must determine the order of the slices.
// Solution: `advance` continues where the search paused. Limits and budgets are arguments of the call (TimeSlice in
// control.hpp).
// Usage:
//   const auto search = make_search(problem, costs, options);
//   while (search->advance({.expansions = 10'000}) == Status::paused) other->advance({.expansions = 10'000});
//   const Outcome found = search->outcome();
#pragma once

#include "state/control.hpp"
#include "state/problem.hpp"

namespace fewest {

// Receives the complete layers of a breadth-first search, one by one.
class LayerSink {
 public:
  virtual ~LayerSink() = default;
  // Adds `count` packed states, in the compiled width, to the next layer.
  virtual void take(const Word* states, std::size_t count) = 0;
  // Completes the layer. The arguments are the numbers of states that had been expanded and generated when the search
  // had completed this layer.
  virtual void end_layer(std::uint64_t expanded, std::uint64_t generated) = 0;
};

template <class Found>
class SteppedSearch {
 public:
  virtual ~SteppedSearch() = default;
  // Continues the search. The status `paused` means that the time slice is used up. Any other status is final.
  virtual Status advance(const TimeSlice& slice) = 0;
  virtual PackedCost bound() const = 0;  // the proved lower bound on the cost of all plans
  virtual std::uint64_t num_expanded() const = 0;
  virtual std::size_t bytes() const = 0;  // the current size of the tables
  virtual Found outcome() = 0;

  // The number of complete layers that `hand_over` provides; 0 for a search that cannot hand over layers.
  virtual std::size_t num_layers() const { return 0; }
  // Frees all memory except that of the layers, and returns the number of bytes of the memory limit that are free.
  // Afterwards only the layers can be used.
  virtual std::size_t release_slots() { return 0; }
  virtual void hand_over(LayerSink&) const {}
};

using LayeredSearch = SteppedSearch<Outcome>;

// Runs the search until it ends, and returns its outcome.
template <class Found>
Found run(SteppedSearch<Found>& search, const Options& options) {
  search.advance({.seconds = options.seconds, .host = options.host});
  return search.outcome();
}

}  // namespace fewest
