// The inverse problem. Its initial states are the goal states, its moves undo the moves of the original problem, and
// its goal is the start.
//
// Problem: a backward search can use the same code for pieces as a forward search. But undoing moves can lead to states
// that violate the invariants of the problem.
// Solution: the precondition of a backward move requires the facts that are true after the forward move. It also
// excludes all facts that are mutex with a fact that is true before the forward move. Then a backward move from a state
// that satisfies the invariants leads to such a state.
#pragma once

#include <memory>

#include "informed/piece_problem.hpp"

namespace fewest {

struct BackwardProblem {
  std::unique_ptr<PieceProblem> problem;  // its only goal cube is the start; its own initial state is not used
  std::vector<PieceCube> starts;          // the goal cubes; `true_spots` contains all true spots of each
};

// Whether the problem has these properties: there is an agent, walks are free, and the metric has one part. There
// are no macro operators, and each move moves exactly one piece within a group. The goal is a single list of a few
// cubes, and each cube determines all facts except the place of the agent.
bool can_go_backward(const PieceProblem& forward);

// The inverse of a problem that has these properties.
BackwardProblem backward(const PieceProblem& forward);

}  // namespace fewest
