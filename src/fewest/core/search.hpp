// The entrance: everything outside this folder calls these.
#pragma once

#include "width.hpp"

namespace fewest {

// The cheapest way to a goal state, or (options.exhaust) the whole reachable set. Chooses:
// breadth-first where all operators cost the same (over runs where the metric merges), over regions
// where only free operators move a single agent, else Dijkstra.
// Throws std::invalid_argument if packed states are wider than kMaxWords, std::overflow_error if a
// cost does not fit.
Outcome search(const Problem& problem, const CostTable& costs, const Options& options);

// Words a packed state takes; more than kMaxWords cannot be searched.
int packed_words(const Problem& problem);

// nullptr if there are too many words.
std::unique_ptr<Expander> make_expander(const Problem& problem);
std::unique_ptr<StateSet> make_state_set(int words);

}  // namespace fewest
