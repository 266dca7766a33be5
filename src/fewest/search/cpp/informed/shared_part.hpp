// A part of the states of an A* search on several threads (shared_astar.hpp). The hash of a state determines its part.
#pragma once

#include "informed/exchange.hpp"
#include "informed/open_list.hpp"

namespace fewest {

class SharedPart {
 public:
  SharedPart(std::unique_ptr<Exchange> exchange, std::size_t number, std::size_t num_parts)
      : exchange_(std::move(exchange)),
        space_(exchange_->space()),
        costs_(space_.costs()),
        open_(space_.budget()),
        number_(number),
        num_parts_(num_parts) {}

  Exchange& exchange() { return *exchange_; }
  const Exchange& exchange() const { return *exchange_; }
  SearchSpace& space() { return space_; }
  const SearchSpace& space() const { return space_; }
  const OpenList& open() const { return open_; }

  // The number of a state among all states of all parts.
  StateId name_of(StateId node) const {
    FEWEST_ASSERT(node < kNoState / num_parts_, "a name is less than kNoState");
    return static_cast<StateId>(node * num_parts_ + number_);
  }

  // The first half of a round: expands states that have the least f across all parts, and writes their successors into
  // the buffers.
  void expand(const Exchange::Exchanges& all, PackedCost f, std::uint64_t at_most) {
    exchange_->clear();
    expanded_.clear();
    for (std::uint64_t i = 0; i < at_most && status_ == Status::running; ++i) {
      FEWEST_ASSERT(open_.empty() || open_.least_f() >= f, "the least f of all parts is at most that of this part");
      if (open_.empty() || open_.least_f() != f) return;
      const StateId node = open_.pop_diversified();
      if (const StateId next = open_.peek(); next != kNoState) space_.prefetch(next);
      if (costs_.is_closed(node)) continue;
      const PackedCost g = costs_.cost(node);
      exchange_->expand(node);
      expanded_.emplace_back(node, g);
      if (!is_finished(node, g, space_.goal_cost())) exchange_->lay_out(all, name_of(node));
    }
  }

  // The second half of a round: reads the states that were written for this part.
  void take_in(const Exchange::Exchanges& all) {
    if (space_.size() + exchange_->num_for_this(all) >= kNoState / num_parts_) return stop(Status::memory);  // too many
    if (!exchange_->take_in(all, opened_)) return stop(Status::memory);
    for (const Opened& next : opened_)
      if (!push(next)) return stop(Status::memory);
  }

  // Marks the states of the last round as not expanded, for a file. Must be called if memory was exhausted in this
  // round, because some of their successors are then missing. Afterwards, the search must not continue.
  void undo_round() {
    for (const auto& [node, g] : expanded_)
      if (costs_.is_closed(node) && costs_.cost(node) == g) costs_.reopen(node);
    expanded_.clear();
  }

  // Inserts a state from a file; returns kNoState if memory is exhausted.
  StateId insert(const void* state) {
    return space_.size() + 1 >= kNoState / num_parts_ ? kNoState : exchange_->insert(state);
  }
  // Rebuilds the open list from the states that are not closed.
  void open_again() {
    for (StateId node = 0; node < space_.size() && status_ == Status::running; ++node) {
      if (costs_.is_closed(node)) continue;
      const PackedCost cost = costs_.cost(node), bound = exchange_->bound_at(node);
      if (bound == kInfiniteCost)  // this can occur if the search that wrote the file used other tables
        costs_.close_dead(node, 0, costs_.parent(node), true);
      else if (!push({node, cost, bound, 0}))
        stop(Status::memory);
    }
  }

  void stop(Status status) {
    if (status_ == Status::running) status_ = status;
  }
  void stop_at_disk() { status_ = Status::disk; }
  Status status() const { return status_; }

  // After a limit has stopped the search, looks for the cheapest plan that ends at one of some open states for which
  // the bound is 0.
  void look_for_goal() {
    for (const StateId node : open_.nearest(kGoalTests))
      if (!costs_.is_closed(node)) note_finish(node, space_.goal_cost_at(node));
  }

  // The last state of the cheapest plan so far (kNoState: none), and the cost of this plan.
  StateId finish = kNoState;
  PackedCost finish_cost = 0;

 private:
  static constexpr std::size_t kGoalTests = 1000;

  // Records the plan that ends with this state, if there is one, and returns whether it is optimal. `cost`: the cost of
  // that plan, or kInfiniteCost.
  bool is_finished(StateId node, PackedCost g, PackedCost cost) {
    if (cost == kInfiniteCost) return false;
    note_finish(node, cost);
    if (cost == g) stop(Status::goal);
    return cost == g;
  }

  void note_finish(StateId node, PackedCost cost) {
    if (cost < finish_cost || (finish == kNoState && cost != kInfiniteCost)) finish = node, finish_cost = cost;
  }

  bool push(const Opened& state) { return open_.push(state.cost + state.bound, state.bound, state.node); }

  std::unique_ptr<Exchange> exchange_;
  SearchSpace& space_;
  NodeCosts& costs_;
  OpenList open_;
  std::vector<Opened> opened_;
  std::vector<std::pair<StateId, PackedCost>> expanded_;  // the states of the last round, with their costs
  Status status_ = Status::running;
  std::size_t number_, num_parts_;
};

}  // namespace fewest
