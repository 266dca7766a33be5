// A problem as informed searches see it, prepared: its pieces without moves to dead spots, and their bound.
//
// Usage:
//   PieceProblem prepared(problem, costs, hints);
//   with_widths(prepared, [&]<int P, int Q>() { return Search<P, Q>(...).run(); });
#pragma once

#include <memory>
#include <stdexcept>

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
        if (!bound->table(0).is_dead(move)) continue;
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

// What `run` answers in the smallest compiled widths, in words: P of a stored state, Q of a set of
// places. Throws std::invalid_argument if there are too many facts.
template <class Run>
auto with_widths(const PieceProblem& prepared, Run run) {
  const int p = PieceStates<1, 1>::words_of_key(*prepared.pieces);
  const int q = std::max(1, (prepared.numbers.num_bits + 63) / 64);
  if (p <= 1 && q <= 1) return run.template operator()<1, 1>();
  if (p <= 1 && q <= 2) return run.template operator()<1, 2>();
  if (p <= 2 && q <= 2) return run.template operator()<2, 2>();
  if (p <= 1 && q <= 4) return run.template operator()<1, 4>();
  if (p <= 2 && q <= 4) return run.template operator()<2, 4>();
  if (p <= 4 && q <= 1) return run.template operator()<4, 1>();
  if (p <= 4 && q <= 8) return run.template operator()<4, 8>();
  if (p <= 16 && q <= 16) return run.template operator()<16, 16>();
  throw std::invalid_argument("there are too many facts for an informed search");
}

}  // namespace fewest
