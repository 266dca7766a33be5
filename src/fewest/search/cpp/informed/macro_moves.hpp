// Macro operators for metrics that merge moves: each merged move becomes one operator.
//
// Problem: informed searches add up the costs of moves, but a move that continues a merged move costs nothing.
// Solution: each merged move becomes a macro operator. Its precondition is the regression of the preconditions of its
// moves, which is again a cube. Its effect and its cost are those of the whole sequence. Every sequence of operators
// can be divided into merged moves, and the cheapest division corresponds to a sequence of macro operators. So the
// heuristics of single pieces count merged moves. The method has four conditions; if one of them does not hold,
// `run_moves` throws std::invalid_argument. Moves merge in only one part of the metric. In this part, every move except
// a walk has a cost. No walk that has a cost belongs to a merged move, and the agent need not walk between the moves of
// a merged move. The puzzle forbids no positions; otherwise, a macro operator would have to exclude forbidden positions
// between its moves.
#pragma once

#include "informed/pieces.hpp"

namespace fewest {

// The macro operators of two or more moves. `moves`: all single moves. Throws std::invalid_argument in the cases above,
// and if there are too many macro operators.
std::vector<PieceMove> run_moves(const Problem& problem, const CostTable& costs, const std::vector<PieceMove>& moves,
                                 const std::vector<std::vector<Walk>>& walks);

}  // namespace fewest
