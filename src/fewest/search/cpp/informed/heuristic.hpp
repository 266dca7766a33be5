// The heuristic of a state and of its successors: a lower bound on the remaining cost of moves and walks.
//
// piece_heuristic.hpp bounds the cost of the moves, and walk_heuristic.hpp bounds the cost of the walks. The sum of the
// two bounds is admissible. For a successor by a move of one piece, usually only the terms that the move changes are
// recomputed.
#pragma once

#include "informed/piece_states.hpp"
#include "informed/walk_heuristic.hpp"

namespace fewest {

template <int P, int Q>
class Heuristic {
 public:
  Heuristic(const PieceStates<P, Q>& states, PieceHeuristic bound, const std::vector<int>& numbers)
      : states_(states), bound_(std::move(bound)), walks_(states.pieces, numbers) {}

  const PieceHeuristic& bound() const { return bound_; }

  // The heuristic of a state with the true spots `spots`, or kInfiniteCost if the heuristic shows that the state is
  // dead.
  PackedCost at(const State<P>& rest, const std::vector<int>& spots, int place) {
    const PackedCost h = states_.pieces.goals.empty() ? kInfiniteCost : bound_.set(spots, place);
    if (h == kInfiniteCost || !walks_.applies() || states_.is_goal(rest)) return h;
    return h + states_.pieces.walk_cost * walks_.steps(walks_.of_spots(spots), place);
  }

  // Sets the parent for calls of `after`; `spots` must remain valid until the last such call.
  void set_parent(const State<P>& rest, const std::vector<int>& spots, int place) {
    spots_ = &spots;
    place_ = place;
    [[maybe_unused]] const PackedCost bound = bound_.set(spots, place);
    if (walks_.applies()) displacement_ = walks_.of_spots(spots);
    if constexpr (kHasAssertions) {
      of_parent_ = bound;
      if (bound != kInfiniteCost && walks_.applies() && !states_.is_goal(rest))
        of_parent_ += states_.pieces.walk_cost * walks_.steps(displacement_, place);
    }
  }

  // The heuristic of the state that a move reaches from the parent. `next`: the spots of the successor; `cost`: the
  // cost of the move and the walk before it.
  PackedCost after(const State<P>& next, std::uint32_t row, [[maybe_unused]] PackedCost cost) {
    const auto& move = states_.moves[row];
    PackedCost bound;
    if (bound_.knows_all_moves()) {
      bound = bound_.after_move(move.index);
    } else if (move.added >= 0 && bound_.variable_pdbs() == nullptr) {
      bound = bound_.after(move.deleted, move.added, move.to);
    } else {
      successor_spots_.clear();
      for_each_in<P>(next, [&](int spot) { successor_spots_.push_back(spot); });
      bound = bound_.set(successor_spots_, move.to);
      bound_.set(*spots_, place_);
    }
    // The displacement changes only by walks. So the code uses the sum over the parent's spots and the agent's place
    // before the move.
    if (bound != kInfiniteCost && walks_.applies() && !states_.is_goal(next))
      bound += states_.pieces.walk_cost * walks_.steps(displacement_, states_.graph.place_of(move.from_bit));
    FEWEST_ASSERT_SAMPLED(bound == from_nothing(next, move.to),
                          "the updated bound is that of the state");
    FEWEST_ASSERT(!bound_.is_consistent() || is_no_lower(bound, cost),
                  "a move decreases the bound by at most the cost of the move");
    return bound;
  }

  // The result of `at`, computed without incremental data.
  PackedCost from_nothing(const State<P>& rest, int place) const {
    Heuristic own = *this;
    std::vector<int> spots;
    for_each_in<P>(rest, [&](int spot) { spots.push_back(spot); });
    return own.at(rest, spots, place);
  }

 private:
  // Whether, in each part of the metric, the bound of a successor is at least the bound of the parent minus the cost of
  // the move.
  bool is_no_lower(PackedCost bound, PackedCost cost) const {
    if (bound == kInfiniteCost || of_parent_ == kInfiniteCost) return bound == kInfiniteCost;
    if (states_.num_components == 1) return of_parent_ <= cost + bound;
    const PackedCost low = 0xffffffffu;
    return of_parent_ >> 32 <= (cost >> 32) + (bound >> 32) && (of_parent_ & low) <= (cost & low) + (bound & low);
  }

  const PieceStates<P, Q>& states_;
  PieceHeuristic bound_;
  WalkHeuristic walks_;
  // Data about the parent.
  const std::vector<int>* spots_ = nullptr;
  int place_ = -1;
  WalkHeuristic::Displacement displacement_;
  PackedCost of_parent_ = 0;  // only for assertions
  std::vector<int> successor_spots_;
};

}  // namespace fewest
