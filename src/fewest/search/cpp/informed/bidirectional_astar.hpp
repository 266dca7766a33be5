// Bidirectional A*: one search from the start and one from the goals.
//
// Problem: A* expands every state for which f is below the minimum. Suppose that the heuristic value of the start is
// too low by d. Then A* expands all states that it reaches with detours below d, and the number of these states grows
// exponentially with d.
// Solution: two searches, from the start and from the goals (search_direction.hpp). Every plan that has not been found
// contains an open state of each search. If the heuristics are consistent, the plan costs at least the f of either
// state plus the detour of the other state (KK bound: Kaindl and Kainz, 1997; all pairs of states: Alcázar, Riddle and
// Barley, 2020). The least value over all pairs is a proved lower bound. The algorithm expands states from pairs with
// this value, on the side that has expanded fewer states since the bound last rose, or on both sides at the same time.
// So each side covers part of the detours, and the side with the better heuristic covers most of them. Soundness: the
// heuristics are consistent, since pattern databases are not used for tasks with an agent. No plan passes through a
// dead state. If only the moves into a corral are expanded, an optimal plan from the expanded state begins with one of
// these moves, and the search finds that plan. (Only the forward search uses corrals, since backward moves do not have
// the required form.) The two searches use no symmetries, because symmetries need not map the start to itself. If the
// heuristic of the start is nearly exact, as local PDBs often are, A* alone may find a plan before two searches meet.
// So if there are local PDBs, A* alternates with the two searches as a *third* search, or runs on a second thread. A
// bound that one search proves holds for all searches. The third search uses symmetries. As long as the third search's
// bound is far below the bound of the other two, it is unlikely to find a plan first, so it runs in only a few rounds.
// Memory: each search gets an equal share of the memory, which it uses as A* does.
#pragma once

#include "informed/astar_search.hpp"
#include "informed/thread_team.hpp"
#include "informed/search_direction.hpp"

namespace fewest {

class BidirectionalAStar final : public InformedSearch {
 public:
  // `third`: A* from the start, or null. `starts`: the initial states of the search from the goals.
  BidirectionalAStar(std::unique_ptr<SearchSpace> ahead, const PieceCube& start, std::unique_ptr<SearchSpace> back,
                     const std::vector<PieceCube>& starts, std::unique_ptr<AStar> third, std::size_t threads,
                     PackedCost at_least)
      : team_(std::min<std::size_t>(2, threads)),
        ahead_(std::move(ahead)),
        back_(std::move(back)),
        third_(std::move(third)),
        least_(at_least) {
    ahead_.begin_at(start);
    for (const PieceCube& cube : starts) back_.begin_at(cube);
    note(ahead_.meet(back_));
  }

  Status advance(Control& control, const Quota& quota) override {
    if (third_ && !is_begun_) third_->begin();
    is_begun_ = true;
    while (status_ == Status::running && work() < quota.work && bytes() < quota.bytes) status_ = round(control);
    return status_;
  }
  std::uint64_t work() const override {
    return ahead_.space().work() + back_.space().work() + (third_ ? third_->work() : 0);
  }
  PackedCost bound() const override {
    if (status_ != Status::goal) return std::min(least_, best_.cost);
    FEWEST_ASSERT(!is_third_first() || third_->bound() <= best_.cost,
                  "the minimum that the third search has proved is at most the cost of the best known plan");
    return is_third_first() ? third_->bound() : best_.cost;
  }
  std::size_t bytes() const override { return ahead_.space().budget().used() + back_.space().budget().used() + (third_ ? third_->bytes() : 0); }

 private:
  static constexpr std::uint64_t kInRound = 256, kInSharedRound = 1024;
  // If the bound that the third search has proved is far below the other bound, the third search works in only one of
  // kRoundsBehind rounds.
  static constexpr std::uint64_t kRoundsBehind = 8;
  static constexpr PackedCost kShareBehind = 32;

  // Runs a round, in which one side works, both sides work at the same time, or one side and the third search work.
  // Returns the new status.
  Status round(Control& control) {
    if (third_ && third_->status() == Status::goal) return Status::goal;
    for (const Status status : {ahead_.status(), back_.status(), third_ ? third_->status() : Status::running})
      if (status != Status::running) return status;
    if (ahead_.is_done() || back_.is_done()) return best_.cost == kInfiniteCost ? Status::exhausted : Status::goal;
    const Status status = control.check(least_, num_states(), num_expanded(), [this] { return bytes(); });
    if (status != Status::running) return status;
    const std::vector<OpenGroup> groups = ahead_.find_groups(), other = back_.find_groups();
    if (!prove(groups, other)) return Status::goal;
    if (third_ && (!is_far_behind() || num_rounds_++ % kRoundsBehind == 0)) {
      work_beside(groups, other);
    } else if (team_.size() > 1) {
      team_.all([&](std::size_t i) {
        i == 0 ? ahead_.expand_pairs(least_, other, kInSharedRound, best_.cost)
               : back_.expand_pairs(least_, groups, kInSharedRound, best_.cost);
      });
      MeetingPoint met;
      team_.all([&](std::size_t i) { i == 0 ? note(ahead_.meet(back_)) : void(met = back_.meet(ahead_)); });
      note({met.cost, met.there, met.here});
    } else {
      work_in_turns(groups, other, kInRound);
    }
    return Status::running;
  }

  bool is_far_behind() const { return third_->bound() < least_of_both_ - least_of_both_ / kShareBehind; }

  void work_in_turns(const std::vector<OpenGroup>& groups, const std::vector<OpenGroup>& other, std::uint64_t at_most) {
    if (ahead_.space().num_expanded() - ahead_before_ <= back_.space().num_expanded() - back_before_) {
      ahead_.expand_pairs(least_, other, at_most, best_.cost);
      note(ahead_.meet(back_));
    } else {
      back_.expand_pairs(least_, groups, at_most, best_.cost);
      const MeetingPoint met = back_.meet(ahead_);
      note({met.cost, met.there, met.here});
    }
  }

  void work_beside(const std::vector<OpenGroup>& groups, const std::vector<OpenGroup>& other) {
    if (team_.size() > 1) {
      team_.all([&](std::size_t i) {
        i == 0 ? work_in_turns(groups, other, kInSharedRound) : work_alone(kInSharedRound);
      });
    } else {
      work_in_turns(groups, other, kInRound);
      work_alone(kInRound);
    }
  }

  void work_alone(std::uint64_t at_most) {
    const std::uint64_t end = third_->num_expanded() + at_most;
    while (third_->status() == Status::running && third_->num_expanded() < end) third_->expand_next();
  }

  // Raises the lower bound to the least value over all pairs, or to the bound of the third search if that is greater.
  // Returns false if the cost of the best known plan is now proved minimal.
  bool prove(const std::vector<OpenGroup>& groups, const std::vector<OpenGroup>& other) {
    PackedCost least = kInfiniteCost;
    for (const OpenGroup& a : groups)
      for (const OpenGroup& b : other) least = std::min(least, least_through(a, b));
    least_of_both_ = least;
    if (third_ && third_->bound() > least_) least = std::max(least, third_->bound());
    if (least > least_) {
      least_ = least;
      ahead_before_ = ahead_.space().num_expanded();
      back_before_ = back_.space().num_expanded();
    }
    return least_ < best_.cost;
  }

  void note(const MeetingPoint& met) {
    if (met.cost < best_.cost) best_ = met;
  }

  std::uint64_t num_states() const {
    return ahead_.space().size() + back_.space().size() + (third_ ? third_->num_states() : 0);
  }
  std::uint64_t num_expanded() const {
    return ahead_.space().num_expanded() + back_.space().num_expanded() + (third_ ? third_->num_expanded() : 0);
  }

  InformedOutcome found() override {
    InformedOutcome result = counts_of(ahead_);
    result.bytes = ahead_.space().budget().peak();
    result.initial_bound = ahead_.initial_bound();
    add(result, counts_of(back_), back_.space().budget().peak());
    if (third_) {
      const InformedOutcome alone = third_->found();
      add(result, alone, alone.bytes);
    }
    result.num_states = num_states();
    result.status = status_;
    result.lower_bound = bound();
    result.num_goal_states = is_third_first() || best_.cost != kInfiniteCost;
    result.algorithm = "bidirectional a*";
    if (status_ == Status::goal) {
      result.cost = bound();
      result.plan = is_third_first() ? third_->found().plan : plan();
    } else if (is_stopped() && best_.cost != kInfiniteCost) {  // a plan that has not been proved optimal
      result.cost = best_.cost;
      result.plan = plan();
    }
    return result;
  }

  bool is_stopped() const { return status_ != Status::running && status_ != Status::exhausted; }

  // Whether the third search has proved the minimum.
  bool is_third_first() const { return third_ && third_->status() == Status::goal; }

  static InformedOutcome counts_of(const SearchDirection& end) {
    InformedOutcome result;
    end.space().count(result);
    return result;
  }
  static void add(InformedOutcome& result, const InformedOutcome& more, std::uint64_t bytes) {
    result.num_expanded += more.num_expanded;
    result.num_generated += more.num_generated;
    result.num_dead += more.num_dead;
    result.num_corrals += more.num_corrals;
    result.num_learned_deadlocks += more.num_learned_deadlocks;
    result.bytes += bytes;
  }

  std::vector<OperatorId> plan() {
    auto path = path_to(ahead_.space(), best_.here);
    const auto rest = path_to(back_.space(), best_.there);
    FEWEST_ASSERT(path.back().cost + rest.back().cost <= best_.cost,
                  "the two parts of the plan cost no more than at the meeting");
    for (std::size_t i = rest.size() - 1; i-- > 0;)
      path.push_back({rest[i].space, rest[i].node, best_.cost - rest[i].cost});
    return ahead_.space().plan(path);
  }

  ThreadTeam team_;
  SearchDirection ahead_, back_;
  std::unique_ptr<AStar> third_;
  PackedCost least_, least_of_both_ = 0;
  MeetingPoint best_;
  Status status_ = Status::running;
  bool is_begun_ = false;
  std::uint64_t num_rounds_ = 0;
  std::uint64_t ahead_before_ = 0, back_before_ = 0;  // the number of expansions when the bound last rose
};

}  // namespace fewest
