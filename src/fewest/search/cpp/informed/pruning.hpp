// Pruning: recognises successors from which no goal state is reachable, and moves that need not be made next.
//
// The methods are: deadlocks that are known before the search (deadlock_table.hpp) or found during the search
// (learned_deadlocks.hpp), pieces that block each other permanently (freezing.hpp), and corrals (corrals.hpp). The
// header file of each method explains why it is sound. Forbidden successors are recognised, too.
#pragma once

#include "informed/corrals.hpp"
#include "informed/freezing.hpp"
#include "informed/informed_search.hpp"
#include "informed/learned_deadlocks.hpp"

namespace fewest {

template <int P, int Q>
class Pruning {
 public:
  using Move = typename PieceStates<P, Q>::Move;
  using Corral = typename Corrals<P, Q>::Found;

  Pruning(const PieceStates<P, Q>& states, const PieceHeuristic& bound, const Hints& hints, std::uint64_t expanded_before)
      : states_(states),
        freezing_(states.pieces),
        dead_(states.pieces, states.numbers, hints.dead),
        corrals_(states.pieces, states.graph, states.numbers),
        learned_(states, bound, dead_, freezing_, hints.look_from),
        expanded_before_(expanded_before) {}

  // Whether the initial state of the search is recognised as dead.
  bool is_dead_start(const State<P>& rest) const { return freezing_.is_dead(rest); }

  // Whether a successor is forbidden. Forbidden successors do not count as generated.
  bool is_forbidden(const State<P>& rest) const {
    for (const auto& test : states_.forbidden)
      if (in_cube(rest, test.mask, test.value)) return true;
    return false;
  }

  // Whether the state `rest`, to which this move led, is recognised as dead. Counts the states for which this is true.
  bool is_dead(const State<P>& rest, const Move& move) {
    const bool is_known = move.added >= 0 ? dead_.holds(rest, move.added, move.to_bit) ||
                                                freezing_.freezes_badly(rest, move.added)
                                          : freezing_.is_dead(rest);
    if (is_known) {
      ++num_dead_;
      return true;
    }
    if (learned_.empty() || move.added < 0 || !learned_.hold(rest, move.added, move.to_bit)) return false;
    ++num_pruned_;
    ++num_dead_;
    return true;
  }

  // Whether learned deadlocks prove that the expanded state is dead; some may have been learned after this state was
  // generated. From time to time, this function also examines the state for new deadlocks.
  bool is_deadlock(const std::vector<int>& spots, const State<P>& rest, int place, std::uint64_t num_expanded) {
    if (place < 0) return false;
    if (!learned_.empty() && learned_.hold(spots, rest, states_.numbers.bit_of[place])) {
      ++num_pruned_;
      ++num_dead_;
      return true;
    }
    return learned_.look(spots, rest, place, expanded_before_ + num_expanded, num_pruned_);
  }

  // The corral into which a piece must be moved next, if there is one.
  Corral corral(const std::vector<int>& spots, const PlaceSet<Q>& open, const PlaceSet<Q>& region) {
    if (!corrals_.applies() || freezing_.blocks_overlap()) return {};
    const Corral found = corrals_.find(spots, open, region, freezing_.unwanted());
    num_corrals_ += found.is_found;
    return found;
  }
  bool leads_into(const Corral& corral, const Move& move) const {
    const PieceMove& moved = states_.pieces.moves[move.index];  // `move` has no spots if its piece has no group
    return contains(corral.fence, moved.deleted[0]) && contains(corral.inside, corrals_.bit_of(moved.added[0]));
  }

  // Whether several pieces may be able to block one place together.
  bool blocks_overlap() const { return freezing_.blocks_overlap(); }

  LearnedDeadlocks<P, Q>& learned_deadlocks() { return learned_; }
  std::size_t num_learned_deadlocks() const { return learned_.size(); }
  std::uint64_t num_dead() const { return num_dead_; }
  std::uint64_t num_corrals() const { return num_corrals_; }
  void count_dead() { ++num_dead_; }
  // Restores the counts of a resumed search.
  void restore(std::uint64_t num_dead, std::uint64_t num_corrals) {
    num_dead_ = num_dead;
    num_corrals_ = num_corrals;
  }

 private:
  const PieceStates<P, Q>& states_;
  Freezing<P> freezing_;
  DeadlockTable<P, Q> dead_;
  Corrals<P, Q> corrals_;
  LearnedDeadlocks<P, Q> learned_;
  std::uint64_t expanded_before_;
  std::uint64_t num_dead_ = 0, num_corrals_ = 0;
  std::uint64_t num_pruned_ = 0;  // the number of states that learned deadlocks have pruned
};

}  // namespace fewest
