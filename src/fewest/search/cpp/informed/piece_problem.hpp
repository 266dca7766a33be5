// A problem prepared for informed searches: its pieces, with moves to dead spots removed, and their heuristic.
//
// Usage:
//   PieceProblem prepared(problem, costs, hints);
//   PieceSpace<P, Q> space(prepared, hints, *prepared.bound, nullptr, memory, 0);
#pragma once

#include <memory>

#include "informed/informed_search.hpp"
#include "informed/piece_heuristic.hpp"
#include "informed/agent_regions.hpp"

namespace fewest {

class PieceProblem {
 public:
  // Throws std::invalid_argument for permutations, effects, and merged moves that macro_moves.hpp does not support.
  // Throws std::overflow_error if a cost does not fit.
  PieceProblem(const Problem& problem, const CostTable& costs, const Hints& hints)
      : num_components(costs.components), compiled_(std::make_shared<Compiled>(problem)) {
    require_operators(problem, "an informed search");
    // Moves to dead states are removed, and so are all moves that only the removed moves had made possible.
    std::vector<char> is_dropped(problem.operators.count, 0);
    for (bool any = true; any;) {
      pieces = std::make_unique<Pieces>(compiled_->compiler, costs, hints.groups, is_dropped);
      bound = std::make_unique<PieceHeuristic>(*pieces, costs.components);
      any = false;
      for (const PieceMove& move : pieces->moves) {
        // Macro operators need no separate test: if a macro operator leads to a dead state, so does its last move.
        if (!move.then.empty() || !bound->table(0).is_dead(move)) continue;
        is_dropped[move.id] = 1;
        any = true;
      }
    }
    if (!pieces->further_goals.empty())
      bound->use(std::make_shared<const VariablePdbs>(*pieces, costs.components));
    pieces->parts = hints.parts;
    numbers = number_places(*pieces, hints.numbers);
  }

  // Creates a problem with the pieces `other` and with a heuristic for them. The other data are those of the problem
  // `of`.
  PieceProblem(const PieceProblem& of, Pieces other)
      : num_components(of.num_components),
        pieces(std::make_unique<Pieces>(std::move(other))),
        bound(std::make_unique<PieceHeuristic>(*pieces, num_components)),
        numbers(of.numbers),
        compiled_(of.compiled_) {}

  int num_components;
  std::unique_ptr<Pieces> pieces;
  std::unique_ptr<PieceHeuristic> bound;
  PlaceNumbers numbers;

 private:
  // `pieces` contains references to the data of this struct.
  struct Compiled {
    explicit Compiled(const Problem& problem)
        : invariants(problem), layout(problem, invariants, false), compiler(problem, invariants, layout) {}
    Invariants invariants;
    Layout layout;
    Compiler compiler;
  };
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace fewest
