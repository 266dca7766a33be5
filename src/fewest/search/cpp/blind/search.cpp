#include "blind/search.hpp"

#include <stdexcept>

#include "expand/expanders.hpp"
#include "state/compiler.hpp"
#include "state/costs.hpp"
#include "state/widths.hpp"

namespace fewest {

Outcome search(const Problem& problem, const CostTable& costs, const Options& options,
               const Symmetry* symmetry) {
  if (problem.num_turns > 0 && (symmetry != nullptr || !has_equal_weights(problem, costs)))
    throw std::invalid_argument("turns are searched where every operator costs the same, without symmetry");
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
  require_operators(problem, "a search from both ends");
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
  require_operators(problem, "measuring distances to the goal");
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

std::optional<GuidedOutcome> guided(const Problem& problem, const CostTable& costs,
                                    std::vector<Abstraction> abstractions, const Options& options) {
  require_operators(problem, "a search with abstractions");
  if (!has_equal_weights(problem, costs)) return std::nullopt;
  const Invariants invariants(problem);
  const Layout layout(problem, invariants);
  int words = layout.words();
  std::erase_if(abstractions, [&](const Abstraction& one) {
    const int needed = packed_words(*one.problem);
    const bool is_odd = !has_equal_weights(*one.problem, *one.costs) || rounded_width(needed) == 0 ||
                        (has_runs(*one.problem, *one.costs) && !are_runs_tied(*one.reversed, *one.reversed_costs));
    if (!is_odd) words = std::max(words, needed);
    return is_odd;
  });
  if (abstractions.empty()) return std::nullopt;
  if (rounded_width(words) == 0) throw std::invalid_argument("a packed state has too many words");
  const Compiler compiler(problem, invariants, layout);
  return with_width(
      words, [&]<int P>() { return guided_width<P>(compiler, costs, abstractions, options); }, GuidedOutcome{});
}

bool is_layered(const Problem& problem, const CostTable& costs) {
  if (has_equal_weights(problem, costs)) return true;
  if (problem.settling.count > 0) return false;
  const Invariants invariants(problem);
  const Layout layout(problem, invariants);
  return agent_group(Compiler(problem, invariants, layout), costs) >= 0;
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
