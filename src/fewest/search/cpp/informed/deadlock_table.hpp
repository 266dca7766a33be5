// A table of deadlock sets that a search looks up.
//
// Problem: for some sets of two, three or four pieces, each piece alone can reach a goal cell, but the pieces cannot
// all reach goal cells.
// Solution: such sets are computed before the search (by `fewest.deadlocks`, which exhausts the projection onto the
// pieces) and passed as cubes. Every set that a move completes contains the moved piece, so each cube is in the lists
// of all its spots. The table is sound in every metric: no plan exists from a state in such a cube.
#pragma once

#include "informed/agent_regions.hpp"

namespace fewest {

// No goal state can be reached from a state in which all facts of `pieces` are true and all facts of `places` are
// false.
struct DeadCube {
  std::vector<FactId> pieces, places;
};

template <int P, int Q>
class DeadlockTable {
 public:
  FEWEST_COLD DeadlockTable(const Pieces& pieces, const PlaceNumbers& numbers, const std::vector<DeadCube>& cubes)
      : at_(pieces.num_spots()) {
    const auto number_in = [](const std::vector<FactId>& facts, FactId fact) {
      const auto found = std::lower_bound(facts.begin(), facts.end(), fact);
      return found == facts.end() || *found != fact ? -1 : static_cast<int>(found - facts.begin());
    };
    for (const DeadCube& cube : cubes) {
      Entry entry{zero_state<P>(), zero_state<Q>(), !cube.places.empty()};
      bool can_be = true;
      for (FactId fact : cube.pieces) {
        if (const int spot = number_in(pieces.spots, fact); spot >= 0)
          insert(entry.spots, spot);
        else if (const int at = number_in(pieces.places, fact); at >= 0)
          save_others(entry, at, pieces, numbers);
        else
          can_be = can_be && pieces.is_true_at_start(fact);  // the fact is constant
      }
      for (FactId fact : cube.places) {
        const int place = number_in(pieces.places, fact);
        can_be = can_be && place >= 0;
        if (place >= 0) insert(entry.saved, numbers.bit_of[place]);
      }
      if (can_be)
        for_each_in<P>(State<P>(entry.spots), [&](int spot) { at_[spot].push_back(entry); });
    }
  }

  // Whether the state is in a cube that contains the piece at the spot `moved`. `place`: the agent's bit, or -1 if
  // there is no agent.
  bool holds(const State<P>& spots, int moved, int place) const {
    FEWEST_ASSERT(contains(spots, moved), "the moved piece is at its new spot");
    for (const Entry& entry : at_[moved])
      if (in_cube(spots, entry.spots, entry.spots) &&
          !(entry.depends_on_place && contains(entry.saved, place)))
        return true;
    return false;
  }

 private:
  struct Entry {
    State<P> spots;
    PlaceSet<Q> saved;  // places of the agent for which the set is not a deadlock
    bool depends_on_place;
  };

  // Restricts the cube to states in which the agent is at `place`. The agent of `fewest.deadlocks` may be another group
  // of facts than the agent of this search; then the places of this agent are among the pieces of the cube.
  FEWEST_COLD static void save_others(Entry& entry, int place, const Pieces& pieces, const PlaceNumbers& numbers) {
    entry.depends_on_place = true;
    for (int other = 0; other < pieces.num_places(); ++other)
      if (other != place) insert(entry.saved, numbers.bit_of[other]);
  }

  std::vector<std::vector<Entry>> at_;  // per spot
};

}  // namespace fewest
