// The inverse problem: it starts at the goals, undoes moves, and ends at the start.
//
// Problem: a backward search can use the same conditions on pieces as a forward search. But undoing moves reaches
// states in which the implications of the invariants, which hold wherever a move is possible, do not hold.
// Solution: the precondition of a backward move has the facts that are true after the forward move, and excludes all
// facts that are mutex with a fact that was true before it. Then a backward move from a consistent state leads to a
// consistent state.
#pragma once

#include <memory>

#include "informed/piece_problem.hpp"

namespace fewest {

struct BackwardProblem {
  std::unique_ptr<PieceProblem> problem;  // its one goal is the start; it has no start of its own
  std::vector<PieceCube> starts;          // the goals: all true spots are in `true_spots`
};

// Whether a goal determines all other facts, each move moves one piece within a group and nothing else, and an agent
// walks at no cost.
bool can_go_backward(const PieceProblem& forward);

// The inverse of a problem with these properties.
BackwardProblem backward(const PieceProblem& forward);

}  // namespace fewest
