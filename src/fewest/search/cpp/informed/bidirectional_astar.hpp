// A* from both ends.
//
// Problem: A* looks at every state whose f is below the minimum; where h is d too low at the start, that is all that
// is reached by detours of d or less, and their number grows by a factor with every step of a detour.
// Solution: a search from the start and one from the goals (one_end.hpp). Every plan that is not known yet leads
// through an open state of each; with consistent bounds it costs at least the f of one and the detour of the other,
// and the other way round (KK bound: Kaindl and Kainz, 1997; all pairs of them: Alcázar, Riddle and Barley, 2020). The
// least over all pairs is proved; states of such pairs are expanded, of the side that has less to do. So each
// makes some of the detours, and a side on which bounds are good makes most.
// Sound where bounds are consistent: states that are lost or in a dead end are on no plan; of a corral's moves (only
// forward: no move backward fits them) one begins a best plan from its state, and that plan is found. Without symmetries:
// they need not map the start to itself.
// With bounds that are nearly right at the start, as zones often are, A* alone may come to a plan sooner than two searches
// come to meet: so it takes turns with them, a *third*, or has the second thread. Whoever proves more has proved it. It may
// have a bound of its own, which finds more and takes longer. As long as it has proved far less than the two it will not
// come to a plan before them, and hardly works.
// Memory: as A*, an equal share of it for each.
#pragma once

#include "informed/backward.hpp"
#include "informed/gang.hpp"
#include "informed/one_end.hpp"

namespace fewest {

template <int P, int Q>
class BidirectionalAStar final : public InformedSearch {
 public:
  // `alone`: the bound of a third search, A* from the start alone, if there is to be one.
  BidirectionalAStar(const PieceProblem& forward, const BackwardProblem& backward, const Hints& hints,
                     const SearchOptions& options, std::unique_ptr<PieceBound> alone = nullptr)
      : least_(options.at_least), gang_(std::min<std::size_t>(2, options.threads)),
        ahead_(forward, *backward.problem, {hints.groups, hints.numbers, {}, hints.dead, hints.look_from},
               share(options, alone != nullptr)),
        back_(*backward.problem, forward, {hints.groups, hints.numbers, {}, {}, hints.look_from},
              as_first(share(options, alone != nullptr))) {
    if (alone) third_ = std::make_unique<OneBeside>(forward, hints, as_first(share(options, true)), std::move(*alone));
    ahead_.begin_at({forward.pieces->initial, {}, forward.pieces->initial_place});
    for (const PieceCube& start : backward.starts) back_.begin_at(start);
    note(ahead_.meet(back_));
  }

  Status advance(Control& control, const Quota& quota) override {
    if (third_ && !is_begun_) third_->begin();
    is_begun_ = true;
    while (status_ == Status::running && work() < quota.work && bytes() < quota.bytes) status_ = round(control);
    return status_;
  }
  std::uint64_t work() const override {
    return ahead_.work() + back_.work() + (third_ ? third_->work() : 0);
  }
  PackedCost bound() const override { return std::min(least_, best_.cost); }
  std::size_t bytes() const override { return ahead_.bytes() + back_.bytes() + (third_ ? third_->bytes() : 0); }

 private:
  static constexpr std::uint64_t kInRound = 256, kInSharedRound = 1024;
  // In one of so many A* alone works where it is far behind: by a share of what the two have proved.
  static constexpr std::uint64_t kRoundsBehind = 8;
  static constexpr PackedCost kShareBehind = 32;

  // A* from the start alone.
  class OneBeside : public AStar<P, Q> {
    using Base = AStar<P, Q>;

   public:
    // With a bound of its own, since it may work at the same time as others.
    OneBeside(const PieceProblem& problem, const Hints& hints, const SearchOptions& options, PieceBound bound)
        : Base(problem, hints, options, std::move(bound)) {}

    using Base::begin, Base::found;
    void expand_some(std::uint64_t at_most) {
      const std::uint64_t end = num_expanded() + at_most;
      while (this->status_ == Status::running && num_expanded() < end) this->advance();
    }
    Status status() const { return this->status_; }
    PackedCost least() const { return this->least_f_; }
    std::uint64_t num_states() const { return this->table_.size(); }
    std::uint64_t num_expanded() const { return this->num_expanded_; }
    using Base::counts;
  };

  static SearchOptions share(SearchOptions options, bool has_third) {
    options.memory /= has_third ? 3 : 2;
    return options;
  }

  // Without the expansions of earlier searches, which were forward.
  static SearchOptions as_first(SearchOptions options) {
    options.expanded_before = 0;
    return options;
  }

  // One side works, or both at the same time. What it has come to.
  Status round(Control& control) {
    if (third_ && third_->status() == Status::goal) return Status::goal;
    for (const Status status : {ahead_.status(), back_.status(), third_ ? third_->status() : Status::running})
      if (status != Status::running) return status;
    if (ahead_.is_done() || back_.is_done()) return best_.cost == kInfiniteCost ? Status::exhausted : Status::goal;
    const Status status = control.check(least_, num_states(), num_expanded(), [this] { return bytes(); });
    if (status != Status::running) return status;
    const std::vector<Front> fronts = ahead_.find_fronts(), other = back_.find_fronts();
    if (!prove(fronts, other)) return Status::goal;
    if (third_ && (!is_far_behind() || num_rounds_++ % kRoundsBehind == 0)) {
      work_beside(fronts, other);
    } else if (gang_.size() > 1) {
      gang_.all([&](std::size_t i) {
        i == 0 ? ahead_.expand_pairs(least_, other, kInSharedRound, best_.cost)
               : back_.expand_pairs(least_, fronts, kInSharedRound, best_.cost);
      });
      Meeting met;
      gang_.all([&](std::size_t i) { i == 0 ? note(ahead_.meet(back_)) : void(met = back_.meet(ahead_)); });
      note({met.cost, met.there, met.here});
    } else {
      work_in_turns(fronts, other, kInRound);
    }
    return Status::running;
  }

  bool is_far_behind() const { return third_->least() < least_of_both_ - least_of_both_ / kShareBehind; }

  void work_in_turns(const std::vector<Front>& fronts, const std::vector<Front>& other, std::uint64_t at_most) {
    if (ahead_.num_expanded() - ahead_before_ <= back_.num_expanded() - back_before_) {
      ahead_.expand_pairs(least_, other, at_most, best_.cost);
      note(ahead_.meet(back_));
    } else {
      back_.expand_pairs(least_, fronts, at_most, best_.cost);
      const Meeting met = back_.meet(ahead_);
      note({met.cost, met.there, met.here});
    }
  }

  void work_beside(const std::vector<Front>& fronts, const std::vector<Front>& other) {
    if (gang_.size() > 1) {
      gang_.all([&](std::size_t i) {
        i == 0 ? work_in_turns(fronts, other, kInSharedRound) : third_->expand_some(kInSharedRound);
      });
    } else {
      work_in_turns(fronts, other, kInRound);
      third_->expand_some(kInRound);
    }
  }

  // Raises the lower bound to the least over all pairs. False: that is the minimum.
  bool prove(const std::vector<Front>& fronts, const std::vector<Front>& other) {
    PackedCost least = kInfiniteCost;
    for (const Front& a : fronts)
      for (const Front& b : other) least = std::min(least, least_through(a, b));
    least_of_both_ = least;
    if (third_ && third_->least() > least_) least = std::max(least, third_->least());
    if (least > least_) {
      least_ = least;
      ahead_before_ = ahead_.num_expanded();
      back_before_ = back_.num_expanded();
    }
    return least_ < best_.cost;
  }

  void note(const Meeting& met) {
    if (met.cost < best_.cost) best_ = met;
  }

  std::uint64_t num_states() const {
    return ahead_.num_states() + back_.num_states() + (third_ ? third_->num_states() : 0);
  }
  std::uint64_t num_expanded() const {
    return ahead_.num_expanded() + back_.num_expanded() + (third_ ? third_->num_expanded() : 0);
  }

  InformedOutcome found() override {
    InformedOutcome result = ahead_.counts();
    std::vector<InformedOutcome> others{back_.counts()};
    if (third_) others.push_back(third_->counts());
    result.status = status_;
    result.lower_bound = bound();
    result.num_goal_states = best_.cost != kInfiniteCost;
    for (const InformedOutcome& more : others) {
      result.num_states += more.num_states;
      result.num_expanded += more.num_expanded;
      result.num_generated += more.num_generated;
      result.num_dead += more.num_dead;
      result.num_corrals += more.num_corrals;
      result.num_lost_sets += more.num_lost_sets;
      result.bytes += more.bytes;
    }
    result.algorithm = "bidirectional a*";
    if (third_ && third_->status() == Status::goal) {
      InformedOutcome alone = third_->found();
      FEWEST_ASSERT(alone.cost <= best_.cost,
                    "a search that has proved a minimum has found no dearer plan than another");
      result.cost = alone.cost;
      result.lower_bound = alone.lower_bound;
      result.num_goal_states = alone.num_goal_states;
      result.plan = std::move(alone.plan);
    } else if (status_ == Status::goal) {
      result.cost = result.lower_bound = best_.cost;
      result.plan = plan();
    }
    return result;
  }

  std::vector<OperatorId> plan() {
    auto path = ahead_.path_to(best_.here);
    const auto rest = back_.path_to(best_.there);
    FEWEST_ASSERT(path.costs.back() + rest.costs.back() <= best_.cost && path.states.back() == rest.states.back(),
                  "the two ways end in the same state and cost no more than when they met");
    for (std::size_t i = rest.states.size() - 1; i-- > 0;) {
      path.states.push_back(rest.states[i]);
      path.costs.push_back(best_.cost - rest.costs[i]);
    }
    return ahead_.plan(path);
  }

  PackedCost least_ = 0, least_of_both_ = 0;
  Gang gang_;
  OneEnd<P, Q> ahead_, back_;
  std::unique_ptr<OneBeside> third_;
  Meeting best_;
  Status status_ = Status::running;
  bool is_begun_ = false;
  std::uint64_t num_rounds_ = 0;
  std::uint64_t ahead_before_ = 0, back_before_ = 0;  // expansions, when the bound last rose
};

}  // namespace fewest
