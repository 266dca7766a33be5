// Iterative deepening over a stored tree of pushes: what is outside this folder calls this.
#pragma once

#include "informed/astar.hpp"

namespace fewest {

// Of iterations all states and expansions since the start are counted.
struct DeepeningOutcome : InformedOutcome {
  std::uint64_t num_cut = 0;       // successors that had been reached at no higher cost
  std::uint64_t num_reopened = 0;  // nodes expanded once more, after a cheaper way to them
};

// The cheapest way to a goal state, from where the file of `options` has come to. Of `hints` the groups and numbers
// are used. Throws as `astar` does.
DeepeningOutcome iterative_deepening(const Problem& problem, const CostTable& costs,
                                     const Hints& hints, const Options& options);

}  // namespace fewest
