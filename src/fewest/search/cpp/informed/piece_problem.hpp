// A problem as informed searches see it, prepared: its pieces without moves to dead spots, and their bound.
//
// Usage:
//   PieceProblem prepared(problem, costs, hints);
//   Search<P, Q>(prepared, ...).run();
#pragma once

#include <memory>

#include "informed/astar.hpp"
#include "informed/piece_states.hpp"

namespace fewest {

class PieceProblem {
 public:
  // Throws std::overflow_error if a cost does not fit.
  PieceProblem(const Problem& problem, const CostTable& costs, const Hints& hints)
      : num_components(costs.components),
        invariants_(problem),
        layout_(problem, invariants_, false),
        compiler_(problem, invariants_, layout_) {
    // Dead ends are taken out, and what they alone had made possible.
    std::vector<char> is_dropped(problem.operators.count, 0);
    for (bool any = true; any;) {
      pieces = std::make_unique<Pieces>(compiler_, costs, hints.groups, is_dropped);
      bound = std::make_unique<PieceBound>(*pieces, costs.components);
      any = false;
      for (const PieceMove& move : pieces->moves) {
        // The last move of a run that leads to a dead end does so alone.
        if (!move.then.empty() || !bound->table(0).is_dead(move)) continue;
        is_dropped[move.id] = 1;
        any = true;
      }
    }
    numbers = number_places(*pieces, hints.numbers);
  }

  int num_components;
  std::unique_ptr<Pieces> pieces;
  std::unique_ptr<PieceBound> bound;
  PlaceNumbers numbers;

 private:
  // The pieces refer to them.
  Invariants invariants_;
  Layout layout_;
  Compiler compiler_;
};

}  // namespace fewest
