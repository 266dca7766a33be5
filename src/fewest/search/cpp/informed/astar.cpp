#include "informed/astar.hpp"

#include "informed/backward.hpp"
#include "informed/searches.hpp"
#include "state/costs.hpp"

namespace fewest {

bool can_begin_at_goals(const Problem& problem, const CostTable& costs, const Hints& hints) {
  return can_go_backward(PieceProblem(problem, costs, hints));
}

AStarOutcome astar(const Problem& problem, const CostTable& costs, const Hints& hints,
                   const Options& options, const InformedOptions& informed) {
  Control control(options);
  const PieceProblem prepared(problem, costs, hints);
  return with_widths(prepared, [&]<int P, int Q>() {
    return astar_widths<P, Q>(problem, prepared, hints, options, informed, control);
  });
}

DeepeningOutcome iterative_deepening(const Problem& problem, const CostTable& costs,
                                     const Hints& hints, const Options& options) {
  const PieceProblem prepared(problem, costs, hints);
  return with_widths(
      prepared, [&]<int P, int Q>() { return deepening_widths<P, Q>(prepared, options); });
}

}  // namespace fewest
