#include "blind/search.hpp"

#include <stdexcept>

#include "state/compiler.hpp"
#include "state/costs.hpp"
#include "state/widths.hpp"

namespace fewest {

Outcome search(const Problem& problem, const CostTable& costs, const Options& options,
               const Symmetry* symmetry) {
  if (problem.num_turns > 0 && (symmetry != nullptr || !has_equal_weights(problem, costs)))
    throw std::invalid_argument("turns are searched where every operator costs the same");
  const Invariants invariants(problem);
  const Layout layout(problem, invariants);
  if (rounded_width(layout.words()) == 0)
    throw std::invalid_argument("a packed state has too many words");
  const Compiler compiler(problem, invariants, layout);
  return with_width(
      layout.words(),
      [&]<int P>() { return search_width<P>(compiler, costs, options, symmetry); }, Outcome{});
}

Meeting bidirectional(const Problem& problem, const CostTable& costs, const Problem& reversed,
                      const CostTable& reversed_costs, const Word* goals, std::size_t num_goals,
                      const Options& options) {
  const Invariants invariants(problem);
  const Layout layout(problem, invariants);
  if (rounded_width(layout.words()) == 0)
    throw std::invalid_argument("a packed state has too many words");
  const Compiler forward(problem, invariants, layout), backward(reversed, invariants, layout);
  return with_width(
      layout.words(),
      [&]<int P>() {
        return bidirectional_width<P>(forward, costs, backward, reversed_costs, goals, num_goals,
                                      options);
      },
      Meeting{});
}

std::optional<MeasuredGoal> measure(const Problem& problem, const CostTable& costs,
                                    const Problem& reversed, const CostTable& reversed_costs,
                                    bool counts_plans, const Options& options) {
  if (!has_equal_weights(problem, costs)) return std::nullopt;
  if (has_runs(problem, costs) && !are_runs_tied(reversed, reversed_costs)) return std::nullopt;
  const Invariants invariants(problem);
  const Layout layout(problem, invariants);
  if (rounded_width(layout.words()) == 0)
    throw std::invalid_argument("a packed state has too many words");
  const Compiler forward(problem, invariants, layout), backward(reversed, invariants, layout);
  return with_width(
      layout.words(),
      [&]<int P>() {
        return measure_width<P>(forward, costs, backward, reversed_costs, counts_plans, options);
      },
      MeasuredGoal{});
}

int packed_words(const Problem& problem) { return Layout(problem, Invariants(problem)).words(); }

std::unique_ptr<BatchExpander> make_expander(const Problem& problem) {
  return with_width(
      problem.words, [&]<int P>() { return make_expander<P>(problem); }, std::unique_ptr<BatchExpander>{});
}

std::unique_ptr<StateSet> make_state_set(int words) {
  return with_width(
      words, [&]<int P>() { return make_state_set<P>(words); }, std::unique_ptr<StateSet>{});
}

}  // namespace fewest
