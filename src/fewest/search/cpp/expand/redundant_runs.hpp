// Which runs need not be taken from a state, because those that led to it have been there.
//
// Problem: a piece that has just been moved is moved again from every state that it was moved to, and all of that has
// been reached before, from where its run began: in Klotski, half of what is generated.
// Solution: let a run from p end in s, and its last operator leave the key k. What goes on with k from s is in the
// closure of p. And let k' have one operator alone, which takes back whichever operator leaves k: then a run of k'
// from s goes back along the first one, and past p as a run of p's own. So where the keys tied to a fact are all of
// these two kinds, a run that begins at that fact in s ends in what p leads to, in layers up to that of s. The same
// holds for whatever other run leads to s in that layer.
// It is sound where all ends of a run are a unit of cost away, as in `Runs`, and for states that are expanded as they
// were reached, not images of them. The test against a search without it is in test_searches.cpp.
// Usage:
//   const std::vector<char> is_covered = covered_runs(problem, costs);
//   if (is_covered[run_out[op]]) ...    // after `op` no run need begin at run_fact[run_out[op]]
#pragma once

#include <vector>

#include "state/costs.hpp"

namespace fewest {

// By key of the one component.
std::vector<char> covered_runs(const Problem& problem, const CostTable& costs);

}  // namespace fewest
