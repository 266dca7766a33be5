// Macro operators for metrics that merge moves: each merged move is one operator.
//
// Problem: informed searches add the costs of moves, but a move that continues a merged move costs nothing.
// Solution: a macro operator. Its precondition is the regression of the preconditions of its moves, which is again a
// cube. Its effect and its cost are those of the whole sequence. Every sequence of operators can be divided into its
// merged moves, so the cheapest division consists of macro operators, and heuristics of single pieces count merged
// moves.
// Sound if the merging metric is one component, no consequence can happen between two moves of a merged move, and no
// position is forbidden (a macro operator would have to exclude forbidden intermediate positions); else
// std::invalid_argument.
#pragma once

#include "informed/pieces.hpp"

namespace fewest {

// The macro operators of two moves and more. `moves` are all single ones. Throws std::invalid_argument, see above,
// and if there are too many.
std::vector<PieceMove> run_moves(const Problem& problem, const CostTable& costs, const std::vector<PieceMove>& moves,
                                 const std::vector<std::vector<Walk>>& walks);

}  // namespace fewest
