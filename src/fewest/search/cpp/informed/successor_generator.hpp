// Generates the successors of a state with their costs, and tests whether the state is a goal state.
//
// Walks are contracted: only states directly after a move are generated. The successors of a state result from the
// moves at all places that the agent can walk to. The cost of a successor includes the walk. If walks are free, states
// that differ only in the place of the agent within its region count as one state. The contraction is sound in every
// metric in which merged moves are macro operators (macro_moves.hpp).
#pragma once

#include "informed/canonical_states.hpp"
#include "informed/heuristic.hpp"
#include "informed/piece_problem.hpp"
#include "informed/pruning.hpp"
#include "informed/walk_steps.hpp"

namespace fewest {

// A successor that has not yet been looked up in a closed list.
template <int P>
struct PieceSuccessor {
  State<P> stored;
  Word hash;
  std::size_t at;      // the slot at which a look-up in a closed list begins
  PackedCost cost;     // the cost from the start of the search
  std::uint32_t row;   // the index of the move in PieceStates::moves
};

// Prefetches the slot of a successor in the closed list that will be searched next.
struct Lookahead {
  void (*prefetch)(const void* list, Word hash);
  const void* list;
};

template <int P, int Q>
class SuccessorGenerator {
 public:
  FEWEST_COLD SuccessorGenerator(const PieceProblem& problem, const Hints& hints, const PieceHeuristic& bound,
                     std::uint64_t expanded_before)
      : states_(*problem.pieces, bound, problem.numbers, problem.num_components),
        canonical_(states_, hints.images, bound.has_local_pdbs()),
        heuristic_(states_, bound, hints.numbers),
        pruning_(states_, bound, hints, expanded_before) {
    for (const PlaceSet<Q>& places : states_.blocks) {
      int count = 0;
      for_each_in<Q>(places, [&](int) { ++count; });
      place_bit_.push_back(count == 1 ? lowest(places) : -1);
    }
    candidates_.resize(states_.moves.size());
  }
  SuccessorGenerator(const SuccessorGenerator&) = delete;

  const PieceStates<P, Q>& states() const { return states_; }
  const CanonicalStates<P, Q>& canonical() const { return canonical_; }
  Pruning<P, Q>& pruning() { return pruning_; }
  const Pruning<P, Q>& pruning() const { return pruning_; }

  State<P> initial() const { return canonical_.of(states_.initial()); }
  PackedCost bound_at_start() {
    const auto start = states_.initial();
    return pruning_.is_dead_start(start.rest) ? kInfiniteCost : bound_at(start.rest, start.place);
  }
  PackedCost bound_at(const State<P>& stored) { return bound_at(states_.rest_of(stored), states_.place_of(stored)); }
  PackedCost bound_at(const State<P>& rest, int place) {
    find_spots(rest);
    return heuristic_.at(rest, spots_, place);
  }

  // Begins to expand a stored state of cost g.
  void expand(const State<P>& stored, PackedCost g) {
    ++num_expanded_;
    rest_ = states_.rest_of(stored);
    place_ = states_.place_of(stored);
    cost_ = g;
    open_ = region_ = zero_state<Q>();
    if (states_.pieces.has_agent()) open_ = states_.open_places(rest_);
    if (canonical_.merges_regions()) region_ = states_.graph.reach(states_.numbers.bit_of[place_], open_);
  }

  // Returns the least cost of a plan that ends with the expanded state and, if a goal cube names a place, with a walk
  // to this place. Returns kInfiniteCost if no such plan leads to a goal state. The result is at least the cost of the
  // expanded state.
  PackedCost goal_cost() {
    PackedCost least = kInfiniteCost;
    for (const auto& goal : states_.goals) {
      if (!in_cube(rest_, goal.mask, goal.value)) continue;
      if (least == kInfiniteCost && !states_.is_in_further_lists(rest_)) return kInfiniteCost;
      PackedCost cost = cost_;
      if (goal.place >= 0) {
        const int bit = states_.numbers.bit_of[goal.place];
        if (canonical_.merges_regions()) {
          if (!contains(region_, bit)) continue;
        } else {
          PlaceSet<Q> wanted = zero_state<Q>();
          insert(wanted, bit);
          measure(wanted);
          if (walk_.to(bit) < 0) continue;
          cost += walk_cost(bit);
        }
      }
      least = std::min(least, cost);
      if (cost > cost_) continue;
      FEWEST_ASSERT_SAMPLED(PieceHeuristic(heuristic_.bound()).set(spots_of(rest_), place_) == 0,
                            "the bound of a goal state is zero");
      return least;
    }
    return least;
  }

  // Returns the successors of the expanded state, without those that the pruning omits.
  std::vector<PieceSuccessor<P>>& successors(const Lookahead& ahead) {
    successors_.clear();
    find_spots(rest_);
    if (pruning_.is_deadlock(spots_, rest_, place_, num_expanded_)) return successors_;
    heuristic_.set_parent(rest_, spots_, place_);
    canonical_.set_parent(rest_);
    collect_candidates();
    // This loop prefetches the slot of each successor. Later, the caller prefetches the stored state to which the slot
    // refers, and then inserts the successor.
    for (unsigned i = 0; i < num_candidates_; ++i) {
      const int from = states_.moves[candidates_[i]].from_bit;
      if (from >= 0 && !canonical_.merges_regions() && walk_.to(from) < 0) continue;
      if (generate(candidates_[i])) ahead.prefetch(ahead.list, successors_.back().hash);
    }
    return successors_;
  }

  // The heuristic of a successor of the expanded state.
  PackedCost bound_of(const PieceSuccessor<P>& next) {
    return heuristic_.after(rest_ ^ states_.moves[next.row].flip, next.row, next.cost - cost_);
  }

  // The true spots of the expanded state, and the place of its agent.
  const std::vector<int>& spots() const { return spots_; }
  int place() const { return place_; }

  std::uint64_t num_expanded() const { return num_expanded_; }
  std::uint64_t num_generated() const { return num_generated_; }
  // The work, in expansions. An expansion that has many successors counts as several.
  std::uint64_t work() const { return num_expanded_ + num_generated_ / kSuccessorsPerExpansion; }
  // Restores the counts of a resumed search.
  void restore(std::uint64_t num_expanded, std::uint64_t num_generated) {
    num_expanded_ = num_expanded;
    num_generated_ = num_generated;
  }

  // Stores the statistics of the generator in an outcome.
  void count(InformedOutcome& result) const {
    result.num_expanded = num_expanded_;
    result.num_generated = num_generated_;
    result.num_dead = pruning_.num_dead();
    result.num_corrals = pruning_.num_corrals();
    result.num_learned_deadlocks = pruning_.num_learned_deadlocks();
    result.has_agent = states_.pieces.has_agent();
    result.merges_regions = canonical_.merges_regions();
    result.num_images = canonical_.num_images();
  }

 private:
  using Move = typename PieceStates<P, Q>::Move;

  static constexpr std::uint64_t kSuccessorsPerExpansion = 8;

  void find_spots(const State<P>& rest) {
    spots_.clear();
    for_each_in<P>(rest, [&](int spot) { spots_.push_back(spot); });
  }
  static std::vector<int> spots_of(const State<P>& rest) {
    std::vector<int> spots;
    for_each_in<P>(rest, [&](int spot) { spots.push_back(spot); });
    return spots;
  }

  void measure(const PlaceSet<Q>& wanted) {
    FEWEST_ASSERT(place_ >= 0 && place_ < states_.pieces.num_places(), "a walk begins at a place of the agent");
    walk_.measure(states_.graph, states_.numbers.bit_of[place_], open_, wanted);
  }
  PackedCost walk_cost(int bit) const {
    return states_.pieces.walk_cost * static_cast<PackedCost>(walk_.to(bit));
  }

  // Collects the moves that the true spots, the region of the agent and the corral allow. If regions are not merged,
  // also measures the walks to the places where these moves begin.
  void collect_candidates() {
    num_candidates_ = 0;
    PlaceSet<Q> wanted = zero_state<Q>();
    const auto corral = pruning_.corral(spots_, open_, region_);
    const auto collect = [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) {
        if constexpr (PieceStates<P, Q>::kHasGlances)
          if (!states_.may_apply(rest_, i)) continue;
        const Move& move = states_.moves[i];
        if (!in_cube(rest_, move.mask, move.value)) continue;
        if (canonical_.merges_regions() && !contains(region_, move.from_bit)) continue;
        if (corral.is_found && !pruning_.leads_into(corral, move)) continue;
        FEWEST_ASSERT(num_candidates_ < candidates_.size(), "no move is collected twice");
        candidates_[num_candidates_++] = i;
        if (move.from_bit >= 0) insert(wanted, move.from_bit);
      }
    };
    collect(0, states_.num_anywhere);
    for (int spot : spots_) collect(states_.moves_at[spot].begin, states_.moves_at[spot].end);
    if (states_.pieces.has_agent() && !canonical_.merges_regions()) measure(wanted);
  }

  // Generates the successor to which a move leads. Returns false if it is forbidden or recognised as dead.
  bool generate(std::uint32_t row) {
    const Move& move = states_.moves[row];
    const State<P> next = rest_ ^ move.flip;
    if (pruning_.is_forbidden(next)) return false;
    ++num_generated_;
    if (pruning_.is_dead(next, move)) return false;
    PackedCost cost = cost_ + move.cost;
    PlaceSet<Q> region = zero_state<Q>();
    if (canonical_.merges_regions())
      region = region_after(next, move);
    else if (move.from_bit >= 0)
      cost += walk_cost(move.from_bit);
    FEWEST_ASSERT(!canonical_.merges_regions() || contains(region, move.to_bit), "the agent is in its region");
    FEWEST_ASSERT_SAMPLED(!canonical_.merges_regions() ||
                              region == states_.graph.reach(move.to_bit, states_.open_places(next)),
                          "the region after a move contains all places that the agent can reach");
    const State<P> stored = canonical_.after(next, row, region);
    successors_.push_back({stored, hash(stored), 0, cost, row});
    return true;
  }

  // Returns the region of the agent after a move. After a move of one piece, the new region usually consists of the old
  // region without the piece's new place, plus the places that become reachable through its old place.
  PlaceSet<Q> region_after(const State<P>& next, const Move& move) const {
    const PlaceGraph<Q>& graph = states_.graph;
    if (move.added < 0 || pruning_.blocks_overlap()) return graph.reach(move.to_bit, states_.open_places(next));
    const PlaceSet<Q> open = without(open_ | states_.blocks[move.deleted], states_.blocks[move.added]);
    const int left = place_bit_[move.deleted], taken = place_bit_[move.added];
    if (left < 0 || taken < 0) return graph.reach(move.to_bit, open);
    PlaceSet<Q> region = region_ & open;
    if (contains(region_, taken) && !graph.is_held_together(region, taken)) return graph.reach(move.to_bit, open);
    PlaceSet<Q> frontier = zero_state<Q>();
    if (meets(graph.near(left), region) && contains(open, left)) insert(frontier, left);
    for (; !is_empty(frontier); frontier = without(graph.neighbours(frontier) & open, region)) region = region | frontier;
    return contains(region, move.to_bit) ? region : graph.reach(move.to_bit, open);
  }

  PieceStates<P, Q> states_;
  CanonicalStates<P, Q> canonical_;
  Heuristic<P, Q> heuristic_;
  Pruning<P, Q> pruning_;
  std::vector<int> place_bit_;  // the bit of the place that each spot blocks; -1: not exactly one bit
  std::uint64_t num_expanded_ = 0, num_generated_ = 0;
  // Data about the expanded state.
  State<P> rest_;
  int place_ = -1;
  PackedCost cost_ = 0;
  PlaceSet<Q> open_, region_;
  std::vector<int> spots_;
  WalkSteps<Q> walk_;
  std::vector<std::uint32_t> candidates_;
  unsigned num_candidates_ = 0;
  std::vector<PieceSuccessor<P>> successors_;
};

}  // namespace fewest
