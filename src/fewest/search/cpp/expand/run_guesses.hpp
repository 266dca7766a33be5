// The costs of operator sequences as a graph that can be walked both ways.
//
// Problem: a merging metric's token (see interface.py) says what came before; backward, the cost of
// an operator depends on what comes before it, which is not known yet.
// Solution: guess. A node is a state with a token in each component that means "the run under this
// key goes on", none if not. An operator pays unless the token is its `run_in`, and leaves either
// none or its `run_out`; a token other than its `run_in` or none lets nothing pass (who holds it
// has guessed that it would be of use). A free operator keeps tokens, and does not pass if it moves
// the piece whose run goes on. What a plan pays is the least that its guesses can pay: drop a token
// exactly where nothing continues it. So distances from (initial, none) to (goal, none) are those
// of the metric, and the predecessors of a node are as few as its successors. In a reversed cost
// table `run_in` and `run_out` have changed places, and paying happens where a run begins in the
// plan: where it ends in the reversed order.
#pragma once

#include <stdexcept>

#include "state/bits.hpp"
#include "state/costs.hpp"
#include "expand/generator.hpp"

namespace fewest {

using TokenId = std::uint32_t;

class RunGuesses {
 public:
  RunGuesses(const Problem& problem, const CostTable& costs, Direction direction)
      : direction_(direction), components_(costs.components) {
    const std::size_t size = problem.operators.count;
    steps_.resize(size * components_);
    std::uint64_t combinations = 1;
    for (int c = 0; c < components_; ++c) {
      num_tokens_[c] = static_cast<TokenId>(costs.run_fact[c].size() + 1);
      combinations *= num_tokens_[c];
      if (combinations > 0xffffffffu) throw std::overflow_error("too many run keys");
      const std::int64_t* weight = costs.weight + c * size;
      const RunKey* run_in = costs.run_in + c * size;
      const RunKey* run_out = costs.run_out + c * size;
      std::vector<char> is_left(costs.run_fact[c].size()), is_continued(is_left);
      for (std::size_t op = 0; op < size; ++op) {
        if (weight[op] == 0) continue;
        if (run_out[op] != kNoRun) is_left[run_out[op]] = 1;
        if (run_in[op] != kNoRun) is_continued[run_in[op]] = 1;
      }
      const auto token = [&](RunKey key) -> TokenId {
        return key == kNoRun || !is_left[key] || !is_continued[key] ? 0 : key + 1;
      };
      for (std::size_t op = 0; op < size; ++op) {
        Step& step = steps_[op * components_ + c];
        if (components_ == 2 && weight[op] > 0xffffffff)
          throw std::overflow_error("a weight of a lexicographic metric is too large");
        step.weight = static_cast<PackedCost>(weight[op])
                      << (components_ == 2 && c == 0 ? 32 : 0);
        if (weight[op] == 0) continue;
        step.in = token(run_in[op]);
        step.out = token(run_out[op]);
        matter_ = matter_ || step.out != 0;
      }
      for (FactId fact : costs.run_fact[c]) facts_[c].push_back(fact);
    }
  }

  // Whether there are nodes with tokens.
  bool matter() const { return matter_; }

  // visit(cost, token) for every node that a step over `op`, in this direction, leads to.
  template <class Visit>
  void for_each(PackedCost cost, TokenId token, OperatorId op, const Word* flip,
                Visit visit) const {
    Option options[2][2];
    int count[2] = {1, 1};
    for (int c = 0; c < components_; ++c) {
      const TokenId own = token % num_tokens_[c];
      token /= num_tokens_[c];
      count[c] = step_over(steps_[static_cast<std::size_t>(op) * components_ + c], own,
                           own == 0 ? kNoFact : facts_[c][own - 1], flip, options[c]);
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

  PackedCost sum(PackedCost a, PackedCost b) const {
    PackedCost total;
    const PackedCost low = 0xffffffffu;
    if (__builtin_add_overflow(a, b, &total) ||
        (components_ == 2 && (a & low) + (b & low) > low))
      throw std::overflow_error("a cost is too large");
    return total;
  }

 private:
  struct Step {
    PackedCost weight = 0;  // in its half
    TokenId in = 0, out = 0;
  };
  struct Option {
    PackedCost paid;
    TokenId token;
  };

  int step_over(const Step& step, TokenId own, FactId fact, const Word* flip,
                Option* options) const {
    if (step.weight == 0) {
      if (fact != kNoFact && has(flip, fact)) return 0;
      options[0] = {0, own};
      return 1;
    }
    if (own != 0 && own != step.in) return 0;
    const bool pays_now = direction_ == Direction::forward ? own == 0 : true;
    options[0] = {pays_now ? step.weight : 0, 0};
    if (step.out == 0) return 1;
    options[1] = {direction_ == Direction::forward && own == 0 ? step.weight : 0, step.out};
    return 2;
  }

  Direction direction_;
  int components_;
  bool matter_ = false;
  std::vector<Step> steps_;  // [operators, components]
  std::vector<FactId> facts_[2];
  TokenId num_tokens_[2] = {1, 1};
};

}  // namespace fewest
