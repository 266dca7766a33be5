// The costs of operator sequences, with one token per part of the metric (see interface.py).
//
// Solution: one number encodes the tokens of all parts (0: no token), and another number encodes the costs of all
// parts (PackedCost). Keys that no operator continues are replaced with kNoRun, which reduces the number of nodes.
#pragma once

#include <algorithm>

#include "state/compiler_attributes.hpp"
#include "state/costs.hpp"

namespace fewest {

using TokenId = std::uint32_t;

class Tokens {
 public:
  FEWEST_COLD Tokens(const Problem& problem, const CostTable& costs) : components_(costs.components) {
    const std::size_t size = problem.operators.count;
    matter_ = has_runs(problem, costs);
    weights_.resize(size);
    steps_.resize(matter_ ? size * components_ : 0);
    std::uint64_t combinations = 1;
    for (int c = 0; c < components_; ++c) {
      num_tokens_[c] = static_cast<TokenId>(costs.run_fact[c].size() + 1);
      combinations *= num_tokens_[c];
      if (combinations > 0xffffffffu) throw std::overflow_error("too many run keys");
    }
    for (int c = 0; c < components_; ++c) {
      const std::vector<char> is_live = continued_keys(problem, costs, c);
      std::vector<std::vector<RunKey>> keys_at(problem.num_facts);
      for (std::size_t key = 0; key < is_live.size(); ++key) {
        const FactId fact = costs.run_fact[c][key];
        if (fact != kNoFact && is_live[key]) keys_at[fact].push_back(static_cast<RunKey>(key));
      }
      for (std::size_t op = 0; op < size; ++op) {
        const PackedCost weight = packed_weight(costs, size, static_cast<OperatorId>(op), c);
        weights_[op] |= weight;
        if (!matter_) continue;
        const RunKey run_out = costs.run_out[c * size + op];
        Step& step = steps_[op * components_ + c];
        step.weight = weight;
        step.run_in = costs.run_in[c * size + op];
        step.run_out = run_out != kNoRun && is_live[run_out] ? run_out : kNoRun;
        if (weight == 0)
          for_each_fact(problem.flip + op * problem.words, problem.words, [&](FactId fact) {
            step.ends.insert(step.ends.end(), keys_at[fact].begin(), keys_at[fact].end());
          });
      }
    }
  }

  // Whether nodes that have the same state but different tokens must be distinguished.
  bool matter() const { return matter_; }
  TokenId none() const { return 0; }

  struct Applied {
    PackedCost cost;
    TokenId token;
  };

  // The cost and the tokens after one more operator. Throws std::overflow_error if a part of the cost does not fit.
  Applied apply(PackedCost cost, TokenId token, OperatorId op) const {
    FEWEST_ASSERT(op >= 0 && static_cast<std::size_t>(op) < weights_.size(), "the operator is one of the table");
    FEWEST_ASSERT(matter_ ? token < std::uint64_t{num_tokens_[0]} * num_tokens_[1] : token == none(),
                  "the number encodes one token per part of the metric");
    if (!matter_) return {sum(cost, weights_[op]), 0};
    PackedCost paid = 0;
    TokenId rest = token, after = 0, factor = 1;
    for (int c = 0; c < components_; ++c) {
      const Step& step = steps_[static_cast<std::size_t>(op) * components_ + c];
      const auto own = static_cast<RunKey>(rest % num_tokens_[c]) - 1;
      rest /= num_tokens_[c];
      const bool is_free = step.weight == 0;
      const Passed next =
          pass(is_free, step.run_in, step.run_out, own, is_free && step.ends_run(own));
      if (next.pays) paid += step.weight;
      after += static_cast<TokenId>(next.token + 1) * factor;
      factor *= num_tokens_[c];
    }
    FEWEST_ASSERT(after < std::uint64_t{num_tokens_[0]} * num_tokens_[1],
                  "the number encodes one token per part of the metric");
    return {sum(cost, paid), after};
  }

 private:
  struct Step {
    PackedCost weight = 0;  // the weight, shifted to the part's half of a cost
    RunKey run_in = kNoRun, run_out = kNoRun;
    std::vector<RunKey> ends;  // for a free operator: the keys that are tied to a fact that it flips

    bool ends_run(RunKey key) const { return std::find(ends.begin(), ends.end(), key) != ends.end(); }
  };

  PackedCost sum(PackedCost a, PackedCost b) const { return sum_of_costs(a, b, components_); }

  int components_;
  bool matter_ = false;
  std::vector<PackedCost> weights_;
  std::vector<Step> steps_;  // [operators, components]
  TokenId num_tokens_[2] = {1, 1};
};

}  // namespace fewest
