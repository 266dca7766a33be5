// Iterative deepening over a stored tree of pushes: what is outside this folder calls this.
#pragma once

#include "informed/astar.hpp"

namespace fewest {

struct Iteration {
  PackedCost limit = 0;
  std::uint64_t num_states = 0, num_expanded = 0;  // after it, since the start
};

struct DeepeningOutcome : Outcome {
  std::uint64_t num_dead = 0;      // successors that were seen to be dead ends
  std::uint64_t num_cut = 0;       // successors that had been reached at no higher cost
  std::uint64_t num_reopened = 0;  // nodes expanded once more, after a cheaper way to them
  PackedCost initial_bound = 0;
  bool has_agent = false;
  std::vector<Iteration> iterations;  // the last one may be unfinished
};

// The cheapest way to a goal state. Of `hints` the groups and numbers are used. Metrics without runs only
// (see costs.hpp). Throws as `astar` does.
DeepeningOutcome iterative_deepening(const Problem& problem, const CostTable& costs,
                                     const Hints& hints, const Options& options);

}  // namespace fewest
