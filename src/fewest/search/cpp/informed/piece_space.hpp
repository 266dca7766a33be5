// The search space of pieces and an agent for one pair of widths. The space contains the closed list, the successor
// generator, the heuristic and the pruning.
#pragma once

#include "informed/closed_list.hpp"
#include "informed/plan_replay.hpp"
#include "informed/search_space.hpp"
#include "informed/successor_generator.hpp"

namespace fewest {

template <int P, int Q>
class PieceSpace final : public SearchSpace {
 public:
  // `away`: the heuristic of the search in the other direction, or null.
  PieceSpace(const PieceProblem& problem, const Hints& hints, const PieceHeuristic& bound, const PieceHeuristic* away,
             std::size_t memory, std::uint64_t expanded_before)
      : SearchSpace(memory, problem.num_components),
        generator_(problem, hints, bound, expanded_before),
        closed_(budget(), costs()) {
    if (away != nullptr) away_.emplace(*away);
  }

  const ClosedList<P>& closed() const { return closed_; }
  ClosedList<P>& closed() { return closed_; }
  const SuccessorGenerator<P, Q>& generator() const { return generator_; }
  SuccessorGenerator<P, Q>& generator() { return generator_; }

  std::size_t size() const override { return closed_.size(); }
  std::uint64_t num_expanded() const override { return generator_.num_expanded(); }
  std::uint64_t work() const override { return generator_.work(); }
  void count(InformedOutcome& result) const override { generator_.count(result); }

  PackedCost bound_at_start() override { return generator_.bound_at_start(); }
  FEWEST_COLD StateId insert_start() override {
    if (!closed_.reserve(1)) return kNoState;
    const State<P> start = generator_.initial();
    const auto entry = closed_.insert(start, hash(start), 0);
    costs().open(entry.node, entry.cost, kNoState);
    return entry.node;
  }
  FEWEST_COLD bool insert_starts(const PieceCube& cube, std::vector<Opened>& opened) override {
    const PieceStates<P, Q>& states = generator_.states();
    const State<P> rest = state_from<P>(cube.true_spots.data(), cube.true_spots.size());
    if (generator_.pruning().is_forbidden(rest)) return true;
    const PlaceSet<Q> open = states.open_places(rest);
    for (PlaceSet<Q> left = open; !is_empty(left);) {
      const PlaceSet<Q> region = states.graph.reach(lowest(left), open);
      left = without(left, region);
      if (cube.place >= 0 && !contains(region, states.numbers.bit_of[cube.place])) continue;
      const State<P> stored = states.key(rest, states.graph.place_of(lowest(region)));
      const PackedCost bound = generator_.bound_at(stored);
      if (bound == kInfiniteCost) continue;
      if (!closed_.reserve(1)) return false;
      if (closed_.find(stored) != kNoState) continue;
      const auto entry = closed_.insert(stored, hash(stored), 0);
      costs().open(entry.node, entry.cost, kNoState);
      opened.push_back({entry.node, 0, bound, 0});
    }
    return true;
  }

  void prefetch(StateId node) const override { closed_.prefetch_state(node); }
  void expand(StateId node) override {
    node_ = node;
    const State<P> stored = closed_[node];
    const PackedCost cost = costs().cost(node);
    costs().close(node);
    generator_.expand(stored, cost);
  }
  PackedCost goal_cost() override { return generator_.goal_cost(); }
  PackedCost goal_cost_at(StateId node) override {
    generator_.expand(closed_[node], costs().cost(node));
    return generator_.goal_cost();
  }
  bool open_successors(std::vector<Opened>& opened) override {
    opened.clear();
    std::vector<PieceSuccessor<P>>& successors = generator_.successors({&prefetch_slot, &closed_});
    if (successors.empty()) return true;
    if (away_) away_->set(generator_.spots(), generator_.place());
    if (!closed_.reserve(successors.size())) return false;
    for (PieceSuccessor<P>& next : successors) next.at = closed_.approach(next.hash);
    for (const PieceSuccessor<P>& next : successors) {
      const auto entry = closed_.insert(next.stored, next.hash, next.cost, next.at);
      if (entry.is_cheaper) open(entry, next, opened);
    }
    return true;
  }

  MeetingPoint meet(const std::vector<StateId>& fresh, const SearchSpace& other_space) const override {
    const ClosedList<P>& other = static_cast<const PieceSpace&>(other_space).closed_;
    MeetingPoint best;
    if (other.size() == 0) return best;
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      if (i + kAhead < fresh.size()) other.prefetch(hash(closed_[fresh[i + kAhead]]));
      const StateId there = other.find(closed_[fresh[i]]);
      if (there == kNoState) continue;
      const PackedCost cost = costs().cost(fresh[i]) + other_space.costs().cost(there);
      if (cost < best.cost) best = {cost, fresh[i], there};
    }
    return best;
  }

  FEWEST_COLD std::optional<PieceCube> sample(StateId node) override {
    const PieceStates<P, Q>& states = generator_.states();
    PieceCube cube{FactSet(states.pieces.words(), 0), {}, states.place_of(closed_[node])};
    for_each_in<P>(states.rest_of(closed_[node]), [&](int spot) { add(cube.true_spots.data(), spot); });
    if (generator_.bound_at(closed_[node]) == kInfiniteCost) return std::nullopt;
    return cube;
  }

  FEWEST_COLD std::vector<OperatorId> plan(const std::vector<Stop>& stops) const override {
    PlanReplay<P, Q> replay(generator_.canonical(), generator_.states());
    for (std::size_t i = 1; i < stops.size(); ++i)
      replay.step(static_cast<const PieceSpace*>(stops[i].space)->closed_[stops[i].node], stops[i].cost - stops[i - 1].cost);
    return replay.finish();
  }

 private:
  static constexpr std::size_t kAhead = 8;

  static void prefetch_slot(const void* closed, Word hash) { static_cast<const ClosedList<P>*>(closed)->prefetch(hash); }

  void open(const typename ClosedList<P>::Entry& entry, const PieceSuccessor<P>& next, std::vector<Opened>& opened) {
    const PackedCost bound = generator_.bound_of(next);
    PackedCost away = 0;
    if (away_) {
      const auto& move = generator_.states().moves[next.row];
      away = away_->after(move.deleted, move.added, move.to);
      FEWEST_ASSERT(away == kInfiniteCost || away <= next.cost,
                    "the other search's bound is at most the cost of the state");
    }
    if (bound == kInfiniteCost || away == kInfiniteCost) {
      // The state is closed permanently only if there is no search in the other direction, because that search looks up
      // the costs of closed states.
      costs().close_dead(entry.node, entry.cost, node_, !away_);
      return generator_.pruning().count_dead();
    }
    costs().open(entry.node, entry.cost, node_);
    opened.push_back({entry.node, next.cost, bound, away});
  }

  SuccessorGenerator<P, Q> generator_;
  ClosedList<P> closed_;
  std::optional<PieceHeuristic> away_;
  StateId node_ = kNoState;  // the state that is being expanded
};

}  // namespace fewest
