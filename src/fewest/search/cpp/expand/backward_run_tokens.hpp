// Represents the costs of operator sequences as a graph that can be searched in both directions.
//
// Problem: the token of a metric that merges moves (see interface.py) depends on earlier operators. In a backward
// search, the cost of an operator depends on the preceding operator of the plan, which is not yet known.
// Solution: the search guesses the token. A node consists of a state and, for each part of the metric, either no token
// or a token that means "the merged move with this key continues". An operator costs its weight unless the token before
// it is its `run_in`. After the operator, there is either no token or the token `run_out`. If a node has a token that
// is not the `run_in` of an operator, the operator must not be applied, because the token means that the run continues.
// A free operator keeps the token, and must not be applied if it moves the piece that the merged move is moving. The
// cost of a plan is its least cost over all guesses: the best guess drops a token exactly where no operator continues
// the merged move. So the distances from (initial, none) to (goal, none) are the distances in the metric. A node has
// about as few predecessors as successors. In a reversed cost table, `run_in` and `run_out` are swapped. The weight is
// paid where a merged move begins in the plan, that is, where it ends in the reversed order.
#pragma once

#include "expand/generator.hpp"
#include "state/compiler_attributes.hpp"
#include "state/costs.hpp"

namespace fewest {

using TokenId = std::uint32_t;

class BackwardRunTokens {
 public:
  FEWEST_COLD BackwardRunTokens(const Problem& problem, const CostTable& costs, Direction direction)
      : direction_(direction), components_(costs.components) {
    const std::size_t size = problem.operators.count;
    steps_.resize(size * components_);
    std::uint64_t combinations = 1;
    for (int c = 0; c < components_; ++c) {
      num_tokens_[c] = static_cast<TokenId>(costs.run_fact[c].size() + 1);
      combinations *= num_tokens_[c];
      if (combinations > 0xffffffffu) throw std::overflow_error("too many run keys");
      const std::vector<char> is_left = keys_left(problem, costs, c);
      const std::vector<char> is_continued = continued_keys(problem, costs, c);
      const auto live = [&](RunKey key) {
        return key == kNoRun || !is_left[key] || !is_continued[key] ? kNoRun : key;
      };
      for (std::size_t op = 0; op < size; ++op) {
        Step& step = steps_[op * components_ + c];
        step.weight = packed_weight(costs, size, static_cast<OperatorId>(op), c);
        if (step.weight == 0) continue;
        step.run_in = live(costs.run_in[c * size + op]);
        step.run_out = live(costs.run_out[c * size + op]);
        matter_ = matter_ || step.run_out != kNoRun;
      }
      for (FactId fact : costs.run_fact[c]) facts_[c].push_back(fact);
    }
  }

  // Whether a node can have a token.
  bool matter() const { return matter_; }

  // Calls visit(cost, token) for every node to which a step by `op` in this direction leads.
  template <class Visit>
  void for_each(PackedCost cost, TokenId token, OperatorId op, const Word* flip,
                Visit visit) const {
    FEWEST_ASSERT(static_cast<std::size_t>(op) * components_ < steps_.size(), "the operator is one of the table");
    FEWEST_ASSERT(token < std::uint64_t{num_tokens_[0]} * num_tokens_[1],
                  "the number encodes one token per part of the metric");
    Option options[2][2];
    int count[2] = {1, 1};
    for (int c = 0; c < components_; ++c) {
      const auto own = static_cast<RunKey>(token % num_tokens_[c]) - 1;
      token /= num_tokens_[c];
      count[c] = step_over(steps_[static_cast<std::size_t>(op) * components_ + c], own,
                           own != kNoRun && facts_[c][own] != kNoFact && has(flip, facts_[c][own]),
                           options[c]);
      if (count[c] == 0) return;
    }
    for (int i = 0; i < count[0]; ++i) {
      const Option& a = options[0][i];
      if (components_ == 1) {
        visit(sum(cost, a.paid), a.token);
        continue;
      }
      for (int j = 0; j < count[1]; ++j)
        visit(sum(cost, a.paid + options[1][j].paid),
              a.token + options[1][j].token * num_tokens_[0]);
    }
  }

  PackedCost sum(PackedCost a, PackedCost b) const { return sum_of_costs(a, b, components_); }

 private:
  struct Step {
    PackedCost weight = 0;  // the weight, shifted to the part's half of a cost
    RunKey run_in = kNoRun, run_out = kNoRun;
  };
  struct Option {
    PackedCost paid;
    TokenId token;
  };

  int step_over(const Step& step, RunKey own, bool ends, Option* options) const {
    if (step.weight == 0) {
      if (pass(true, kNoRun, kNoRun, own, ends).token != own) return 0;
      options[0] = {0, token(own)};
      return 1;
    }
    if (own != kNoRun && !may_continue(own, step.run_in)) return 0;
    // The token before the operator, in the order of the plan, determines the cost. In a forward search, this is the
    // incoming token. In a backward search, this is the outgoing token, and run_in and run_out are swapped.
    const auto paid_if_left = [&](RunKey left) {
      const bool pays = direction_ == Direction::forward
                            ? pass(false, step.run_in, step.run_out, own, false).pays
                            : pass(false, step.run_out, step.run_in, left, false).pays;
      return pays ? step.weight : 0;
    };
    options[0] = {paid_if_left(kNoRun), token(kNoRun)};
    if (step.run_out == kNoRun) return 1;
    options[1] = {paid_if_left(step.run_out), token(step.run_out)};
    return 2;
  }

  static TokenId token(RunKey key) { return static_cast<TokenId>(key + 1); }

  Direction direction_;
  int components_;
  bool matter_ = false;
  std::vector<Step> steps_;  // [operators, components]
  std::vector<FactId> facts_[2];
  TokenId num_tokens_[2] = {1, 1};
};

}  // namespace fewest
