// Freeze deadlocks: pieces that block each other permanently.
//
// Problem: two boxes side by side along a wall can never move again. If these boxes are not on goal cells, the state
// and all its successors are dead.
// Solution: a set S of true spots is *frozen* if each move that deletes a spot of S is blocked by another spot of S:
// the precondition of the move requires that other spot to be false, or requires the agent at a place that the other
// spot excludes. The first move that deletes a spot of S would be made while all of S is true, so there is no such
// move. The state is dead if every goal cube requires a spot of S to be false. The greatest S is a fixpoint: start with
// all candidates, and repeatedly remove every spot that some move may delete. Every frozen set that arises from a move
// contains the moved piece. So the candidates are the spot of that piece, the spots that block it, the spots that block
// these spots, and so on. Moves to dead spots have been removed from the problem, so they are not considered. (Freeze
// deadlocks: Junghanns and Schaeffer, 2001; here in a general form.) The test is sound in every metric.
#pragma once

#include "informed/agent_regions.hpp"

namespace fewest {

template <int P>
class Freezing {
 public:
  FEWEST_COLD explicit Freezing(const Pieces& pieces) {
    const int num_spots = pieces.num_spots();
    blockers_.resize(num_spots);
    std::vector<std::vector<int>> blocked_by(pieces.num_places());
    for (int spot = 0; spot < num_spots; ++spot)
      for (int place : pieces.blocks[spot]) blocked_by[place].push_back(spot);
    for (const auto& list : blocked_by) blocks_overlap_ = blocks_overlap_ || overlap(list, pieces);
    for (const PieceMove& move : pieces.moves) {
      if (!move.then.empty()) continue;  // a macro operator is blocked if its first move is blocked
      State<P> blockers = state_from<P>(move.false_spots.data(), move.false_spots.size());
      if (move.from >= 0)
        for (int spot : blocked_by[move.from]) insert(blockers, spot);
      for (int spot : move.deleted) blockers_[spot].push_back(blockers);
    }
    for (const PieceCube& goal : pieces.goals) {
      State<P> unwanted = state_from<P>(goal.false_spots.data(), goal.false_spots.size());
      for (const PieceGroup& group : pieces.groups) {
        int wanted = 0;
        for (int spot : group.spots) wanted += has(goal.true_spots.data(), spot);
        if (wanted < group.count) continue;
        for (int spot : group.spots)
          if (!has(goal.true_spots.data(), spot)) insert(unwanted, spot);
      }
      unwanted_.push_back(unwanted);
    }
  }

  // For each goal cube, the spots that must be false.
  const std::vector<State<P>>& unwanted() const { return unwanted_; }
  // Whether several pieces may be able to block one place together.
  bool blocks_overlap() const { return blocks_overlap_; }

  // Whether the search for frozen sets that begins at the spot `moved` finds a set that contains this spot and excludes
  // every goal cube.
  bool freezes_badly(const State<P>& rest, int moved) const {
    for (const State<P>& blockers : blockers_[moved])
      if (!meets(blockers, rest)) return false;
    State<P> frozen = zero_state<P>(), seen = zero_state<P>(), open = zero_state<P>();
    insert(open, moved);
    seen = open;
    while (!is_empty(open)) {
      const int spot = lowest(open);
      erase(open, spot);
      State<P> needed = zero_state<P>();
      bool is_free = false;
      for (const State<P>& blockers : blockers_[spot]) {
        const State<P> there = blockers & rest;
        is_free = is_free || is_empty(there);
        needed = needed | there;
      }
      if (is_free) continue;
      insert(frozen, spot);
      open = open | without(needed, seen);
      seen = seen | needed;
    }
    shrink(frozen);
    const bool is_worse = contains(frozen, moved) && is_bad(frozen);
    FEWEST_ASSERT_SAMPLED(!is_worse || is_dead(rest), "a frozen set is part of the greatest one");
    return is_worse;
  }

  // Whether any frozen set makes the state dead.
  bool is_dead(const State<P>& rest) const {
    State<P> frozen = rest;
    shrink(frozen);
    return is_bad(frozen);
  }

 private:
  static void erase(State<P>& s, int bit) { s.w[bit / 64] &= ~(Word{1} << (bit % 64)); }

  // Whether several of the spots may be true at the same time. The result is false only if there are fewer than two
  // spots, or if all of them belong to one group with one piece.
  static bool overlap(const std::vector<int>& spots, const Pieces& pieces) {
    if (spots.size() < 2) return false;
    for (const PieceGroup& group : pieces.groups) {
      if (group.count != 1) continue;
      const bool all = std::all_of(spots.begin(), spots.end(), [&](int spot) {
        return std::binary_search(group.spots.begin(), group.spots.end(), spot);
      });
      if (all) return false;
    }
    return true;
  }

  void shrink(State<P>& frozen) const {
    for (bool changed = true; changed;) {
      changed = false;
      for_each_in<P>(State<P>(frozen), [&](int spot) {
        for (const State<P>& blockers : blockers_[spot])
          if (!meets(blockers, frozen)) {
            erase(frozen, spot);
            changed = true;
            return;
          }
      });
    }
  }

  bool is_bad(const State<P>& frozen) const {
    return !unwanted_.empty() && std::all_of(unwanted_.begin(), unwanted_.end(),
                                             [&](const State<P>& u) { return meets(u, frozen); });
  }

  std::vector<std::vector<State<P>>> blockers_;  // per spot: the blockers of each move that deletes it
  std::vector<State<P>> unwanted_;               // per goal cube
  bool blocks_overlap_ = false;
};

}  // namespace fewest
