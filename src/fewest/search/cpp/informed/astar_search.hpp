// A* (Hart, Nilsson and Raphael, 1968) and weighted A* (Pohl, 1970), over the spots of pieces and the place of an
// agent.
//
// Problem: breadth-first search expands every state that is cheaper to reach than the goal.
// Solution: always expand a state with the least f = g + h, where heuristic.hpp computes the heuristic h. A state is
// closed when it is expanded, not when it is generated, and it is reopened if a cheaper path to it is found. Weighted
// A* orders states by g + W h: it prefers states near the goal, and proves that the cost of its plan is at most W times
// the minimum. Proof: some state of an optimal plan is always open, and the g of this state is at most its cost on that
// plan. So its g + W h is at most W times the minimum, and no state with a greater value is expanded before it. For the
// same reason, the least g + W h of all open states, divided by W, is a lower bound. An open state takes four bytes in
// addition to the bytes that node_costs.hpp and closed_list.hpp need.
#pragma once

#include <memory>

#include "informed/open_list.hpp"
#include "informed/search_space.hpp"

namespace fewest {

class AStar final : public InformedSearch {
 public:
  AStar(std::unique_ptr<SearchSpace> space, const SearchOptions& options)
      : options_(options), space_(std::move(space)), costs_(space_->costs()), open_(space_->budget()) {}

  // The following functions are the steps of `advance`, for use by a search that contains an A* search.
  void begin() {
    initial_bound_ = space_->bound_at_start();
    if (initial_bound_ == kInfiniteCost) {
      initial_bound_ = 0;
      return stop(Status::exhausted);
    }
    least_f_ = priority(0, initial_bound_);
    if (!is_weighted()) least_f_ = std::max(least_f_, options_.at_least);
    const StateId start = space_->insert_start();
    if (start == kNoState || !push({start, 0, initial_bound_, 0})) stop(Status::memory);
  }
  void expand_next() {
    if (open_.empty()) return stop(finish_ == kNoState ? Status::exhausted : Status::goal);
    least_f_ = std::max(least_f_, open_.least_f());
    if (finish_ != kNoState && least_f_ >= priority(finish_cost_, 0)) return stop(Status::goal);
    FEWEST_ASSERT(open_.least_f() <= least_f_, "the least f of the open states is at most the greatest so far");
    const StateId node = open_.pop_diversified();
    if (const StateId next = open_.peek(); next != kNoState) space_->prefetch(next);
    if (!costs_.is_closed(node)) expand(node);
  }

  Status advance(Control& control, const Quota& quota) override {
    if (status_ == Status::running && num_states() == 0) begin();
    while (status_ == Status::running && work() < quota.work) {
      if (num_expanded() % kExpansionsPerCheck == 0) {
        if (bytes() >= quota.bytes) break;
        stop(control.check(bound(), num_states(), num_expanded(), [this] { return bytes(); }));
      }
      if (status_ == Status::running) expand_next();
    }
    return status_;
  }
  std::uint64_t work() const override { return space_->work(); }
  std::size_t bytes() const override { return space_->budget().used(); }

  PackedCost bound() const override {
    // A known plan that ends with a walk can cost less than the f-value of every open state.
    const PackedCost most = finish_ == kNoState ? kInfiniteCost : finish_cost_;
    if (!is_weighted()) return status_ == Status::goal ? finish_cost_ : std::min(least_f_, most);
    if (status_ == Status::goal && open_.empty()) return finish_cost_;
    const PackedCost proved = (least_f_ + options_.weight.numerator - 1) / options_.weight.numerator;
    return std::min(most, std::max({proved, initial_bound_, options_.at_least}));
  }

  // Returns at most `count` expanded states, spread over the states of the whole search.
  std::vector<PieceCube> samples(std::size_t count) override {
    std::vector<PieceCube> found;
    if (count == 0) return found;
    const std::size_t step = std::max<std::size_t>(1, num_states() / (kStatesPerExpansion * count)) | 1;
    for (std::size_t i = num_states(); i-- > 0 && found.size() < count;) {
      const auto node = static_cast<StateId>(i);
      if (i % step != 0 || !costs_.is_closed(node)) continue;
      if (std::optional<PieceCube> sample = space_->sample(node)) found.push_back(std::move(*sample));
    }
    return found;
  }

  Status status() const { return status_; }
  std::uint64_t num_states() const { return space_->size(); }
  std::uint64_t num_expanded() const { return space_->num_expanded(); }

  InformedOutcome found() override {
    InformedOutcome result;
    space_->count(result);
    result.status = status_;
    result.lower_bound = bound();
    result.initial_bound = initial_bound_;
    result.num_states = num_states();
    if (is_stopped() && finish_ == kNoState) look_for_goal();
    result.num_goal_states = finish_ != kNoState;
    result.bytes = space_->budget().peak();
    result.algorithm = "a*";
    if (status_ == Status::goal || (is_stopped() && finish_ != kNoState)) {
      result.cost = finish_cost_;
      result.plan = space_->plan(path_to(*space_, finish_));
    }
    return result;
  }

 private:
  static constexpr std::uint64_t kExpansionsPerCheck = 256;
  static constexpr std::size_t kStatesPerExpansion = 4;  // usually, an expansion adds no more states than this
  static constexpr std::size_t kGoalTests = 1000;

  bool is_weighted() const { return options_.weight.numerator != options_.weight.denominator; }
  // The priority of an open state: its weighted f, times the denominator of the weight.
  PackedCost priority(PackedCost cost, PackedCost bound) const {
    return cost * options_.weight.denominator + bound * options_.weight.numerator;
  }

  void stop(Status status) {
    if (status_ == Status::running) status_ = status;
  }

  void expand(StateId node) {
    space_->expand(node);
    if (is_finished(node, costs_.cost(node), space_->goal_cost())) return;
    if (!space_->open_successors(opened_)) return stop(Status::memory);
    for (const Opened& next : opened_)
      if (!push(next)) return stop(Status::memory);
  }

  // Records the plan that ends with this state, if there is one, and returns whether it is optimal. `cost`: the cost of
  // that plan, or kInfiniteCost.
  bool is_finished(StateId node, PackedCost g, PackedCost cost) {
    if (cost == kInfiniteCost) return false;
    if (finish_ == kNoState || cost < finish_cost_) finish_ = node, finish_cost_ = cost;
    if (cost == g) stop(Status::goal);
    return cost == g;
  }

  bool is_stopped() const {
    return status_ == Status::time || status_ == Status::memory || status_ == Status::interrupted;
  }

  // After a limit has stopped the search, looks for the cheapest plan that ends at one of some open states for which
  // the bound is 0.
  void look_for_goal() {
    for (const StateId node : open_.nearest(kGoalTests)) {
      if (costs_.is_closed(node)) continue;
      const PackedCost cost = space_->goal_cost_at(node);
      if (cost < finish_cost_ || (finish_ == kNoState && cost != kInfiniteCost)) finish_ = node, finish_cost_ = cost;
    }
  }

  bool push(const Opened& state) { return open_.push(priority(state.cost, state.bound), state.bound, state.node); }

  SearchOptions options_;
  std::unique_ptr<SearchSpace> space_;
  NodeCosts& costs_;
  OpenList open_;
  std::vector<Opened> opened_;
  Status status_ = Status::running;
  PackedCost least_f_ = 0, initial_bound_ = 0, finish_cost_ = 0;
  StateId finish_ = kNoState;
};

}  // namespace fewest
