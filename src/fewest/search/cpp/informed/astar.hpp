// Informed search for a proven minimum: what is outside this folder calls `astar`.
#pragma once

#include "state/control.hpp"
#include "informed/dead_table.hpp"
#include "informed/pieces.hpp"

namespace fewest {

// What the search may use besides the problem itself; all of it may be left empty.
struct Hints {
  FactGroups groups;                         // in each the number of true facts never changes
  std::vector<int> numbers;                  // per fact: the number of its cell
  std::vector<std::vector<FactId>> images;   // symmetries of problem and costs: per fact its image
  std::vector<DeadCube> dead;                // from which no goal is reached
};

struct InformedOptions {
  bool is_deepening = false;    // IDA* from the beginning
  enum { never, if_they_pay, always } patterns = if_they_pay;
};

struct AStarOutcome : Outcome {
  std::uint64_t num_dead = 0;        // successors that were seen to be dead ends
  std::uint64_t num_corrals = 0;     // states of which only the moves into a corral were made
  PackedCost initial_bound = 0;
  bool has_agent = false, merges_regions = false;
  std::size_t num_images = 1;
  std::vector<std::vector<FactId>> patterns;  // of each, one fact of each piece; none: not used
  std::size_t pattern_entries = 0, pattern_bytes = 0;
  // Of iterative deepening: each limit, and how many states were expanded under it.
  std::vector<std::pair<PackedCost, std::uint64_t>> iterations;
};

// The cheapest way to a goal state, by A*; where its memory ends, or from the beginning if asked to, by
// iterative deepening, which needs little: a status `memory` is never the answer. Metrics without runs only (see costs.hpp).
// Throws std::invalid_argument if there are too many facts, std::overflow_error if a cost does not fit.
AStarOutcome astar(const Problem& problem, const CostTable& costs, const Hints& hints,
                   const Options& options, const InformedOptions& informed = {});

}  // namespace fewest
