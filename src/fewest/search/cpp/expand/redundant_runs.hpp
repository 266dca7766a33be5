// Redundant merged moves: those that need not begin at a state, because earlier ones reached all their ends.
//
// Problem: a piece that was just moved is moved again from every state that the merged move reached, and all results
// were reached before from its beginning: in Klotski, half of all generated states.
// Solution: let a merged move (a *run*) from p end in s, and let its last operator leave the key k. All states that
// continue k from s are in the closure of p. And let exactly one operator continue k', and let it undo every operator
// that leaves k: then a run of k' from s goes back along the first one, and past p as a run from p. So if all keys
// tied to a fact are of these two kinds, a run that begins at that fact in s ends in a state that p reaches, in
// layers up to that of s. The same holds for any other run that leads to s in that layer.
// It is sound if all ends of a run are one unit of cost away, as in `Runs`, and for states that are expanded as they
// were reached, not for images of them. test_searches.cpp compares it with a search without it.
// Usage:
//   const std::vector<char> is_covered = covered_runs(problem, costs);
//   if (is_covered[run_out[op]]) ...    // after `op` no run needs to begin at run_fact[run_out[op]]
#pragma once

#include <vector>

#include "state/costs.hpp"

namespace fewest {

// Per key of the only component.
std::vector<char> covered_runs(const Problem& problem, const CostTable& costs);

}  // namespace fewest
