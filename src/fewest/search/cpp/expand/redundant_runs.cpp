#include "expand/redundant_runs.hpp"

#include <algorithm>

namespace fewest {

namespace {

class RedundantRuns {
 public:
  RedundantRuns(const Problem& problem, const CostTable& costs)
      : problem_(problem),
        run_in_(costs.run_in),
        run_out_(costs.run_out),
        fact_(costs.run_fact[0]),
        leaving_(fact_.size()),
        going_on_(fact_.size()),
        tied_to_(problem.num_facts),
        return_key_(fact_.size(), kNoRun) {
    FEWEST_ASSERT(is_cost_table(problem, costs),
                  "weights are not negative, and run keys are less than the number of keys");
    for (OperatorId op = 0; op < static_cast<OperatorId>(problem.operators.count); ++op) {
      if (run_in_[op] != kNoRun) going_on_[run_in_[op]].push_back(op);
      if (run_out_[op] != kNoRun) leaving_[run_out_[op]].push_back(op);
    }
    for (std::size_t key = 0; key < fact_.size(); ++key)
      if (fact_[key] != kNoFact && !going_on_[key].empty()) tied_to_[fact_[key]].push_back(static_cast<RunKey>(key));
    find_return_keys();
  }

  std::vector<char> covered() const {
    std::vector<char> result(fact_.size(), 0);
    for (std::size_t key = 0; key < fact_.size(); ++key)
      result[key] = fact_[key] != kNoFact &&
                    std::ranges::all_of(tied_to_[fact_[key]], [&](RunKey other) {
                      return other == static_cast<RunKey>(key) || other == return_key_[key];
                    });
    return result;
  }

 private:
  void find_return_keys() {
    for (std::size_t key = 0; key < fact_.size(); ++key) {
      if (fact_[key] == kNoFact) continue;
      for (RunKey back : tied_to_[fact_[key]])
        if (back != static_cast<RunKey>(key) && takes_back(back, key)) return_key_[key] = back;
    }
    for (bool is_done = false; !is_done;) {
      is_done = true;
      for (std::size_t key = 0; key < fact_.size(); ++key) {
        if (return_key_[key] == kNoRun || leads_on(key)) continue;
        return_key_[key] = kNoRun;
        is_done = false;
      }
    }
  }

  // Whether exactly one operator continues `back`, and this operator undoes all operators that leave `key`.
  bool takes_back(RunKey back, std::size_t key) const {
    if (going_on_[back].size() != 1) return false;
    const Word* undoing = flip(going_on_[back][0]);
    return std::ranges::all_of(leaving_[key], [&](OperatorId op) {
      return std::equal(undoing, undoing + problem_.words, flip(op));
    });
  }

  // Whether the reverse move can continue after any operator that leaves `key` has been undone. The inverse of each such
  // operator must leave the key that leads further back along the merged move. If the merged move began with the undone
  // operator, any tied key is sufficient, because the closures of all merged moves from its first state have been
  // computed.
  bool leads_on(std::size_t key) const {
    const RunKey next = run_out_[going_on_[return_key_[key]][0]];
    if (next == kNoRun || going_on_[next].empty()) return true;
    return fact_[next] != kNoFact && std::ranges::all_of(leaving_[key], [&](OperatorId op) {
      return run_in_[op] == kNoRun || return_key_[run_in_[op]] == next;
    });
  }

  const Word* flip(OperatorId op) const { return problem_.flip + static_cast<std::size_t>(op) * problem_.words; }

  const Problem& problem_;
  const RunKey* run_in_;
  const RunKey* run_out_;
  const std::vector<FactId>& fact_;
  std::vector<std::vector<OperatorId>> leaving_, going_on_;  // by key: the operators that leave and continue it
  std::vector<std::vector<RunKey>> tied_to_;                 // per fact: its keys that some operator continues
  std::vector<RunKey> return_key_;                             // by key: the key of the reverse move, or kNoRun
};

}  // namespace

std::vector<char> covered_runs(const Problem& problem, const CostTable& costs) {
  return RedundantRuns(problem, costs).covered();
}

}  // namespace fewest
