// Iterative deepening A* (Korf, 1985), for searches in which A* would run out of memory.
//
// Problem: A* stores every state, so it can run out of memory.
// Solution: the algorithm repeats a depth-first search from the start, with a growing limit. Each search visits the
// states with f = g + h up to the limit. The successors, the heuristic and the pruning are the same as in A*. The
// search stores only the current path and the remaining successors of its states.
// - Most of the memory, but at most `most_in_table` bytes, is used for a transposition table (transposition_table.hpp).
//   So under one limit, a state is expanded again only if it is reached at a lower cost, or if its entry has been
//   replaced.
// - The next limit is the least f that was cut off, or a greater value if that limit would admit too few states
//   (because costs take many values or are pairs). Each limit then takes about twice as much work as the previous one
//   (after Sarkar, Chakrabarti, Ghose and De Sarkar, 1991). Such a limit may be too large. So once a plan is known, the
//   search cuts off all states with f at or above the cost of this plan. Soundness: consider a plan of cost C. Let g*
//   of a state be the least cost of reaching it. The start is visited at its g*. Take the last state of the plan that
//   is visited at its g* under the limit. If it is not a goal state, the next state of the plan was cut off with f <=
//   C: no state is ever visited at a cost below its g*, and a state that the table or the path rejects at g* was
//   visited at g*. So the least f that was cut off is a lower bound, and if no f below the cost of a known plan was cut
//   off, that plan is optimal. The proof requires an admissible h, but not a consistent one. The reduction of a state's
//   moves (corrals.hpp) depends on the state alone. The search is sound in every metric in which merged moves are macro
//   operators (macro_moves.hpp). If there is no plan, the search ends only once no state is cut off, which can take
//   longer than a complete A* search.
#pragma once

#include <algorithm>

#include "informed/cut_offs.hpp"
#include "informed/informed_search.hpp"
#include "informed/node_costs.hpp"
#include "informed/plan_replay.hpp"
#include "informed/successor_generator.hpp"
#include "informed/transposition_table.hpp"
#include "state/compiler_attributes.hpp"
#include "state/costs.hpp"

namespace fewest {

template <int P, int Q>
class IdaStar final : public InformedSearch {
 public:
  FEWEST_COLD IdaStar(const PieceProblem& problem, const Hints& hints, const SearchOptions& options)
      : options_(options),
        generator_(problem, hints, *problem.bound, options.expanded_before),
        costs_(problem.num_components),
        budget_(options.memory),
        seen_(budget_) {}

  FEWEST_COLD ~IdaStar() override = default;

  Status advance(Control& control, const Quota& quota) override {
    if (!is_begun_) begin();
    while (status_ == Status::running && work() < quota.work) {
      if (levels_.empty()) begin_limit();
      deepen(control, quota.work);
      if (status_ == Status::running && levels_.empty()) end_limit();
    }
    return status_;
  }
  std::uint64_t work() const override { return generator_.num_expanded(); }
  PackedCost bound() const override { return status_ == Status::goal ? best_ : std::min(least_f_, best_); }
  std::size_t bytes() const override { return budget_.used(); }

 private:
  static constexpr std::uint64_t kExpansionsPerCheck = 256;
  static constexpr std::size_t kFilter = 1 << 14;

  struct Step {
    State<P> stored;
    Word hash;
    PackedCost cost, h;
  };
  struct Level {
    std::size_t begin, next;  // indices in steps_
    std::size_t filter;
  };
  struct LayeredClosedList {
    State<P> stored;
    PackedCost cost;
  };

  void stop(Status status) {
    if (status_ == Status::running) status_ = status;
  }

  FEWEST_COLD void begin() {
    is_begun_ = true;
    const PackedCost h = generator_.bound_at_start();
    if (h == kInfiniteCost) return stop(Status::exhausted);
    initial_bound_ = h;
    limit_ = least_f_ = std::max(h, options_.at_least);
    seen_.make(std::min(options_.memory - options_.memory / 8, options_.most_in_table));
    on_path_.assign(kFilter, 0);
  }

  void begin_limit() {
    expanded_before_ = work();
    is_in_limit_ = true;
    ++limit_number_;
    cut_.clear();
    steps_.clear();
    path_.clear();
    std::fill(on_path_.begin(), on_path_.end(), 0);
    const State<P> start = generator_.initial();
    enter({start, hash(start), 0, 0});
  }

  // Starts or continues the search up to limit_, until the search has done `most_work` expansions in total.
  void deepen(Control& control, std::uint64_t most_work) {
    while (!levels_.empty()) {
      if (work() % kExpansionsPerCheck == 0)
        stop(control.check(bound(), work(), work(), [this] { return bytes(); }));
      if (status_ != Status::running || work() >= most_work) return;
      Level& level = levels_.back();
      if (level.next == steps_.size()) {
        FEWEST_ASSERT(on_path_[level.filter] > 0 && path_.size() == levels_.size(),
                      "each level has a state of the path");
        --on_path_[level.filter];
        steps_.resize(level.begin);
        levels_.pop_back();
        path_.pop_back();
        continue;
      }
      const Step step = steps_[level.next++];
      if (step.cost + step.h < best_) enter(step);
    }
  }

  // Updates the bound and the limit after all states up to the current limit have been searched.
  void end_limit() {
    iterations_.push_back({limit_, work() - expanded_before_});
    is_in_limit_ = false;
    if (cut_.empty() || cut_.least_f() >= best_)
      return stop(best_ == kInfiniteCost ? Status::exhausted : Status::goal);
    least_f_ = std::max(least_f_, cut_.least_f());
    limit_ = cut_.next_limit(least_f_, work() - expanded_before_);
  }

  // Expands a state and adds it to the end of the path, unless the state can be skipped. A goal state at which a plan
  // ends without a walk is not added.
  void enter(const Step& step) {
    if (seen_.is_seen(step.stored, step.hash, costs_.small(step.cost), limit_number_) || is_on_path(step)) return;
    path_.push_back({step.stored, step.cost});
    generator_.expand(step.stored, step.cost);
    const PackedCost end = generator_.goal_cost();
    if (end < best_) {
      best_ = end;
      best_path_ = path_;
      if (best_ <= least_f_) return stop(Status::goal);
    }
    if (end == step.cost) {  // no plan that ends later on this path is cheaper
      path_.pop_back();
      return;
    }
    const std::size_t begin = steps_.size();
    for (const PieceSuccessor<P>& next : generator_.successors({[](const void*, Word) {}, nullptr})) {
      const PackedCost h = generator_.bound_of(next);
      if (h == kInfiniteCost) {
        generator_.pruning().count_dead();
        continue;
      }
      const PackedCost f = sum_of_costs(next.cost, h, generator_.states().num_components);
      if (f >= best_) continue;
      if (f > limit_) {
        cut_.count(f);
        continue;
      }
      seen_.prefetch(next.hash);
      steps_.push_back({next.stored, next.hash, next.cost, h});
    }
    sort_from(begin);
    const std::size_t filter = step.hash % kFilter;
    ++on_path_[filter];
    levels_.push_back({begin, begin, filter});
  }

  // Sorts the steps at and after `begin` by their bounds; steps with equal bounds keep their order. The function sorts
  // pairs of numbers, since std::stable_sort applied to the steps would be compiled again for each width.
  void sort_from(std::size_t begin) {
    order_.clear();
    for (std::size_t i = begin; i < steps_.size(); ++i) order_.emplace_back(steps_[i].h, i);
    std::sort(order_.begin(), order_.end());
    sorted_.clear();
    for (const auto& [h, i] : order_) sorted_.push_back(steps_[i]);
    std::copy(sorted_.begin(), sorted_.end(), steps_.begin() + static_cast<std::ptrdiff_t>(begin));
  }

  bool is_on_path(const Step& step) const {
    if (on_path_[step.hash % kFilter] == 0) return false;
    return std::any_of(path_.begin(), path_.end(),
                       [&](const LayeredClosedList& reached) { return reached.stored == step.stored; });
  }

  FEWEST_COLD InformedOutcome found() override {
    InformedOutcome result;
    generator_.count(result);
    result.status = status_;
    result.lower_bound = bound();
    result.initial_bound = initial_bound_;
    result.num_states = work();
    result.num_goal_states = best_ != kInfiniteCost;
    result.bytes = budget_.peak();
    result.algorithm = "ida*";
    result.iterations = iterations_;
    if (is_in_limit_) result.iterations.push_back({limit_, work() - expanded_before_});
    const bool is_stopped =
        status_ == Status::time || status_ == Status::memory || status_ == Status::interrupted;
    if (status_ != Status::goal && !(is_stopped && best_ != kInfiniteCost)) return result;
    FEWEST_ASSERT(best_ != kInfiniteCost && !best_path_.empty(), "there is a path to a goal that was found");
    result.cost = best_;
    PlanReplay<P, Q> replay(generator_.canonical(), generator_.states());
    for (std::size_t i = 1; i < best_path_.size(); ++i)
      replay.step(best_path_[i].stored, best_path_[i].cost - best_path_[i - 1].cost);
    result.plan = replay.finish();
    return result;
  }

  SearchOptions options_;
  SuccessorGenerator<P, Q> generator_;
  SmallCosts costs_;
  Budget budget_;
  TranspositionTable<P> seen_;
  Status status_ = Status::running;
  bool is_begun_ = false, is_in_limit_ = false;
  PackedCost initial_bound_ = 0, least_f_ = 0, limit_ = 0, best_ = kInfiniteCost;
  std::uint32_t limit_number_ = 0;
  std::uint64_t expanded_before_ = 0;  // the number of expansions before the current limit
  std::vector<Iteration> iterations_;
  CutOffs cut_;  // the cut-offs under the current limit
  // The current path, the path of the best known plan, and the levels of the current path with their successors. The
  // list `on_path_` has the number of states of the current path for each hash modulo kFilter.
  std::vector<LayeredClosedList> path_, best_path_;
  std::vector<Level> levels_;
  std::vector<Step> steps_, sorted_;
  std::vector<std::pair<PackedCost, std::size_t>> order_;  // working memory of sort_from
  std::vector<std::uint16_t> on_path_;
};

}  // namespace fewest
