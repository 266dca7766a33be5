// Finds and records deadlock sets during a search.
//
// Problem: deadlock sets of up to four pieces are computed before a search (deadlock_table.hpp), but there are too many
// larger sets to compute all of them. On boards with many pieces, half of the expanded states can contain a larger
// deadlock.
// Solution: from time to time, the search examines a state (pattern search: Junghanns and Schaeffer, 2001). The
// examination first finds a plan for a set of one piece (subproblem_search.hpp). A piece that blocks this plan is added
// to the set, and so on, until the set is in deadlock, no piece blocks the plan, or the set is too large. A deadlock is
// minimised: a piece is removed if the remaining pieces are still in deadlock. The minimised set is recorded with the
// places of the agent for which it is a deadlock. Every later state is compared with the recorded sets. Proof: the
// moves of a few pieces in a plan of the whole state remain possible if the other pieces are removed, because
// preconditions require other pieces only to be absent. The method is sound in every metric, since no plan exists from
// a state with a deadlock. The numbers of expansions and of pruned successors, not times, determine when the search
// examines a state, so searches are repeatable.
#pragma once

#include "informed/deadlock_table.hpp"
#include "informed/subproblem_search.hpp"
#include "informed/freezing.hpp"

namespace fewest {

template <int P, int Q>
class LearnedDeadlocks {
 public:
  struct DeadSet {
    State<P> spots;
    PlaceSet<Q> places;  // the places of the agent for which the spots are a deadlock
  };

  // `from`: the number of expansions after which states are examined.
  LearnedDeadlocks(const PieceStates<P, Q>& states, const PieceHeuristic& bound, const DeadlockTable<P, Q>& dead,
           const Freezing<P>& freezing, std::uint64_t from)
      : states_(states), dead_(dead), freezing_(freezing), few_(states, bound.table(0)), from_(from),
        at_(states.pieces.num_spots()), first_at_(states.pieces.num_spots()) {}

  bool empty() const { return num_sets_ == 0; }
  std::size_t size() const { return num_sets_; }

  // Whether the state contains a recorded deadlock that includes the piece at `moved`. `place`: the bit of the agent.
  bool hold(const State<P>& spots, int moved, int place) const {
    FEWEST_ASSERT(contains(spots, moved), "the moved piece is at its new spot");
    return any(at_[moved], spots, place);
  }
  // Whether the state contains any recorded deadlock.
  bool hold(const std::vector<int>& pieces, const State<P>& spots, int place) const {
    return std::any_of(pieces.begin(), pieces.end(),
                       [&](int spot) { return any(first_at_[spot], spots, place); });
  }

  // Examines a state, unless earlier examinations have already used the work that they may do (`kExpandedPerStep`).
  // Returns true if the examination finds that the state is dead. `num_pruned`: the number of successors and expanded
  // states that recorded deadlocks have pruned.
  bool look(const std::vector<int>& pieces, const State<P>& spots, int place, std::uint64_t num_expanded,
            std::uint64_t num_pruned) {
    if (!few_.applies() || num_expanded < from_ || num_sets_ >= kMostSets) return false;
    if (few_.num_expanded() > (num_expanded - from_) / kExpandedPerStep + num_pruned / kPrunedPerStep) return false;
    return look_at(spots, place, pieces[num_looks_++ % pieces.size()]);
  }

  // The deadlocks that have been found since the last call of `forget_news`.
  const std::vector<DeadSet>& news() const { return news_; }
  void forget_news() { news_.clear(); }
  void learn(const DeadSet& dead_set) {
    if (num_sets_ >= kMostSets) return;
    ++num_sets_;
    first_at_[lowest(dead_set.spots)].push_back(dead_set);
    for_each_in<P>(dead_set.spots, [&](int spot) { at_[spot].push_back(dead_set); });
  }

 private:
  using Verdict = typename SubproblemSearch<P, Q>::Verdict;

  static constexpr int kMostPieces = 10;
  static constexpr std::size_t kMostSets = std::size_t{1} << 13;
  // Examinations may expand one state for every `kExpandedPerStep` expansions of the main search, and one for every
  // `kPrunedPerStep` pruned states.
  static constexpr std::uint64_t kExpandedPerStep = 8, kPrunedPerStep = 2;

  static bool any(const std::vector<DeadSet>& sets, const State<P>& spots, int place) {
    for (const DeadSet& dead_set : sets)
      if (in_cube(spots, dead_set.spots, dead_set.spots) && contains(dead_set.places, place)) return true;
    return false;
  }

  Verdict solve_subproblem(const State<P>& few, int place) {
    return few_.solve_subproblem(few, place, [&](const State<P>& spots, int added, int at) {
      return dead_.holds(spots, added, at) || hold(spots, added, at) || freezing_.freezes_badly(spots, added);
    });
  }

  bool look_at(const State<P>& spots, int place, int first) {
    State<P> few = zero_state<P>();
    insert(few, first);
    for (int size = 1; size <= kMostPieces; ++size) {
      const Verdict verdict = solve_subproblem(few, place);
      if (verdict == Verdict::dead) {
        keep(few, place);
        return true;
      }
      if (verdict == Verdict::unknown) return false;
      const int next = few_.first_blocking(without(spots, few), few, place);
      if (next < 0) return false;
      insert(few, next);
    }
    return false;
  }

  FEWEST_COLD void keep(State<P> few, int place) {
    for_each_in<P>(State<P>(few), [&](int spot) {
      State<P> one = zero_state<P>();
      insert(one, spot);
      if (few == one) return;
      const State<P> fewer = without(few, one);
      if (solve_subproblem(fewer, place) == Verdict::dead) few = fewer;
    });
    DeadSet dead_set{few, zero_state<Q>()};
    const PlaceSet<Q> open = states_.open_places(few);
    for (PlaceSet<Q> rest = open; !is_empty(rest);) {
      const PlaceSet<Q> part = states_.graph.reach(lowest(rest), open);
      rest = without(rest, part);
      if (contains(part, states_.numbers.bit_of[place]) ||
          solve_subproblem(few, states_.graph.place_of(lowest(part))) == Verdict::dead)
        dead_set.places = dead_set.places | part;
    }
    FEWEST_ASSERT(contains(dead_set.places, states_.numbers.bit_of[place]) && !is_empty(dead_set.spots),
                  "a set is a deadlock for the agent's place in the examined state");
    learn(dead_set);
    news_.push_back(dead_set);
  }

  const PieceStates<P, Q>& states_;
  const DeadlockTable<P, Q>& dead_;
  const Freezing<P>& freezing_;
  SubproblemSearch<P, Q> few_;
  std::uint64_t from_, num_looks_ = 0;
  std::size_t num_sets_ = 0;
  std::vector<std::vector<DeadSet>> at_, first_at_;  // per spot: the sets that contain it, or in which it is lowest
  std::vector<DeadSet> news_;
};

}  // namespace fewest
