// A problem backwards: from its goals, every move undone, to its start.
//
// Problem: what can be asked of pieces on their way to a goal can be asked of them on their way back, but what the
// invariants imply where a move is possible does not hold in all that is reached by undoing.
// Solution: a move backwards asks for what is true after the move, and that nothing is true that excludes what was true
// before it. Then every state that can be is entered as a state that can be was left.
#pragma once

#include <memory>

#include "informed/piece_problem.hpp"

namespace fewest {

struct BackwardProblem {
  std::unique_ptr<PieceProblem> problem;  // its one goal is the start; its own start is none
  std::vector<PieceCube> starts;          // the goals: `true_spots` are all that are true
};

// Whether it is known what else is true in a goal, each move moves one piece within a group, by itself, and an agent
// walks for nothing.
bool can_go_backward(const PieceProblem& forward);

// Of a problem of which that holds.
BackwardProblem backward(const PieceProblem& forward);

}  // namespace fewest
