// The agent's walking distances among the pieces of a state. The distances are computed with sets of places, one
// step at a time (agent_regions.hpp).
#pragma once

#include <vector>

#include "informed/agent_regions.hpp"

namespace fewest {

template <int Q>
class WalkSteps {
 public:
  // Computes the distances from the place with the bit `from_bit` to the wanted places, through the open places.
  void measure(const PlaceGraph<Q>& graph, int from_bit, const PlaceSet<Q>& open, PlaceSet<Q> wanted) {
    if (steps_to_.empty()) steps_to_.assign(Q * 64, -1);
    for_each_in<Q>(wanted, [&](int bit) { steps_to_[bit] = -1; });
    PlaceSet<Q> reached = zero_state<Q>();
    insert(reached, from_bit);
    PlaceSet<Q> frontier = reached;
    for (int steps = 0;; ++steps) {
      const PlaceSet<Q> found = frontier & wanted;
      if (!is_empty(found)) {
        for_each_in<Q>(found, [&](int bit) { steps_to_[bit] = steps; });
        wanted = without(wanted, found);
        if (is_empty(wanted)) return;
      }
      frontier = without(graph.neighbours(frontier) & open, reached);
      if (is_empty(frontier)) return;
      reached = reached | frontier;
    }
  }

  // The distance to a wanted place, in steps, or -1 if the place is unreachable.
  int to(int bit) const { return steps_to_[bit]; }

 private:
  std::vector<int> steps_to_;  // the distance to each bit
};

}  // namespace fewest
