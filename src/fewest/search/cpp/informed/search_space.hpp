// The interface between search algorithms and states. The interface is independent of the width of states, because
// states are represented by numbers.
//
// Problem: code that accesses the words of a state is compiled for each pair of widths (searches.hpp). Algorithms
// should be compiled only once.
// Solution: an algorithm owns the open list and selects the states to be expanded. For each expansion, it calls a few
// functions of the space. The space owns the closed list, the successor generator, the heuristic and the pruning
// (piece_space.hpp).
// Usage:
//   space.expand(node);
//   if (space.goal_cost() == space.costs().cost(node)) ...  // a plan ends here
//   if (!space.open_successors(opened)) ...                 // no memory
//   for (const Opened& next : opened) ...
#pragma once

#include <optional>

#include "informed/informed_search.hpp"
#include "informed/node_costs.hpp"
#include "informed/piece_heuristic.hpp"

namespace fewest {

// A state that is new or has become cheaper to reach, and that has a finite bound.
struct Opened {
  StateId node;
  PackedCost cost, bound;
  PackedCost away;  // in a bidirectional search: a lower bound on the cost from the origin; otherwise 0
};

// A state in which two searches meet.
struct MeetingPoint {
  PackedCost cost = kInfiniteCost;
  StateId here = kNoState, there = kNoState;
};

class SearchSpace {
 public:
  // A state on a plan, with the cost of the plan up to this state.
  struct Stop {
    const SearchSpace* space;
    StateId node;
    PackedCost cost;
  };

  SearchSpace(std::size_t memory, int num_components) : budget_(memory), costs_(budget_, num_components) {}
  SearchSpace(const SearchSpace&) = delete;
  SearchSpace& operator=(const SearchSpace&) = delete;
  virtual ~SearchSpace() = default;

  Budget& budget() { return budget_; }
  const Budget& budget() const { return budget_; }
  NodeCosts& costs() { return costs_; }
  const NodeCosts& costs() const { return costs_; }

  virtual std::size_t size() const = 0;
  virtual std::uint64_t num_expanded() const = 0;
  // The work, in expansions. An expansion that has many successors counts as several.
  virtual std::uint64_t work() const = 0;
  // Stores the statistics of the space in an outcome.
  virtual void count(InformedOutcome& result) const = 0;

  // The bound of the initial state, or kInfiniteCost if the state is recognised as dead.
  virtual PackedCost bound_at_start() = 0;
  // Inserts the initial state of the search; returns kNoState if memory is exhausted.
  virtual StateId insert_start() = 0;
  // Inserts the states of a cube, one for each region of the agent that the cube allows, and appends them to `opened`.
  // Omits forbidden states and states with an infinite bound. The field `true_spots` of the cube must contain all true
  // spots. Returns false if memory is exhausted.
  virtual bool insert_starts(const PieceCube& cube, std::vector<Opened>& opened) = 0;

  virtual void prefetch(StateId node) const = 0;
  // Closes a state and begins to expand it.
  virtual void expand(StateId node) = 0;
  // Returns the least cost of a plan that ends with the expanded state and, if necessary, a walk. Returns kInfiniteCost
  // if no such plan leads to a goal state.
  virtual PackedCost goal_cost() = 0;
  // Like `goal_cost`, but for a state that remains open.
  virtual PackedCost goal_cost_at(StateId node) = 0;
  // Replaces the contents of `opened` by the successors of the expanded state that are new or cheaper than before.
  // Returns false if memory is exhausted.
  virtual bool open_successors(std::vector<Opened>& opened) = 0;

  // Returns the cheapest point at which one of the states `fresh` meets a state of the other search. Both searches must
  // have the same widths.
  virtual MeetingPoint meet(const std::vector<StateId>& fresh, const SearchSpace& other) const = 0;
  // A state as a cube; nullopt if its bound is infinite.
  virtual std::optional<PieceCube> sample(StateId node) = 0;
  // The plan along a chain of stored states, beginning at the start.
  virtual std::vector<OperatorId> plan(const std::vector<Stop>& stops) const = 0;

 private:
  Budget budget_;
  NodeCosts costs_;
};

// The stored states from an initial state to this state.
inline std::vector<SearchSpace::Stop> path_to(const SearchSpace& space, StateId node) {
  std::vector<SearchSpace::Stop> path;
  for (; node != kNoState; node = space.costs().parent(node)) path.push_back({&space, node, space.costs().cost(node)});
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace fewest
