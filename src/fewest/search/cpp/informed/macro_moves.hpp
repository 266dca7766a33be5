// Runs as moves of their own, for metrics that merge moves.
//
// Problem: informed searches add up what moves cost, and a move that goes on with a run costs nothing.
// Solution: a run is one move. It asks for what its moves ask for on their way, which is a cube again, since it is
// known what those before have changed; it changes what they change together, and costs what they cost together. A
// sequence of operators can be cut into its whole runs, so the cheapest is one of these moves, and bounds
// of single pieces count runs.
// Sound where what merges is one component, nothing may happen between two moves of a run, and no position is
// forbidden (a run would have to ask for that of all that it leads through); else std::invalid_argument.
#pragma once

#include "informed/pieces.hpp"

namespace fewest {

// The runs of two moves and more. `moves` are all single ones. Throws std::invalid_argument, see above, and where
// there are too many.
std::vector<PieceMove> run_moves(const Problem& problem, const CostTable& costs, const std::vector<PieceMove>& moves,
                                 const std::vector<std::vector<Walk>>& walks);

}  // namespace fewest
