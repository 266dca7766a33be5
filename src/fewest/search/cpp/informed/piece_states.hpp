// States that consist of spots and the place of the agent: their stored form and their moves.
//
// Problem: a search expands millions of states and must find the moves that the spots of each state allow.
// Solution: the spots occupy the first bits, starting at bit 0. The place is a field after these bits, and it does not
// cross a word boundary. Each move is listed under one of the true spots that it requires, so the search tests only the
// moves of the true spots and the moves that require no true spot. In wide states, a *glance* at a single word of the
// state rejects most of the other moves. The glances of all moves take far less memory than the moves themselves. A
// `PieceStates` object is constant, and the successor generator shares it with the heuristic and the pruning.
#pragma once

#include <algorithm>
#include <bit>

#include "informed/piece_heuristic.hpp"
#include "informed/agent_regions.hpp"

namespace fewest {

inline int bits_of_place(const Pieces& pieces) {
  return pieces.has_agent() ? std::bit_width(unsigned(pieces.num_places() - 1)) : 0;
}

// The number of words of a stored state.
inline int words_of_key(const Pieces& pieces) {
  const int place_bits = bits_of_place(pieces);
  int bits = pieces.num_spots();
  if (bits % 64 + place_bits > 64) bits = (bits + 63) / 64 * 64;
  return std::max(1, (bits + place_bits + 63) / 64);
}

template <int P, int Q>
class PieceStates {
 public:
  struct Test {
    State<P> mask, value;
    int place;  // -1: the agent may be at any place
  };
  struct Move {
    State<P> mask, value;  // the precondition
    State<P> flip;
    int from_bit, to_bit;  // -1 without an agent
    int to;                // place
    int deleted, added;    // the spots of the only piece that moves; -1: several pieces move
    PackedCost cost;
    int index;             // in `pieces.moves`
  };
  // The part of a precondition that concerns one word of the state.
  struct Glance {
    Word mask, value;
    int word;
  };
  static constexpr bool kHasGlances = P > 4;
  // A state, with the exact place of the agent.
  struct Concrete {
    State<P> rest;
    int place;
  };
  struct Range {
    std::uint32_t begin = 0, end = 0;
  };

  FEWEST_COLD PieceStates(const Pieces& pieces, const PieceHeuristic& bound, const PlaceNumbers& numbers,
              int num_components)
      : num_components(num_components), pieces(pieces), numbers(numbers), graph(pieces, numbers) {
    place_shift_ = pieces.num_spots();
    const int place_bits = bits_of_place(pieces);
    if (place_shift_ % 64 + place_bits > 64) place_shift_ = (place_shift_ + 63) / 64 * 64;
    if (place_bits == 0) place_shift_ = 0;
    place_mask_ = (Word{1} << place_bits) - 1;
    spots_mask_ = zero_state<P>();
    for (int spot = 0; spot < pieces.num_spots(); ++spot) insert(spots_mask_, spot);
    for (int spot = 0; spot < pieces.num_spots(); ++spot) {
      blocks.push_back(zero_state<Q>());
      for (int place : pieces.blocks[spot]) insert(blocks.back(), numbers.bit_of[place]);
    }
    collect_moves(bound);
    for (const PieceCube& goal : pieces.goals) goals.push_back(cube(goal));
    for (const std::vector<PieceCube>& list : pieces.further_goals) {
      further_goals.emplace_back();
      for (const PieceCube& goal : list) further_goals.back().push_back(cube(goal));
    }
    for (const PieceCube& one : pieces.forbidden) forbidden.push_back(cube(one));
  }

  // --- States ---

  Concrete initial() const { return {set_of(pieces.initial), pieces.initial_place}; }
  State<P> key(const State<P>& rest, int place) const {
    FEWEST_ASSERT(rest_of(rest) == rest, "a set of spots leaves the bits of the place free");
    FEWEST_ASSERT(!pieces.has_agent() || (place >= 0 && place < pieces.num_places()),
                  "the agent is at one of its places");
    State<P> s = rest;
    if (place_mask_ != 0) s.w[place_shift_ / 64] |= static_cast<Word>(place) << (place_shift_ % 64);
    return s;
  }
  State<P> rest_of(const State<P>& s) const { return s & spots_mask_; }
  int place_of(const State<P>& s) const {
    if (!pieces.has_agent()) return -1;
    return static_cast<int>(s.w[place_shift_ / 64] >> (place_shift_ % 64) & place_mask_);
  }

  // Whether the spots are in a cube of `goals` that does not require a place of the agent.
  bool is_goal(const State<P>& rest) const {
    return std::any_of(goals.begin(), goals.end(), [&](const Test& goal) {
      return goal.place < 0 && in_cube(rest, goal.mask, goal.value);
    });
  }

  // Whether the spots are in some cube of each list of `further_goals`.
  bool is_in_further_lists(const State<P>& rest) const {
    return std::all_of(further_goals.begin(), further_goals.end(), [&](const std::vector<Test>& list) {
      return std::any_of(list.begin(), list.end(),
                         [&](const Test& goal) { return in_cube(rest, goal.mask, goal.value); });
    });
  }

  // The places that no true spot blocks.
  PlaceSet<Q> open_places(const State<P>& rest) const {
    PlaceSet<Q> blocked = zero_state<Q>();
    for_each_in<P>(rest, [&](int spot) { blocked = blocked | blocks[spot]; });
    return without(graph.all(), blocked);
  }

  // Whether a glance at the spots leaves open whether a move applies.
  bool may_apply(const State<P>& rest, std::uint32_t row) const
    requires(kHasGlances)
  {
    const Glance& glance = glances_[row];
    const bool may = (rest.w[glance.word] & glance.mask) == glance.value;
    FEWEST_ASSERT(may || !in_cube(rest, moves[row].mask, moves[row].value), "a glance rejects no move that applies");
    return may;
  }

  const int num_components;
  const Pieces& pieces;
  const PlaceNumbers& numbers;
  PlaceGraph<Q> graph;
  std::vector<PlaceSet<Q>> blocks;  // per spot
  std::vector<Move> moves;
  std::vector<Range> moves_at;      // per spot
  std::uint32_t num_anywhere = 0;   // the number of moves that require no true spot; they come first
  std::vector<Test> goals, forbidden;
  std::vector<std::vector<Test>> further_goals;

 private:
  static State<P> set_of(const FactSet& facts) { return state_from<P>(facts.data(), facts.size()); }
  Test cube(const PieceCube& from) const {
    return {set_of(from.true_spots) | set_of(from.false_spots), set_of(from.true_spots), from.place};
  }

  FEWEST_COLD void collect_moves(const PieceHeuristic& bound) {
    std::vector<std::vector<int>> at(pieces.num_spots());
    std::vector<int> anywhere;
    for (std::size_t i = 0; i < pieces.moves.size(); ++i) {
      const PieceMove& move = pieces.moves[i];
      if (!move.deleted.empty()) {
        at[move.deleted[0]].push_back(static_cast<int>(i));
        continue;
      }
      int spot = -1;
      for_each_fact(move.true_spots.data(), pieces.words(), [&](FactId s) { spot = s; });
      (spot >= 0 ? at[spot] : anywhere).push_back(static_cast<int>(i));
    }
    const auto append = [&](int i, int listed_under) {
      const PieceMove& from = pieces.moves[i];
      Move move;
      move.value = set_of(from.true_spots);
      move.mask = move.value | set_of(from.false_spots);
      move.flip = zero_state<P>();
      for (int spot : from.deleted) insert(move.flip, spot);
      for (int spot : from.added) insert(move.flip, spot);
      move.from_bit = from.from < 0 ? -1 : numbers.bit_of[from.from];
      move.to_bit = from.to < 0 ? -1 : numbers.bit_of[from.to];
      move.to = from.to;
      const bool is_known = bound.knows(from);
      move.deleted = is_known ? from.deleted[0] : -1;
      move.added = is_known ? from.added[0] : -1;
      move.cost = from.cost;
      move.index = i;
      moves.push_back(move);
      if constexpr (kHasGlances) glances_.push_back(glance_at(move, listed_under));
    };
    for (int i : anywhere) append(i, -1);
    num_anywhere = static_cast<std::uint32_t>(moves.size());
    for (int spot = 0; spot < pieces.num_spots(); ++spot) {
      const auto begin = static_cast<std::uint32_t>(moves.size());
      for (int i : at[spot]) append(i, spot);
      moves_at.push_back({begin, static_cast<std::uint32_t>(moves.size())});
    }
  }

  // The glance for the word in which a move requires the most true spots apart from the one under which it is listed,
  // and then the most false spots.
  FEWEST_COLD static Glance glance_at(const Move& move, int listed_under) {
    Glance best{0, 0, 0};
    int most = -1;
    for (int i = 0; i < P; ++i) {
      Word others = move.value.w[i];
      if (listed_under >= 0 && listed_under / 64 == i) others &= ~(Word{1} << (listed_under % 64));
      const int weight = std::popcount(others) * 64 + std::popcount(move.mask.w[i] & ~move.value.w[i]);
      if (weight <= most) continue;
      most = weight;
      best = {move.mask.w[i], move.value.w[i], i};
    }
    return best;
  }

  std::vector<Glance> glances_;  // per move; only for wide states
  // The stored form of a state contains the spots, starting at bit 0, and the place in a field after the spots.
  int place_shift_ = 0;
  Word place_mask_ = 0;
  State<P> spots_mask_;
};

}  // namespace fewest
