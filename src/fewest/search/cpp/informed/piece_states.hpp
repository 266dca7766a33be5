// States of spots and the place of an agent: how informed searches store them, move on, and play plans.
//
// Problem: a search looks at millions of states, each as a few words, and asks of each which moves the
// spots allow, how far the agent walks to them, and whether it is a goal.
// Solution: the spots are bits from 0 on, the place is a field behind them that no word boundary cuts. Moves
// lie together by one of the spots that they need, so a state looks at those of its own spots. Walking
// distances come from sets of places, a step at a time (place_sets.hpp). A plan is a chain of stored
// states; it is played from the start, since a stored state may stand for others.
// Usage: a search derives from it.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "informed/piece_bound.hpp"
#include "informed/place_sets.hpp"

namespace fewest {

inline int bits_of_place(const Pieces& pieces) {
  return pieces.has_agent() ? std::bit_width(unsigned(pieces.num_places() - 1)) : 0;
}

// Words that a stored state takes.
inline int words_of_key(const Pieces& pieces) {
  const int place_bits = bits_of_place(pieces);
  int bits = pieces.num_spots();
  if (bits % 64 + place_bits > 64) bits = (bits + 63) / 64 * 64;
  return std::max(1, (bits + place_bits + 63) / 64);
}

template <int P, int Q>
class PieceStates {
 protected:
  struct Test {
    State<P> mask, value;
    int place;
  };
  struct Move {
    State<P> mask, value;  // what must be there
    State<P> flip;
    int from_bit, to_bit;  // -1 without an agent
    int to;                // place
    int deleted, added;    // of the one piece that it moves; -1: more than that
    PackedCost cost;
    int index;             // in pieces_.moves
  };
  struct Concrete {
    State<P> rest;
    int place;
  };
  struct Range {
    std::uint32_t begin = 0, end = 0;
  };

  PieceStates(const Pieces& pieces, const PieceBound& bound, const PlaceNumbers& numbers,
              int num_components)
      : pieces_(pieces), numbers_(numbers), graph_(pieces, numbers), num_components_(num_components) {
    place_shift_ = pieces.num_spots();
    const int place_bits = bits_of_place(pieces);
    if (place_shift_ % 64 + place_bits > 64) place_shift_ = (place_shift_ + 63) / 64 * 64;
    if (place_bits == 0) place_shift_ = 0;
    place_mask_ = (Word{1} << place_bits) - 1;
    spots_mask_ = zero_state<P>();
    for (int spot = 0; spot < pieces.num_spots(); ++spot) insert(spots_mask_, spot);
    for (int spot = 0; spot < pieces.num_spots(); ++spot) {
      blocks_.push_back(zero_state<Q>());
      for (int place : pieces.blocks[spot]) insert(blocks_.back(), numbers.bit_of[place]);
    }
    collect_moves(bound);
    for (const PieceCube& goal : pieces.goals) goals_.push_back(cube(goal));
    for (const PieceCube& cube_ : pieces.forbidden) forbidden_.push_back(cube(cube_));
  }

  int num_components() const { return num_components_; }

  // --- States ---

  Concrete initial() const { return {set_of(pieces_.initial), pieces_.initial_place}; }
  State<P> key(const State<P>& rest, int place) const {
    FEWEST_ASSERT(rest_of(rest) == rest, "a set of spots leaves the bits of the place free");
    FEWEST_ASSERT(!pieces_.has_agent() || (place >= 0 && place < pieces_.num_places()),
                  "the agent is at one of its places");
    State<P> s = rest;
    if (place_mask_ != 0) s.w[place_shift_ / 64] |= static_cast<Word>(place) << (place_shift_ % 64);
    return s;
  }
  State<P> rest_of(const State<P>& s) const { return s & spots_mask_; }
  int place_of(const State<P>& s) const {
    if (!pieces_.has_agent()) return -1;
    return static_cast<int>(s.w[place_shift_ / 64] >> (place_shift_ % 64) & place_mask_);
  }

  // Whether it is one wherever the agent is.
  bool is_goal(const State<P>& rest) const {
    return std::any_of(goals_.begin(), goals_.end(), [&](const Test& goal) {
      return goal.place < 0 && in_cube(rest, goal.mask, goal.value);
    });
  }

  // --- Costs: 31 bits of a stored state's, so that one is left for a mark ---

  static constexpr std::uint32_t kClosed = 0x80000000u;

  std::uint32_t small(PackedCost cost) const {
    if (num_components_ == 1) {
      if (cost >= kClosed) throw std::overflow_error("a cost is too large for this search");
      FEWEST_ASSERT(large(static_cast<std::uint32_t>(cost)) == cost,
                    "a cost that is stored is the same when it is read");
      return static_cast<std::uint32_t>(cost);
    }
    if (cost >> 32 >= 0x8000 || (cost & 0xffffffffu) >= 0x10000)
      throw std::overflow_error("a cost is too large for this search");
    return static_cast<std::uint32_t>(cost >> 32 << 16 | (cost & 0xffff));
  }
  PackedCost large(std::uint32_t cost) const {
    cost &= ~kClosed;
    return num_components_ == 1 ? cost : PackedCost{cost >> 16} << 32 | (cost & 0xffff);
  }

  // --- Walks ---

  PlaceSet<Q> open_places(const State<P>& rest) const {
    PlaceSet<Q> blocked = zero_state<Q>();
    for_each_in<P>(rest, [&](int spot) { blocked = blocked | blocks_[spot]; });
    return without(graph_.all(), blocked);
  }

  // Walking distances from `place` to the wanted places, in steps, in steps_to_; -1: not reached.
  void measure(int place, const PlaceSet<Q>& open, PlaceSet<Q> wanted) {
    if (steps_to_.empty()) steps_to_.assign(Q * 64, -1);
    for_each_in<Q>(wanted, [&](int bit) { steps_to_[bit] = -1; });
    PlaceSet<Q> reached = zero_state<Q>();
    FEWEST_ASSERT(place >= 0 && place < pieces_.num_places(), "a walk begins at a place of the agent");
    insert(reached, numbers_.bit_of[place]);
    PlaceSet<Q> frontier = reached;
    for (int steps = 0;; ++steps) {
      const PlaceSet<Q> found = frontier & wanted;
      if (!is_empty(found)) {
        for_each_in<Q>(found, [&](int bit) { steps_to_[bit] = steps; });
        wanted = without(wanted, found);
        if (is_empty(wanted)) return;
      }
      frontier = without(graph_.neighbours(frontier) & open, reached);
      if (is_empty(frontier)) return;
      reached = reached | frontier;
    }
  }

  // --- Plans ---

  // The plan along `count` stored states after the first, the walk to where the goal wants the agent
  // included. `paid(i)`: at most that much from state i - 1 to i; `is_state(i, concrete)`: whether stored
  // state i stands for it.
  template <class Paid, class IsState>
  std::vector<OperatorId> play(std::size_t count, Paid paid, IsState is_state) {
    std::vector<OperatorId> plan;
    Concrete now = initial();
    for (std::size_t i = 1; i <= count; ++i) {
      const PackedCost most = paid(i);
      PlaceSet<Q> open = zero_state<Q>();
      if (pieces_.has_agent()) {
        open = open_places(now.rest);
        measure(now.place, open, graph_.all());
      }
      const Move* used = nullptr;
      for (const Move& move : moves_) {
        if (!in_cube(now.rest, move.mask, move.value)) continue;
        PackedCost cost = move.cost;
        if (move.from_bit >= 0) {
          if (steps_to_[move.from_bit] < 0) continue;
          cost += pieces_.walk_cost * static_cast<PackedCost>(steps_to_[move.from_bit]);
        }
        if (cost > most) continue;
        if (!is_state(i, Concrete{now.rest ^ move.flip, move.to})) continue;
        used = &move;
        break;
      }
      if (used == nullptr) throw std::logic_error("a plan cannot be followed");
      const PieceMove& move = pieces_.moves[used->index];
      if (move.from >= 0) walk(now.rest, now.place, move.from, plan);
      plan.push_back(move.id);
      plan.insert(plan.end(), move.then.begin(), move.then.end());
      now = {now.rest ^ used->flip, used->to};
    }
    if (!pieces_.has_agent()) return plan;
    // To where the goal wants the agent: the nearest such place.
    measure(now.place, open_places(now.rest), graph_.all());
    int place = now.place, least = 1 << 30;
    for (const Test& goal : goals_) {
      if (!in_cube(now.rest, goal.mask, goal.value)) continue;
      if (goal.place < 0) return plan;
      const int steps = steps_to_[numbers_.bit_of[goal.place]];
      if (steps >= 0 && steps < least) least = steps, place = goal.place;
    }
    walk(now.rest, now.place, place, plan);
    return plan;
  }

  const Pieces& pieces_;
  const PlaceNumbers& numbers_;
  PlaceGraph<Q> graph_;
  std::vector<PlaceSet<Q>> blocks_;  // per spot
  std::vector<Move> moves_;
  std::vector<Range> moves_at_;      // per spot
  std::uint32_t num_anywhere_ = 0;   // moves that need no spot, the first ones
  std::vector<Test> goals_, forbidden_;
  std::vector<int> steps_to_;        // per bit of a place; of the last measure

 private:
  static State<P> set_of(const FactSet& facts) { return state_from<P>(facts.data(), facts.size()); }
  Test cube(const PieceCube& from) const {
    return {set_of(from.true_spots) | set_of(from.false_spots), set_of(from.true_spots), from.place};
  }

  void collect_moves(const PieceBound& bound) {
    std::vector<std::vector<int>> at(pieces_.num_spots());
    std::vector<int> anywhere;
    for (std::size_t i = 0; i < pieces_.moves.size(); ++i) {
      const PieceMove& move = pieces_.moves[i];
      if (!move.deleted.empty()) {
        at[move.deleted[0]].push_back(static_cast<int>(i));
        continue;
      }
      int spot = -1;
      for_each_fact(move.true_spots.data(), pieces_.words(), [&](FactId s) { spot = s; });
      (spot >= 0 ? at[spot] : anywhere).push_back(static_cast<int>(i));
    }
    const auto append = [&](int i) {
      const PieceMove& from = pieces_.moves[i];
      Move move;
      move.value = set_of(from.true_spots);
      move.mask = move.value | set_of(from.false_spots);
      move.flip = zero_state<P>();
      for (int spot : from.deleted) insert(move.flip, spot);
      for (int spot : from.added) insert(move.flip, spot);
      move.from_bit = from.from < 0 ? -1 : numbers_.bit_of[from.from];
      move.to_bit = from.to < 0 ? -1 : numbers_.bit_of[from.to];
      move.to = from.to;
      const bool is_known = bound.knows(from);
      move.deleted = is_known ? from.deleted[0] : -1;
      move.added = is_known ? from.added[0] : -1;
      move.cost = from.cost;
      move.index = i;
      moves_.push_back(move);
    };
    for (int i : anywhere) append(i);
    num_anywhere_ = static_cast<std::uint32_t>(moves_.size());
    for (const auto& list : at) {
      const auto begin = static_cast<std::uint32_t>(moves_.size());
      for (int i : list) append(i);
      moves_at_.push_back({begin, static_cast<std::uint32_t>(moves_.size())});
    }
  }

  // Appends the walk from one place to another.
  void walk(const State<P>& rest, int from, int to, std::vector<OperatorId>& plan) const {
    const PlaceSet<Q> open = open_places(rest);
    std::vector<int> before(pieces_.num_places(), -1), queue{from};
    std::vector<OperatorId> by(pieces_.num_places(), -1);
    before[from] = from;
    for (std::size_t i = 0; i < queue.size() && before[to] < 0; ++i)
      for (const Walk& step : pieces_.walks[queue[i]]) {
        if (before[step.to] >= 0 || !contains(open, numbers_.bit_of[step.to])) continue;
        before[step.to] = queue[i];
        by[step.to] = step.id;
        queue.push_back(step.to);
      }
    FEWEST_ASSERT(before[to] >= 0, "the agent can walk to where it is needed");
    const std::size_t size = plan.size();
    for (int at = to; at != from; at = before[at]) plan.push_back(by[at]);
    std::reverse(plan.begin() + static_cast<std::ptrdiff_t>(size), plan.end());
  }

  int num_components_;
  // How a state is stored: spots from bit 0 on, the place in a field.
  int place_shift_ = 0;
  Word place_mask_ = 0;
  State<P> spots_mask_;
};

}  // namespace fewest
