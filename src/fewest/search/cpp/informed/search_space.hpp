// The states of a search for its algorithm: by number, with costs and bounds, for any width of states.
//
// Problem: code that touches the words of a state is compiled for each pair of widths (searches.hpp); algorithms need
// not be.
// Solution: an algorithm has the open list and decides which states are expanded. For each of them it calls the space
// a few times. The space has the closed list, the successor generator, the heuristic and pruning (piece_space.hpp).
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

// A state that is new or has become cheaper, and from which the bound does not exclude a goal.
struct Opened {
  StateId node;
  PackedCost cost, bound;
  PackedCost away;  // in a search from both ends: the lower bound of the cost so far; else 0
};

// A meeting of two searches.
struct MeetingPoint {
  PackedCost cost = kInfiniteCost;
  StateId here = kNoState, there = kNoState;
};

class SearchSpace {
 public:
  // A state of a plan, and its cost there.
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
  // In expansions; many successors count as more than one.
  virtual std::uint64_t work() const = 0;
  // The part of an outcome that is known here.
  virtual void count(InformedOutcome& result) const = 0;

  // kInfiniteCost: no goal is reachable.
  virtual PackedCost bound_at_start() = 0;
  // The first state of the search; kNoState: no memory.
  virtual StateId insert_start() = 0;
  // The states of a cube, one for each region of the agent; all true spots are in `true_spots`. False: no memory.
  virtual bool insert_starts(const PieceCube& cube, std::vector<Opened>& opened) = 0;

  virtual void prefetch(StateId node) const = 0;
  // Closes a state and begins to expand it.
  virtual void expand(StateId node) = 0;
  // For the expanded state: the cost of a plan that ends with it and a walk; kInfiniteCost: it is not a goal state.
  virtual PackedCost goal_cost() = 0;
  // The cost as in `goal_cost`, for a state that stays open.
  virtual PackedCost goal_cost_at(StateId node) = 0;
  // Open the successors of the expanded state. False: no memory.
  virtual bool open_successors(std::vector<Opened>& opened) = 0;

  // The cheapest meeting of one of these states with one of the other search, which has the same widths.
  virtual MeetingPoint meet(const std::vector<StateId>& fresh, const SearchSpace& other) const = 0;
  // A state, unless the bound excludes a goal.
  virtual std::optional<PieceCube> sample(StateId node) = 0;
  // The plan along stored states from the start on.
  virtual std::vector<OperatorId> plan(const std::vector<Stop>& stops) const = 0;

 private:
  Budget budget_;
  NodeCosts costs_;
};

// From the first state to this one.
inline std::vector<SearchSpace::Stop> path_to(const SearchSpace& space, StateId node) {
  std::vector<SearchSpace::Stop> path;
  for (; node != kNoState; node = space.costs().parent(node)) path.push_back({&space, node, space.costs().cost(node)});
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace fewest
