// Finds merged moves from a state that are redundant because earlier merged moves have already reached the same ends.
//
// Problem: a piece that was just moved is moved again from every state that the merged move reached, although all the
// results were already reached from the first state of the merged move. In Klotski, half of all generated states are
// such results.
// Solution: let a merged move (a *run*) from p end in s, and let its last operator leave the key k. All states that are
// reached from s by operators that continue k are in the closure of p. Suppose that exactly one operator continues a
// key k', and that this operator undoes every operator that leaves k. Then a run of k' from s goes back along the first
// run, and continues beyond p as a run from p. Suppose that every key that is tied to a certain fact is either such a k
// or such a k'. Then a run that begins at that fact in s ends in a state that p reaches, in the layer of s or an
// earlier one. The same holds for any other run that ends in s and begins in the layer before that of s. The method is
// sound if all ends of a run are one unit of cost away, as in `Runs`, and if each state is expanded in the form in
// which it was reached, not as an image. test_searches.cpp compares the search with a search that skips no moves.
// Usage:
//   const std::vector<char> is_covered = covered_runs(problem, costs);
//   if (is_covered[run_out[op]]) ...    // after `op` no run needs to begin at run_fact[run_out[op]]
#pragma once

#include <vector>

#include "state/costs.hpp"

namespace fewest {

// For each run key of the metric's only part: whether, after an operator that leaves the key, runs that begin at the
// fact of the key are redundant.
std::vector<char> covered_runs(const Problem& problem, const CostTable& costs);

}  // namespace fewest
