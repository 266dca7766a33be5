#include "informed/macro_moves.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "state/costs.hpp"

namespace fewest {

namespace {

constexpr std::size_t kMostWords = std::size_t{1} << 23;  // a limit on the size of all macro operators

[[noreturn]] void refuse(const char* why) {
  throw std::invalid_argument(std::string("informed searches do not support a metric in which ") + why);
}

class MacroMoves {
 public:
  MacroMoves(const Problem& problem, const CostTable& costs, const std::vector<PieceMove>& moves)
      : num_operators_(problem.operators.count), costs_(costs), moves_(moves) {
    if (problem.forbidden.count > 0) refuse("moves merge and positions are forbidden");
    merging_ = merging_component(problem);
    going_on_.resize(costs.run_fact[merging_].size());
    for (const PieceMove& move : moves) {
      if (weight(move.id) == 0) refuse("moves merge and moves other than walks are free");
      if (const RunKey key = run_in(move.id); key != kNoRun) going_on_[key].push_back(&move);
    }
  }

  // Checks that no merged move contains a walk, and that the agent need not walk between the moves that are merged.
  void check(const std::vector<std::vector<Walk>>& walks) const {
    for (const auto& list : walks)
      for (const Walk& walk : list)
        if (weight(walk.id) > 0 && (run_in(walk.id) != kNoRun || run_out(walk.id) != kNoRun))
          refuse("walks merge");
    for (const PieceMove& move : moves_)
      for (const PieceMove* next : after(move.id))
        if (next->from != move.to) refuse("moves merge although the agent walks between them");
  }

  std::vector<PieceMove> all() {
    std::vector<PieceMove> runs;
    for (const PieceMove& move : moves_) {
      const std::size_t begin = runs.size();
      extend(move, begin, runs);
      for (std::size_t i = begin; i < runs.size(); ++i) extend(PieceMove(runs[i]), begin, runs);
    }
    return runs;
  }

 private:
  // Returns the part of the metric in which moves merge, or 0 if no moves merge.
  int merging_component(const Problem& problem) const {
    if (costs_.components == 1) return 0;
    int found = -1;
    for (int c = 0; c < costs_.components; ++c) {
      const std::vector<char> left = keys_left(problem, costs_, c), taken = continued_keys(problem, costs_, c);
      bool merges = false;
      for (std::size_t key = 0; key < left.size(); ++key) merges = merges || (left[key] && taken[key]);
      if (merges && found >= 0) refuse("both parts merge moves");
      if (merges) found = c;
    }
    return std::max(found, 0);
  }

  std::size_t row(OperatorId op) const { return merging_ * num_operators_ + static_cast<std::size_t>(op); }
  std::int64_t weight(OperatorId op) const { return costs_.weight[row(op)]; }
  RunKey run_in(OperatorId op) const { return costs_.run_in[row(op)]; }
  RunKey run_out(OperatorId op) const { return costs_.run_out[row(op)]; }

  const std::vector<const PieceMove*>& after(OperatorId op) const {
    static const std::vector<const PieceMove*> none;
    return run_out(op) == kNoRun ? none : going_on_[run_out(op)];
  }

  // Extends a macro operator by one move in all possible ways. The macro operators at and after `begin` start with the
  // same move; duplicates among them are dropped.
  void extend(const PieceMove& run, std::size_t begin, std::vector<PieceMove>& runs) {
    for (const PieceMove* next : after(last(run))) {
      PieceMove longer = run;
      num_words_ += 16 + 2 * run.true_spots.size() + run.then.size();
      if (num_words_ > kMostWords) refuse("there are too many merged moves");
      if (!append(longer, *next)) continue;
      const bool is_known = std::any_of(runs.begin() + static_cast<std::ptrdiff_t>(begin), runs.end(),
                                        [&](const PieceMove& known) { return is_as_good(known, longer); });
      if (!is_known) runs.push_back(std::move(longer));
    }
  }

  static OperatorId last(const PieceMove& run) { return run.then.empty() ? run.id : run.then.back(); }

  // Whether `a` has the same precondition and effect as `b`, can be continued by the same moves, and costs no more.
  bool is_as_good(const PieceMove& a, const PieceMove& b) const {
    return a.to == b.to && a.true_spots == b.true_spots && a.false_spots == b.false_spots && a.deleted == b.deleted &&
           a.added == b.added && run_out(last(a)) == run_out(last(b)) && a.cost <= b.cost;
  }

  // Appends `next` to `run`. Returns false if `next` cannot follow, or if `next` cancels out all of `run`; `run` must
  // then be discarded.
  bool append(PieceMove& run, const PieceMove& next) const {
    const int words = static_cast<int>(next.true_spots.size());
    bool fits = true;
    const auto require = [&](int spot, const std::vector<int>& made, const std::vector<int>& unmade, FactSet& required,
                         const FactSet& excluded) {
      if (holds(made, spot)) return;
      fits = fits && !holds(unmade, spot) && !has(excluded.data(), spot);
      add(required.data(), spot);
    };
    for_each_fact(next.true_spots.data(), words, [&](FactId spot) {
      require(spot, run.added, run.deleted, run.true_spots, run.false_spots);
    });
    for_each_fact(next.false_spots.data(), words, [&](FactId spot) {
      require(spot, run.deleted, run.added, run.false_spots, run.true_spots);
    });
    if (!fits) return false;
    for (int spot : next.deleted) change(spot, run.added, run.deleted);
    for (int spot : next.added) change(spot, run.deleted, run.added);
    FEWEST_ASSERT(std::none_of(run.added.begin(), run.added.end(), [&](int spot) { return holds(run.deleted, spot); }),
                  "a run does not both add and delete a spot");
    run.to = next.to;
    run.then.push_back(next.id);
    if (costs_.components == 2)  // the other part does not merge moves
      run.cost = sum_of_costs(run.cost, merging_ == 0 ? next.cost & 0xffffffffu : next.cost >> 32 << 32, 2);
    return !run.deleted.empty() || !run.added.empty();
  }

  static bool holds(const std::vector<int>& spots, int spot) {
    return std::find(spots.begin(), spots.end(), spot) != spots.end();
  }
  static void change(int spot, std::vector<int>& undone, std::vector<int>& done) {
    if (const auto it = std::find(undone.begin(), undone.end(), spot); it != undone.end())
      undone.erase(it);
    else
      done.push_back(spot);
  }

  std::size_t num_operators_;
  const CostTable& costs_;
  const std::vector<PieceMove>& moves_;
  int merging_ = 0;
  std::size_t num_words_ = 0;
  std::vector<std::vector<const PieceMove*>> going_on_;  // per key: the moves that continue a merged move with this key
};

}  // namespace

std::vector<PieceMove> run_moves(const Problem& problem, const CostTable& costs, const std::vector<PieceMove>& moves,
                                 const std::vector<std::vector<Walk>>& walks) {
  MacroMoves runs(problem, costs, moves);
  runs.check(walks);
  return runs.all();
}

}  // namespace fewest
