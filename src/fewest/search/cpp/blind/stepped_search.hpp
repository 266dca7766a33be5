// Searches that are advanced turn by turn: what their callers see of them.
//
// Problem: several searches for the same goal take turns, each with so much work; which one is next is no matter of theirs.
// Solution: `advance` goes on from where the search paused. Limits and budgets are those of the turn (Turn in control.hpp).
// Usage:
//   const auto search = make_search(problem, costs, options);
//   while (search->advance({.expansions = 10'000}) == Status::paused) other->advance({.expansions = 10'000});
//   const Outcome found = search->outcome();
#pragma once

#include "state/control.hpp"
#include "state/problem.hpp"

namespace fewest {

// Gets the whole layers of a breadth-first search, one after the other.
class LayerSink {
 public:
  virtual ~LayerSink() = default;
  // Of the next layer: [count] states as they are packed, of the width that is compiled.
  virtual void take(const Word* states, std::size_t count) = 0;
  // The layer is complete; so much had been done in all when it was found.
  virtual void end_layer(std::uint64_t expanded, std::uint64_t generated) = 0;
};

template <class Found>
class SteppedSearch {
 public:
  virtual ~SteppedSearch() = default;
  // `paused`: the turn is used up. Any other status is the end, and the same from then on.
  virtual Status advance(const Turn& turn) = 0;
  virtual PackedCost bound() const = 0;  // no plan costs less
  virtual std::uint64_t num_expanded() const = 0;
  virtual std::size_t bytes() const = 0;  // of the tables, now
  virtual Found outcome() = 0;

  // Of a search that has whole layers: how many, and 0 of any other search.
  virtual std::size_t num_layers() const { return 0; }
  // Frees all memory but that of the layers, and returns how much of the limit is free. Then the search can only hand over.
  virtual std::size_t release_slots() { return 0; }
  virtual void hand_over(LayerSink&) const {}
};

using LayeredSearch = SteppedSearch<Outcome>;

// All of it in one turn.
template <class Found>
Found run(SteppedSearch<Found>& search, const Options& options) {
  search.advance({.seconds = options.seconds, .host = options.host});
  return search.outcome();
}

}  // namespace fewest
