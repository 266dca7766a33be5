// The states of a search as its algorithm sees them: by number, with costs and bounds, whatever the width of a state is.
//
// Problem: what touches the words of a state is compiled for each pair of widths (searches.hpp); algorithms need not be.
// Solution: an algorithm has the open list and decides what is expanded. For each state that it expands it calls the
// space a few times, which has the closed list, the successor generator, the heuristic and pruning (piece_space.hpp).
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
  PackedCost away;  // in a search from both ends: the lower bound of what it costs to come here; else 0
};

// Where two searches have met.
struct MeetingPoint {
  PackedCost cost = kInfiniteCost;
  StateId here = kNoState, there = kNoState;
};

class SearchSpace {
 public:
  // A state of a plan, and what it costs there.
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
  // In expansions; many successors are more than one.
  virtual std::uint64_t work() const = 0;
  // The part of an outcome that is known here.
  virtual void count(InformedOutcome& result) const = 0;

  // kInfiniteCost: no goal is reached.
  virtual PackedCost bound_at_start() = 0;
  // The state that the search begins with; kNoState: no memory.
  virtual StateId insert_start() = 0;
  // The states of a cube, one for each region in which the agent may be in it; `true_spots` are all that are true.
  // False: no memory.
  virtual bool insert_starts(const PieceCube& cube, std::vector<Opened>& opened) = 0;

  virtual void prefetch(StateId node) const = 0;
  // Closes a state and begins to expand it.
  virtual void expand(StateId node) = 0;
  // Of the state being expanded: what a plan costs that ends with it and a walk; kInfiniteCost: it is no goal state.
  virtual PackedCost goal_cost() = 0;
  // Of the state being expanded. False: no memory.
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
