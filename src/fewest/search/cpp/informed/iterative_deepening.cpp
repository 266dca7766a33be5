#include "informed/iterative_deepening.hpp"

#include "state/costs.hpp"
#include "informed/deepening_search.hpp"

namespace fewest {

DeepeningOutcome iterative_deepening(const Problem& problem, const CostTable& costs,
                                     const Hints& hints, const Options& options) {
  if (has_runs(problem, costs))
    throw std::invalid_argument("iterative deepening takes no metric that merges moves");
  const PieceProblem prepared(problem, costs, hints);
  return with_widths(prepared, [&]<int P, int Q>() {
    return IterativeDeepening<P, Q>(prepared, *prepared.bound, options).run();
  });
}

}  // namespace fewest
