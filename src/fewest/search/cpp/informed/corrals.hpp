// Corrals: regions that the agent cannot reach until it moves a piece that encloses them.
//
// Problem: if pieces enclose some places, a search tries the moves of all other pieces in every order before it moves
// the enclosing pieces.
// Solution: let the *inside* be a set of places that the agent cannot reach; it is a union of connected parts. Let the
// *fence* be a set of pieces that contains all pieces next to the inside. While no piece of the fence has moved, the
// agent stays outside and no piece enters the inside. Consider the moves of fence pieces that can become possible at
// some time before the first move of a fence piece. Suppose that each of these moves leads to the inside and is already
// possible now. Suppose also that every goal cube requires a change of the fence or of the inside. Every plan then has
// a first move of a fence piece. This move can also be made immediately: no earlier move of the plan changes its
// precondition, and the agent can step back afterwards. So only these moves need to be expanded. (PI-corrals: Damgaard,
// in the Sokoban wiki; here generalised to any graph.) The method is sound only if walks are free. The argument above
// changes the order of the pushes of a plan; if walks cost something, the new order may cost more. `applies` is false
// if walks are not free, if a goal cube names a place of the agent, if there are forbidden cubes, or if the moves do
// not have the following form. Each move must move one piece between neighbouring places, and must move the agent from
// a place next to the piece to the piece's old place. Its precondition must concern only these three places. Each spot
// must block one place.
#pragma once

#include "informed/agent_regions.hpp"

namespace fewest {

template <int P, int Q>
class Corrals {
 public:
  FEWEST_COLD Corrals(const Pieces& pieces, const PlaceGraph<Q>& graph, const PlaceNumbers& numbers)
      : graph_(graph) {
    applies_ = pieces.parts.has_corrals && pieces.has_agent() && pieces.walk_cost == 0 && fits(pieces);
    if (!applies_) return;
    for (int spot = 0; spot < pieces.num_spots(); ++spot)
      bit_of_.push_back(numbers.bit_of[pieces.blocks[spot][0]]);
    moves_.resize(pieces.num_spots());
    for (const PieceMove& move : pieces.moves)
      moves_[move.deleted[0]].push_back({numbers.bit_of[move.from], bit_of_[move.added[0]]});
    for (const PieceCube& goal : pieces.goals) {
      PlaceSet<Q> wanted = zero_state<Q>();
      for_each_fact(goal.true_spots.data(), pieces.words(),
                    [&](FactId spot) { insert(wanted, bit_of_[spot]); });
      wanted_.push_back(wanted);
    }
    occupant_.assign(Q * 64, -1);
  }

  bool applies() const { return applies_; }

  struct Found {
    bool is_found = false;
    State<P> fence;        // spots
    PlaceSet<Q> inside;
  };

  // Returns the corral with the fewest moves into it; `is_found` is false if there is no corral. `region`: the region
  // of the agent; `open`: places without a piece; `unwanted`: for each goal cube, the spots that must be false.
  Found find(const std::vector<int>& spots, const PlaceSet<Q>& open, const PlaceSet<Q>& region,
             const std::vector<State<P>>& unwanted) {
    Found best;
    PlaceSet<Q> rest = without(open, region);
    if (is_empty(rest)) return best;
    for (int spot : spots) occupant_[bit_of_[spot]] = spot;
    unsigned fewest = ~0u;
    while (!is_empty(rest)) {
      const PlaceSet<Q> part = graph_.reach(lowest(rest), open);
      rest = without(rest, part);
      Found found;
      found.inside = part;
      const unsigned count = grow(found, open, region);
      rest = without(rest, found.inside);
      if (count >= fewest || !must_change(found, unwanted)) continue;
      fewest = count;
      FEWEST_ASSERT(!meets(found.inside, region) && !is_empty(found.fence),
                    "the agent is outside, and pieces fence it off");
      best = found;
      best.is_found = true;
    }
    return best;
  }

  int bit_of(int spot) const { return bit_of_[spot]; }

 private:
  struct Step {
    int from, target;  // the bits of the agent's place and of the piece's target
  };

  FEWEST_COLD static bool fits(const Pieces& pieces) {
    const auto are_near = [&](int a, int b) {
      return std::any_of(pieces.walks[a].begin(), pieces.walks[a].end(),
                         [&](const Walk& walk) { return walk.to == b; });
    };
    for (const std::vector<int>& places : pieces.blocks)
      if (places.size() != 1) return false;
    for (const PieceCube& goal : pieces.goals)
      if (goal.place >= 0) return false;
    if (!pieces.forbidden.empty()) return false;
    return std::all_of(pieces.moves.begin(), pieces.moves.end(), [&](const PieceMove& move) {
      if (move.deleted.size() != 1 || move.added.size() != 1) return false;
      int positives = 0;
      for_each_fact(move.true_spots.data(), pieces.words(), [&](FactId) { ++positives; });
      const int at = pieces.blocks[move.deleted[0]][0], target = pieces.blocks[move.added[0]][0];
      bool only_target = true;  // only the target, the old place or the agent's place must be empty
      for_each_fact(move.false_spots.data(), pieces.words(), [&](FactId spot) {
        only_target = only_target && (pieces.blocks[spot][0] == target || pieces.blocks[spot][0] == at ||
                                      pieces.blocks[spot][0] == move.from);
      });
      return positives == 1 && only_target && move.to == at && are_near(move.from, at) &&
             are_near(at, target);
    });
  }

  // Extends the inside and the fence as far as necessary. Returns the number of moves into the inside, or ~0 if the
  // result is not a corral.
  unsigned grow(Found& corral, const PlaceSet<Q>& open, const PlaceSet<Q>& region) {
    corral.fence = zero_state<P>();
    PlaceSet<Q> fence = zero_state<Q>();
    std::vector<int>& members = members_;
    members.clear();
    const auto enlist = [&](int bit) {
      if (contains(fence, bit)) return;
      FEWEST_ASSERT(occupant_[bit] >= 0, "a place that is not open contains a piece");
      insert(fence, bit);
      insert(corral.fence, occupant_[bit]);
      members.push_back(occupant_[bit]);
    };
    const auto add_next = [&](const PlaceSet<Q>& part) {
      for_each_in<Q>(without(graph_.neighbours(part), open), enlist);
    };
    add_next(corral.inside);
    while (true) {
      unsigned count = 0;
      bool changed = false;
      // Adds a place that the agent cannot reach: to the inside, together with all open places that are connected to
      // it, or to the fence if it contains a piece. Returns false if the agent can reach the place.
      const auto absorb = [&](int bit) {
        if (contains(region, bit)) return false;
        if (contains(open, bit)) {
          const PlaceSet<Q> part = graph_.reach(bit, open);
          corral.inside = corral.inside | part;
          add_next(part);
        } else {
          enlist(bit);
        }
        changed = true;
        return true;
      };
      for (std::size_t i = 0; i < members.size() && !changed; ++i)
        for (const Step& step : moves_[members[i]]) {
          if (contains(corral.inside, step.from) || contains(fence, step.from)) continue;
          if (contains(fence, step.target)) continue;
          if (contains(corral.inside, step.target)) {
            if (contains(region, step.from)) {
              ++count;
              continue;
            }
            absorb(step.from);
            break;
          }
          if (absorb(step.from) || absorb(step.target)) break;
          return ~0u;  // the piece may move to the outside
        }
      if (!changed) return count;
    }
  }

  bool must_change(const Found& corral, const std::vector<State<P>>& unwanted) const {
    for (std::size_t goal = 0; goal < wanted_.size(); ++goal)
      if (!meets(corral.fence, unwanted[goal]) && !meets(corral.inside, wanted_[goal])) return false;
    return true;
  }

  const PlaceGraph<Q>& graph_;
  bool applies_ = false;
  std::vector<int> bit_of_;                // per spot
  std::vector<std::vector<Step>> moves_;   // per spot
  std::vector<PlaceSet<Q>> wanted_;        // per goal cube
  std::vector<int> occupant_;              // the spot at each bit; valid only where there is a piece
  std::vector<int> members_;
};

}  // namespace fewest
