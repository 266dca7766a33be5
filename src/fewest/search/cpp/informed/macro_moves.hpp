// Macro operators for metrics that merge moves: each run is one move.
//
// Problem: informed searches add the costs of moves, but a move that continues a run costs nothing.
// Solution: a run is one move. Its precondition is the regression of the preconditions of its moves, which is again a
// cube. Its effect and its cost are those of the whole sequence. A sequence of operators can be cut into its whole
// runs, so the cheapest cut consists of these moves, and heuristics of single pieces count runs.
// Sound if the merging metric is one component, no consequence can happen between two moves of a run, and no position
// is forbidden (a run would have to exclude forbidden intermediate positions); else std::invalid_argument.
#pragma once

#include "informed/pieces.hpp"

namespace fewest {

// The runs of two moves and more. `moves` are all single ones. Throws std::invalid_argument, see above, and where
// there are too many.
std::vector<PieceMove> run_moves(const Problem& problem, const CostTable& costs, const std::vector<PieceMove>& moves,
                                 const std::vector<std::vector<Walk>>& walks);

}  // namespace fewest
