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
// Memory: as A*, half of it for each.
#pragma once

#include "informed/backward.hpp"
#include "informed/gang.hpp"
#include "informed/one_end.hpp"

namespace fewest {

template <int P, int Q>
class BidirectionalAStar {
 public:
  BidirectionalAStar(const PieceProblem& forward, const BackwardProblem& backward, const Hints& hints,
                     const Options& options)
      : gang_(std::min<std::size_t>(2, options.threads)),
        ahead_(forward, *backward.problem, {hints.groups, hints.numbers, {}, hints.dead, hints.look_from}, half(options)),
        back_(*backward.problem, forward, {hints.groups, hints.numbers, {}, {}, hints.look_from}, half(options)) {
    ahead_.begin_at({forward.pieces->initial, {}, forward.pieces->initial_place});
    for (const PieceCube& start : backward.starts) back_.begin_at(start);
    note(ahead_.meet(back_));
  }

  // Until it is decided. `before`: what another search has found out.
  AStarOutcome run(Control& control, const AStarOutcome& before) {
    ahead_.continue_from(before);
    back_.continue_from(nothing_);
    least_ = std::max(least_, before.lower_bound);
    Status status = Status::running;
    while (status == Status::running) status = round(control, before);
    return outcome(status, control, before);
  }

 private:
  static constexpr std::uint64_t kInRound = 256, kInSharedRound = 1024;

  static Options half(Options options) {
    options.memory /= 2;
    return options;
  }

  // One side works, or both at the same time. What it has come to.
  Status round(Control& control, const AStarOutcome& before) {
    for (const Status status : {ahead_.status(), back_.status()})
      if (status != Status::running) return status;
    if (ahead_.is_done() || back_.is_done()) return best_.cost == kInfiniteCost ? Status::exhausted : Status::goal;
    const Status status = control.check(least_, before.num_states + num_states(), before.num_expanded + num_expanded(),
                                        [this] { return ahead_.bytes() + back_.bytes(); });
    if (status != Status::running) return status;
    const std::vector<Front> fronts = ahead_.find_fronts(), other = back_.find_fronts();
    if (!prove(fronts, other)) return Status::goal;
    if (gang_.size() > 1) {
      gang_.all([&](std::size_t i) {
        i == 0 ? ahead_.work(least_, other, kInSharedRound, best_.cost)
               : back_.work(least_, fronts, kInSharedRound, best_.cost);
      });
      Meeting met;
      gang_.all([&](std::size_t i) { i == 0 ? note(ahead_.meet(back_)) : void(met = back_.meet(ahead_)); });
      note({met.cost, met.there, met.here});
    } else if (ahead_.num_expanded() - ahead_before_ <= back_.num_expanded() - back_before_) {
      ahead_.work(least_, other, kInRound, best_.cost);
      note(ahead_.meet(back_));
    } else {
      back_.work(least_, fronts, kInRound, best_.cost);
      const Meeting met = back_.meet(ahead_);
      note({met.cost, met.there, met.here});
    }
    return Status::running;
  }

  // Raises the lower bound to the least over all pairs. False: that is the minimum.
  bool prove(const std::vector<Front>& fronts, const std::vector<Front>& other) {
    PackedCost least = kInfiniteCost;
    for (const Front& a : fronts)
      for (const Front& b : other) least = std::min(least, least_through(a, b));
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

  std::uint64_t num_states() const { return ahead_.num_states() + back_.num_states(); }
  std::uint64_t num_expanded() const { return ahead_.num_expanded() + back_.num_expanded(); }

  AStarOutcome outcome(Status status, const Control& control, const AStarOutcome& before) {
    AStarOutcome result = ahead_.counts(control);
    const AStarOutcome more = back_.counts(control);
    result.status = status;
    result.lower_bound = std::min(least_, best_.cost);
    result.num_goal_states = best_.cost != kInfiniteCost;
    result.num_states += more.num_states;
    result.num_expanded += more.num_expanded;
    result.num_generated += more.num_generated;
    result.num_dead += more.num_dead;
    result.num_lost_sets += more.num_lost_sets;
    result.bytes = std::max<std::uint64_t>(before.bytes, result.bytes + more.bytes);
    result.algorithm = "bidirectional a*";
    if (status == Status::goal) {
      result.cost = result.lower_bound = best_.cost;
      result.plan = plan();
    }
    return result;
  }

  std::vector<OperatorId> plan() {
    auto path = ahead_.path_to(best_.here);
    const auto rest = back_.path_to(best_.there);
    for (std::size_t i = rest.states.size() - 1; i-- > 0;) {
      path.states.push_back(rest.states[i]);
      path.costs.push_back(best_.cost - rest.costs[i]);
    }
    return ahead_.plan(path);
  }

  Gang gang_;
  OneEnd<P, Q> ahead_, back_;
  Meeting best_;
  PackedCost least_ = 0;
  std::uint64_t ahead_before_ = 0, back_before_ = 0;  // expansions, when the bound last rose
  const AStarOutcome nothing_;
};

}  // namespace fewest
