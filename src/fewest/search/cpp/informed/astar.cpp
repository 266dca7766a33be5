#include "informed/astar.hpp"

#include "informed/backward.hpp"
#include "expand/literal.hpp"
#include "informed/searches.hpp"
#include "state/costs.hpp"

namespace fewest {

namespace {

[[maybe_unused]] bool has_right_plan(const Problem& problem, const CostTable& costs, const InformedOutcome& outcome) {
  if (!outcome.cost) return outcome.plan.empty();
  return outcome.initial_bound <= *outcome.cost && outcome.lower_bound == *outcome.cost &&
         literal::is_plan(problem, costs, outcome.plan, *outcome.cost);
}

}  // namespace

bool can_begin_at_goals(const Problem& problem, const CostTable& costs, const Hints& hints) {
  return can_go_backward(PieceProblem(problem, costs, hints));
}

AStarOutcome astar(const Problem& problem, const CostTable& costs, const Hints& hints,
                   const Options& options, const InformedOptions& informed) {
  Control control(options);
  const PieceProblem prepared(problem, costs, hints);
  AStarOutcome outcome = with_widths(prepared, [&]<int P, int Q>() {
    return astar_widths<P, Q>(problem, prepared, hints, options, informed, control);
  });
  FEWEST_ASSERT(has_right_plan(problem, costs, outcome),
                "a plan leads to a goal at the cost that is claimed, and the bound of the start is no higher");
  return outcome;
}

}  // namespace fewest
