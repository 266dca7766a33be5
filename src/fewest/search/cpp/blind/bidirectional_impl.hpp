// Chooses the kind of bidirectional search that suits a task and a metric. Each blind/widths_*.cpp instantiates this
// code.
#pragma once

#include "blind/bidirectional_dijkstra.hpp"
#include "blind/width.hpp"
#include "expand/expanders.hpp"
#include "state/compiler_attributes.hpp"
#include "state/costs.hpp"

namespace fewest {

template <int P>
FEWEST_COLD std::unique_ptr<SteppedSearch<Meeting>> bidirectional_width(const Compiler& forward, const CostTable& costs,
                            const Compiler& backward, const CostTable& reversed, const Word* goals,
                            std::size_t num_goals, const Options& options) {
  const Problem& problem = forward.problem();
  const Layout& layout = forward.layout();
  const auto packed = [&](const Word* facts) {
    const FactSet words = layout.pack(facts);
    return state_from<P>(words.data(), words.size());
  };
  std::vector<State<P>> seeds;
  for (std::size_t i = 0; i < num_goals; ++i) seeds.push_back(packed(goals + i * problem.words));
  const auto in_layers = [&]<class Extra>(std::unique_ptr<Expander<P, Extra>> front,
                                          std::unique_ptr<Expander<P, Extra>> back) {
    return std::make_unique<BidirectionalBreadthFirst<P, Extra>>(std::move(front), std::move(back), layout,
                                                                 packed(problem.initial), seeds, options);
  };
  using Search = std::unique_ptr<SteppedSearch<Meeting>>;
  if (has_equal_weights(problem, costs)) {
    if (!has_runs(problem, costs) || are_runs_tied(backward.problem(), reversed))
      return Search(in_layers(equal_cost_expander<P>(forward, costs), equal_cost_expander<P>(backward, reversed)));
  } else if (const int agent = agent_group(forward, costs);
             agent >= 0 && agent == agent_group(backward, reversed)) {
    return Search(in_layers(region_expander<P>(forward, costs), region_expander<P>(backward, reversed)));
  }
  return std::make_unique<BidirectionalDijkstra<P>>(forward, backward, costs, reversed, packed(problem.initial), seeds,
                                                    options);
}

}  // namespace fewest
