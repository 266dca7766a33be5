// What kind of costs a table holds: this decides the algorithm.
#pragma once

#include "state/problem.hpp"

namespace fewest {

// Whether some operator can continue a run that some operator leaves.
inline bool has_runs(const Problem& problem, const CostTable& costs) {
  for (int c = 0; c < costs.components; ++c) {
    const std::size_t row = c * problem.operators.count;
    std::vector<char> is_left(costs.run_fact[c].size(), 0);
    for (std::size_t op = 0; op < problem.operators.count; ++op) {
      const RunKey key = costs.run_out[row + op];
      if (costs.weight[row + op] > 0 && key != kNoRun) is_left[key] = 1;
    }
    for (std::size_t op = 0; op < problem.operators.count; ++op) {
      const RunKey key = costs.run_in[row + op];
      if (costs.weight[row + op] > 0 && key != kNoRun && is_left[key]) return true;
    }
  }
  return false;
}

// One component, all weights equal and above zero.
inline bool has_equal_weights(const Problem& problem, const CostTable& costs) {
  if (costs.components != 1) return false;
  for (std::size_t op = 0; op < problem.operators.count; ++op)
    if (costs.weight[op] <= 0 || costs.weight[op] != costs.weight[0]) return false;
  return true;
}

}  // namespace fewest
