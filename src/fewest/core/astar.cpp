#include "astar.hpp"

#include "astar_search.hpp"
#include "costs.hpp"

namespace fewest {

namespace {

template <int P, int Q>
AStarOutcome run(const Pieces& pieces, PieceBound& bound, const PlaceNumbers& numbers,
                 const Hints& hints, int num_components, const Options& options) {
  return AStar<P, Q>(pieces, bound, numbers, hints, num_components, options).run();
}

}  // namespace

AStarOutcome astar(const Problem& problem, const CostTable& costs, const Hints& hints,
                   const Options& options) {
  if (has_runs(problem, costs)) throw std::invalid_argument("A* takes no metric that merges moves");
  const Invariants invariants(problem);
  const Layout layout(problem, invariants, false);
  const Compiler compiler(problem, invariants, layout);
  // Dead ends are taken out, and what they alone had made possible.
  std::vector<char> is_dropped(problem.operators.count, 0);
  auto pieces = std::make_unique<Pieces>(compiler, costs, hints.groups, is_dropped);
  auto bound = std::make_unique<PieceBound>(*pieces, costs.components);
  while (true) {
    bool any = false;
    for (const PieceMove& move : pieces->moves) {
      if (!bound->table(0).is_dead(move)) continue;
      is_dropped[move.id] = 1;
      any = true;
    }
    if (!any) break;
    pieces = std::make_unique<Pieces>(compiler, costs, hints.groups, is_dropped);
    bound = std::make_unique<PieceBound>(*pieces, costs.components);
  }
  const PlaceNumbers numbers = number_places(*pieces, hints.numbers);
  const int p = AStar<1, 1>::words_of_key(*pieces), q = std::max(1, (numbers.num_bits + 63) / 64);
  const auto with = [&]<int P, int Q>() {
    return run<P, Q>(*pieces, *bound, numbers, hints, costs.components, options);
  };
  if (p <= 1 && q <= 1) return with.template operator()<1, 1>();
  if (p <= 1 && q <= 2) return with.template operator()<1, 2>();
  if (p <= 2 && q <= 2) return with.template operator()<2, 2>();
  if (p <= 1 && q <= 4) return with.template operator()<1, 4>();
  if (p <= 2 && q <= 4) return with.template operator()<2, 4>();
  if (p <= 4 && q <= 1) return with.template operator()<4, 1>();
  if (p <= 4 && q <= 8) return with.template operator()<4, 8>();
  if (p <= 16 && q <= 16) return with.template operator()<16, 16>();
  throw std::invalid_argument("there are too many facts for A*");
}

}  // namespace fewest
