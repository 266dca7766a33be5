// The costs of operator sequences: the token rule, packed costs, and properties of cost tables.
//
// For each part of the metric, a sequence has a token: the key of the merged move (the *run*) in progress, or no key,
// as at the beginning of a sequence. An operator *continues* the key in its `run_in`, and *leaves* the key in its
// `run_out`. `pass` is the rule for one step. The rule has three other forms:
// - tokens.hpp precomputes the rule for Dijkstra's algorithm, with all parts in one number;
// - backward_run_tokens.hpp represents the rule as a graph that can be searched backwards: the search guesses the
//   token, and `pass` computes the cost of the guess;
// - runs.hpp and predecessors.hpp compute the closure of a state under the operators that continue one key. These files
//   need only `may_continue`: the operators within a run are free, so there are no costs to add up, and the operators that
//   continue a key are in a single list. Calling `pass` for each operator would be slower.
// tests/cpp/test_costs.cpp compares these forms (except predecessors.hpp) with the literal rule, which applies `passed`
// to each operator of a sequence.
#pragma once

#include <stdexcept>

#include "state/bits.hpp"

namespace fewest {

// Whether an operator with this `run_in` continues the run in progress.
constexpr bool may_continue(RunKey token, RunKey run_in) { return token != kNoRun && token == run_in; }

struct Passed {
  bool pays;
  RunKey token;
};

// A free operator costs nothing. It keeps the token, unless it moves the piece of the run (`ends`). Any other operator
// costs its weight, unless it continues the run. Afterwards its `run_out` is the token.
constexpr Passed pass(bool is_free, RunKey run_in, RunKey run_out, RunKey token, bool ends) {
  if (is_free) return {false, ends ? kNoRun : token};
  return {!may_continue(token, run_in), run_out};
}

// The literal rule, for an operator of a cost table.
inline Passed passed(const Problem& problem, const CostTable& costs, int component, OperatorId op,
                     RunKey token) {
  FEWEST_ASSERT(op >= 0 && static_cast<std::size_t>(op) < problem.operators.count, "the operator is one of the table");
  FEWEST_ASSERT(component >= 0 && component < costs.components, "the part is one of the metric");
  FEWEST_ASSERT(token == kNoRun || static_cast<std::size_t>(token) < costs.run_fact[component].size(),
                "a token is the key of a run");
  const std::size_t row = component * problem.operators.count + op;
  const FactId fact = token == kNoRun ? kNoFact : costs.run_fact[component][token];
  const Word* flip = problem.flip + static_cast<std::size_t>(op) * problem.words;
  return pass(costs.weight[row] == 0, costs.run_in[row], costs.run_out[row], token,
              fact != kNoFact && has(flip, fact));
}

// Whether the table has the properties that problem.hpp describes.
inline bool is_cost_table(const Problem& problem, const CostTable& costs) {
  if (costs.components < 1 || costs.components > 2) return false;
  if (costs.run_fact.size() != static_cast<std::size_t>(costs.components)) return false;
  for (int c = 0; c < costs.components; ++c) {
    const auto keys = static_cast<RunKey>(costs.run_fact[c].size());
    for (FactId fact : costs.run_fact[c])
      if (fact < kNoFact || fact >= problem.num_facts) return false;
    for (std::size_t op = 0; op < problem.operators.count; ++op) {
      const std::size_t row = c * problem.operators.count + op;
      if (costs.weight[row] < 0 || costs.run_in[row] < kNoRun || costs.run_in[row] >= keys ||
          costs.run_out[row] < kNoRun || costs.run_out[row] >= keys)
        return false;
    }
  }
  return true;
}

// For each key: whether it is in `keys` (run_in or run_out) for some operator that is not free.
inline std::vector<char> keys_named(const Problem& problem, const CostTable& costs, int component,
                                    const RunKey* keys) {
  const std::size_t row = component * problem.operators.count;
  std::vector<char> is_named(costs.run_fact[component].size(), 0);
  FEWEST_ASSERT(is_cost_table(problem, costs),
                "weights are not negative, and run keys are less than the number of keys");
  for (std::size_t op = 0; op < problem.operators.count; ++op)
    if (costs.weight[row + op] > 0 && keys[row + op] != kNoRun) is_named[keys[row + op]] = 1;
  return is_named;
}
inline std::vector<char> continued_keys(const Problem& problem, const CostTable& costs,
                                           int component) {
  return keys_named(problem, costs, component, costs.run_in);
}
inline std::vector<char> keys_left(const Problem& problem, const CostTable& costs, int component) {
  return keys_named(problem, costs, component, costs.run_out);
}

// Whether some operator can continue a run that some operator leaves.
inline bool has_runs(const Problem& problem, const CostTable& costs) {
  for (int c = 0; c < costs.components; ++c) {
    const std::vector<char> left = keys_left(problem, costs, c);
    const std::vector<char> continued_by = continued_keys(problem, costs, c);
    for (std::size_t key = 0; key < left.size(); ++key)
      if (left[key] && continued_by[key]) return true;
  }
  return false;
}

// Whether some operator or permutation has a `run_in`. The metric must have one part.
inline bool has_run_keys(const Problem& problem, const CostTable& costs) {
  for (std::size_t op = 0; op < problem.operators.count + problem.num_permutations; ++op)
    if (costs.run_in[op] != kNoRun) return true;
  return false;
}

// Whether every operator that continues a run requires the fact of the run's piece, if the run has such a fact. `Runs`
// requires this property.
inline bool are_runs_tied(const Problem& problem, const CostTable& costs) {
  for (std::size_t op = 0; op < problem.operators.count; ++op) {
    const RunKey key = costs.run_in[op];
    if (key == kNoRun || costs.run_fact[0][key] == kNoFact) continue;
    if (!has(problem.operators.value + op * problem.words, costs.run_fact[0][key])) return false;
  }
  return true;
}

// Whether the metric has one part, in which all weights are equal and positive.
inline bool has_equal_weights(const Problem& problem, const CostTable& costs) {
  if (costs.components != 1) return false;
  for (std::size_t op = 0; op < problem.operators.count + problem.num_permutations; ++op)
    if (costs.weight[op] <= 0 || costs.weight[op] != costs.weight[0]) return false;
  return true;
}

// The weight of an operator in one part of the metric, placed in that part's half of a packed cost. Throws
// std::overflow_error if the weight does not fit.
inline PackedCost packed_weight(const CostTable& costs, std::size_t num_operators, OperatorId op,
                                int component) {
  FEWEST_ASSERT(op >= 0 && static_cast<std::size_t>(op) < num_operators, "the operator is one of the table");
  const std::int64_t weight = costs.weight[component * num_operators + op];
  FEWEST_ASSERT(weight >= 0, "no operator has a negative weight");
  if (costs.components == 1) return static_cast<PackedCost>(weight);
  if (weight > 0xffffffff)
    throw std::overflow_error("a weight of a lexicographic metric is too large");
  return static_cast<PackedCost>(weight) << (component == 0 ? 32 : 0);
}

// Returns a + b. Throws std::overflow_error if a part does not fit.
inline PackedCost sum_of_costs(PackedCost a, PackedCost b, int components) {
  PackedCost total;
  const PackedCost low = 0xffffffffu;
  if (__builtin_add_overflow(a, b, &total) || (components == 2 && (a & low) + (b & low) > low))
    throw std::overflow_error("a cost is too large");
  return total;
}

}  // namespace fewest
