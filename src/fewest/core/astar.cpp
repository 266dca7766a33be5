#include "astar.hpp"

#include "astar_search.hpp"
#include "costs.hpp"

namespace fewest {

AStarOutcome astar(const Problem& problem, const CostTable& costs, const Hints& hints,
                   const Options& options) {
  if (has_runs(problem, costs)) throw std::invalid_argument("A* takes no metric that merges moves");
  const PieceProblem prepared(problem, costs, hints);
  return with_widths(prepared, [&]<int P, int Q>() {
    return AStar<P, Q>(prepared, hints, options).run();
  });
}

}  // namespace fewest
