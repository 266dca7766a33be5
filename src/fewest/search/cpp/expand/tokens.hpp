// The costs of operator sequences: a token per component goes along (see interface.py).
//
// Solution: the tokens of all components are one number (0 where they do not matter), the costs of
// all components another (PackedCost). Keys that no operator continues count as none, which spares
// nodes.
#pragma once

#include <stdexcept>

#include "state/bits.hpp"
#include "state/costs.hpp"

namespace fewest {

using TokenId = std::uint32_t;

class Tokens {
 public:
  Tokens(const Problem& problem, const CostTable& costs) : components_(costs.components) {
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
      const std::int64_t* weight = costs.weight + c * size;
      const RunKey* run_in = costs.run_in + c * size;
      const RunKey* run_out = costs.run_out + c * size;
      std::vector<char> is_live(costs.run_fact[c].size(), 0);
      for (std::size_t op = 0; op < size; ++op)
        if (weight[op] > 0 && run_in[op] != kNoRun) is_live[run_in[op]] = 1;
      std::vector<std::vector<TokenId>> tokens_at(problem.num_facts);
      for (std::size_t key = 0; key < is_live.size(); ++key) {
        const FactId fact = costs.run_fact[c][key];
        if (fact != kNoFact && is_live[key])
          tokens_at[fact].push_back(static_cast<TokenId>(key + 1));
      }
      for (std::size_t op = 0; op < size; ++op) {
        if (components_ == 2 && weight[op] > 0xffffffff)
          throw std::overflow_error("a weight of a lexicographic metric is too large");
        weights_[op] |= static_cast<PackedCost>(weight[op]) << (is_high(c) ? 32 : 0);
        if (!matter_) continue;
        Step& step = steps_[op * components_ + c];
        step.weight = static_cast<PackedCost>(weight[op]) << (is_high(c) ? 32 : 0);
        step.continues = weight[op] > 0 ? token(run_in[op]) : 0;
        step.leaves = run_out[op] != kNoRun && is_live[run_out[op]] ? token(run_out[op]) : 0;
        if (weight[op] == 0)
          for_each_fact(problem.flip + op * problem.words, problem.words, [&](FactId fact) {
            step.ends.insert(step.ends.end(), tokens_at[fact].begin(), tokens_at[fact].end());
          });
      }
    }
  }

  // Whether nodes with the same state and different tokens must be told apart.
  bool matter() const { return matter_; }
  TokenId none() const { return 0; }

  struct Applied {
    PackedCost cost;
    TokenId token;
  };

  // The cost and the tokens after one more operator. Throws std::overflow_error.
  Applied apply(PackedCost cost, TokenId token, OperatorId op) const {
    if (!matter_) return {sum(cost, weights_[op]), 0};
    PackedCost paid = 0;
    TokenId rest = token, after = 0, factor = 1;
    for (int c = 0; c < components_; ++c) {
      const Step& step = steps_[static_cast<std::size_t>(op) * components_ + c];
      TokenId own = rest % num_tokens_[c];
      rest /= num_tokens_[c];
      if (step.weight == 0) {
        for (TokenId ended : step.ends)
          if (own == ended) own = 0;
      } else {
        if (own == 0 || own != step.continues) paid += step.weight;
        own = step.leaves;
      }
      after += own * factor;
      factor *= num_tokens_[c];
    }
    return {sum(cost, paid), after};
  }

 private:
  struct Step {
    PackedCost weight = 0;  // in its half
    TokenId continues = 0, leaves = 0;
    std::vector<TokenId> ends;  // a free operator: tokens whose fact it flips
  };

  bool is_high(int component) const { return components_ == 2 && component == 0; }
  static TokenId token(RunKey key) { return key == kNoRun ? 0 : static_cast<TokenId>(key + 1); }

  PackedCost sum(PackedCost a, PackedCost b) const {
    PackedCost total;
    const PackedCost low = 0xffffffffu;
    if (__builtin_add_overflow(a, b, &total) ||
        (components_ == 2 && (a & low) + (b & low) > low))
      throw std::overflow_error("a cost is too large");
    return total;
  }

  int components_;
  bool matter_ = false;
  std::vector<PackedCost> weights_;
  std::vector<Step> steps_;  // [operators, components]
  TokenId num_tokens_[2] = {1, 1};
};

}  // namespace fewest
