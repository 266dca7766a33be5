// Finds redundant merged moves: those that need not begin at a state, because earlier ones reached all their ends.
//
// Problem: a piece that was just moved is moved again from every state that the merged move reached, although all
// results were already reached from its beginning. In Klotski these are half of all generated states.
// Solution: let a merged move (a *run*) from p end in s, and let its last operator leave the key k. All states that
// continue k from s are in the closure of p. And let exactly one operator continue k', and let it undo every operator
// that leaves k: then a run of k' from s goes back along the first one, and past p as a run from p. So if all keys
// tied to a fact are of these two kinds, a run that begins at that fact in s ends in a state that p reaches, in
// layers up to that of s. The same holds for any other run that leads to s in that layer.
// Sound if all ends of a run are one unit of cost away, as in `Runs`, and for states that are expanded as they were
// reached, but not for images of them. test_searches.cpp compares the search with one that skips no moves.
// Usage:
//   const std::vector<char> is_covered = covered_runs(problem, costs);
//   if (is_covered[run_out[op]]) ...    // after `op` no run needs to begin at run_fact[run_out[op]]
#pragma once

#include <vector>

#include "state/costs.hpp"

namespace fewest {

// Whether a key of the only component is covered.
std::vector<char> covered_runs(const Problem& problem, const CostTable& costs);

}  // namespace fewest
