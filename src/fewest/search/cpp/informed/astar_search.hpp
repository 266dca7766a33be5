// A* (Hart, Nilsson and Raphael, 1968) over spots of pieces and the place of an agent, and weighted A* (Pohl, 1970).
//
// Problem: breadth-first search looks at every state that is cheaper than the goal.
// Solution: f = g + h, cheapest first, with the heuristic h of heuristic.hpp; a state is closed when it is expanded, not
// when it is generated, and opened again if it becomes cheaper.
// Weighted A* orders by g + W h: it is drawn to the goal, and proves that its plan costs at most W times the minimum. For
// a state of a cheapest plan is always open, at no higher a cost than there, so its g + W h is at most W times the minimum;
// what is expanded has no more. For the same reason the least g + W h of all open states, divided by W, is a lower bound.
// An open state takes four bytes more than closed_list.hpp says.
#pragma once

#include "informed/closed_list.hpp"
#include "informed/informed_search.hpp"
#include "informed/open_list.hpp"
#include "informed/plan_replay.hpp"
#include "informed/successor_generator.hpp"

namespace fewest {

template <int P, int Q>
class AStar final : public InformedSearch {
 public:
  AStar(const PieceProblem& problem, const Hints& hints, const SearchOptions& options, const PieceBound& bound)
      : options_(options),
        generator_(problem, hints, bound, options.expanded_before),
        budget_(options.memory),
        closed_(budget_, problem.num_components),
        open_(budget_) {}

  // What `advance` does, in parts, for a search that this one is a part of.
  void begin() {
    initial_bound_ = generator_.bound_at_start();
    if (initial_bound_ == kInfiniteCost) {
      initial_bound_ = 0;
      return stop(Status::exhausted);
    }
    least_f_ = priority(0, initial_bound_);
    if (!is_weighted()) least_f_ = std::max(least_f_, options_.at_least);
    if (!closed_.reserve(1)) return stop(Status::memory);
    const State<P> start = generator_.initial();
    enter(closed_.insert(start, hash(start), 0), kNoState, 0, initial_bound_);
  }
  void expand_next() {
    if (open_.empty()) return stop(finish_ == kNoState ? Status::exhausted : Status::goal);
    least_f_ = std::max(least_f_, open_.least_f());
    if (finish_ != kNoState && least_f_ >= priority(finish_cost_, 0)) return stop(Status::goal);
    FEWEST_ASSERT(open_.least_f() <= least_f_, "what is taken out has the least f");
    const StateId node = open_.pop_varied();
    if (const StateId next = open_.peek(); next != kNoState) closed_.prefetch_state(next);
    if (!closed_.is_closed(node)) expand(node);
  }

  Status advance(Control& control, const Quota& quota) override {
    if (status_ == Status::running && closed_.size() == 0) begin();
    while (status_ == Status::running && work() < quota.work) {
      if (num_expanded() % kExpansionsPerCheck == 0) {
        if (bytes() >= quota.bytes) break;
        stop(control.check(bound(), num_states(), num_expanded(), [this] { return bytes(); }));
      }
      if (status_ == Status::running) expand_next();
    }
    return status_;
  }
  std::uint64_t work() const override { return generator_.work(); }
  std::size_t bytes() const override { return budget_.used(); }

  PackedCost bound() const override {
    // A plan whose last walk is known can cost less than all open states.
    const PackedCost most = finish_ == kNoState ? kInfiniteCost : finish_cost_;
    if (!is_weighted()) return status_ == Status::goal ? finish_cost_ : std::min(least_f_, most);
    if (status_ == Status::goal && open_.empty()) return finish_cost_;
    const PackedCost proved = (least_f_ + options_.weight.numerator - 1) / options_.weight.numerator;
    return std::min(most, std::max({proved, initial_bound_, options_.at_least}));
  }

  // From all of the search.
  std::vector<PieceCube> samples(std::size_t count) override {
    std::vector<PieceCube> found;
    if (count == 0) return found;
    const PieceStates<P, Q>& states = generator_.states();
    const std::size_t step = std::max<std::size_t>(1, closed_.size() / (kStatesPerExpansion * count)) | 1;
    for (std::size_t i = closed_.size(); i-- > 0 && found.size() < count;) {
      const auto node = static_cast<StateId>(i);
      if (i % step != 0 || !closed_.is_closed(node)) continue;
      PieceCube cube{FactSet(states.pieces.words(), 0), {}, states.place_of(closed_[node])};
      for_each_in<P>(states.rest_of(closed_[node]), [&](int spot) { add(cube.true_spots.data(), spot); });
      if (generator_.bound_at(closed_[node]) != kInfiniteCost) found.push_back(std::move(cube));
    }
    return found;
  }

  Status status() const { return status_; }
  std::uint64_t num_states() const { return closed_.size(); }
  std::uint64_t num_expanded() const { return generator_.num_expanded(); }

  InformedOutcome found() override {
    InformedOutcome result;
    generator_.count(result);
    result.status = status_;
    result.lower_bound = bound();
    result.initial_bound = initial_bound_;
    result.num_states = num_states();
    result.num_goal_states = finish_ != kNoState;
    result.bytes = budget_.peak();
    result.algorithm = "a*";
    if (status_ == Status::goal) {
      result.cost = finish_cost_;
      result.plan = plan();
    }
    return result;
  }

 private:
  static constexpr std::uint64_t kExpansionsPerCheck = 256;
  static constexpr std::size_t kStatesPerExpansion = 4;  // at most, as a rule

  bool is_weighted() const { return options_.weight.numerator != options_.weight.denominator; }
  // What open states are ordered by: f, times the denominator of the weight.
  PackedCost priority(PackedCost cost, PackedCost bound) const {
    return cost * options_.weight.denominator + bound * options_.weight.numerator;
  }

  void stop(Status status) {
    if (status_ == Status::running) status_ = status;
  }

  void expand(StateId node) {
    const State<P> stored = closed_[node];
    const PackedCost g = closed_.cost(node);
    closed_.close(node);
    generator_.expand(stored, g);
    if (is_finished(node, g)) return;
    std::vector<Successor<P>>& successors = generator_.successors(closed_);
    if (!closed_.reserve(successors.size())) return stop(Status::memory);
    for (Successor<P>& next : successors) next.at = closed_.approach(next.hash);
    for (const Successor<P>& next : successors) {
      const auto entry = closed_.insert(next.stored, next.hash, next.cost, next.at);
      if (entry.is_cheaper) enter(entry, node, next.cost, generator_.bound_of(next));
      if (status_ != Status::running) return;
    }
  }

  // Whether no plan is cheaper than one that ends here.
  bool is_finished(StateId node, PackedCost g) {
    const PackedCost cost = generator_.goal_cost();
    if (cost == kInfiniteCost) return false;
    if (finish_ == kNoState || cost < finish_cost_) finish_ = node, finish_cost_ = cost;
    if (cost == g) stop(Status::goal);
    return cost == g;
  }

  // A state that is new, or has become cheaper.
  void enter(const typename ClosedList<P>::Entry& entry, StateId parent, PackedCost cost, PackedCost bound) {
    if (bound == kInfiniteCost) {
      closed_.bury(entry, parent);
      return generator_.pruning().count_dead();
    }
    closed_.open(entry, parent);
    if (!open_.push(priority(cost, bound), bound, entry.node)) stop(Status::memory);
  }

  std::vector<OperatorId> plan() {
    std::vector<StateId> chain;
    for (StateId node = finish_; node != kNoState; node = closed_.parent(node)) chain.push_back(node);
    std::reverse(chain.begin(), chain.end());
    return PlanReplay<P, Q>(generator_.canonical(), generator_.states())(
        chain.size() - 1, [&](std::size_t i) { return closed_[chain[i]]; },
        [&](std::size_t i) { return closed_.cost(chain[i]); });
  }

  SearchOptions options_;
  SuccessorGenerator<P, Q> generator_;
  Budget budget_;
  ClosedList<P> closed_;
  OpenList open_;
  Status status_ = Status::running;
  PackedCost least_f_ = 0, initial_bound_ = 0, finish_cost_ = 0;
  StateId finish_ = kNoState;
};

}  // namespace fewest
