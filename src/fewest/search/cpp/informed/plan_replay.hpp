// Reconstructs the plan from a chain of stored states.
//
// A stored state may represent other states: its images, and states with the agent elsewhere in the region. So the plan
// is replayed from the start. Each step applies the first move that reaches, at no more than the stored cost, a state
// that the next stored state represents.
#pragma once

#include <stdexcept>

#include "informed/canonical_states.hpp"
#include "informed/walk_steps.hpp"
#include "state/compiler_attributes.hpp"

namespace fewest {

template <int P, int Q>
class PlanReplay {
  using States = PieceStates<P, Q>;

 public:
  FEWEST_COLD PlanReplay(const CanonicalStates<P, Q>& canonical, const States& states)
      : canonical_(canonical), states_(states), now_(states.initial()) {}

  // Appends a walk and a move that lead to a state that `stored` represents, at a cost of at most `most`. Throws
  // std::logic_error if there is no such move.
  FEWEST_COLD void step(const State<P>& stored, PackedCost most) {
    if (states_.pieces.has_agent()) measure_all();
    for (const Move& move : states_.moves) {
      if (!in_cube(now_.rest, move.mask, move.value)) continue;
      PackedCost cost = move.cost;
      if (move.from_bit >= 0) {
        if (walk_.to(move.from_bit) < 0) continue;
        cost += states_.pieces.walk_cost * static_cast<PackedCost>(walk_.to(move.from_bit));
      }
      if (cost > most) continue;
      if (!(canonical_.of({now_.rest ^ move.flip, move.to}) == stored)) continue;
      const PieceMove& used = states_.pieces.moves[move.index];
      if (used.from >= 0) walk(used.from);
      plan_.push_back(used.id);
      plan_.insert(plan_.end(), used.then.begin(), used.then.end());
      now_ = {now_.rest ^ move.flip, move.to};
      return;
    }
    throw std::logic_error("no move leads to the next stored state of the plan");
  }

  // Returns the plan, including the agent's final walk to a place that the goal allows.
  FEWEST_COLD std::vector<OperatorId> finish() {
    if (states_.pieces.has_agent()) walk_to_goal();
    return std::move(plan_);
  }

 private:
  using Move = typename States::Move;

  void measure_all() {
    walk_.measure(states_.graph, states_.numbers.bit_of[now_.place], states_.open_places(now_.rest), states_.graph.all());
  }

  // Walks to the nearest place that the goal allows.
  FEWEST_COLD void walk_to_goal() {
    measure_all();
    int place = now_.place, least = 1 << 30;
    for (const auto& goal : states_.goals) {
      if (!in_cube(now_.rest, goal.mask, goal.value)) continue;
      if (goal.place < 0) return;
      const int steps = walk_.to(states_.numbers.bit_of[goal.place]);
      if (steps >= 0 && steps < least) least = steps, place = goal.place;
    }
    walk(place);
  }

  // Appends to the plan a walk from the current place to the place `to`.
  FEWEST_COLD void walk(int to) {
    const PlaceSet<Q> open = states_.open_places(now_.rest);
    std::vector<int> before(states_.pieces.num_places(), -1), queue{now_.place};
    std::vector<OperatorId> by(states_.pieces.num_places(), -1);
    before[now_.place] = now_.place;
    for (std::size_t i = 0; i < queue.size() && before[to] < 0; ++i)
      for (const Walk& step : states_.pieces.walks[queue[i]]) {
        if (before[step.to] >= 0 || !contains(open, states_.numbers.bit_of[step.to])) continue;
        before[step.to] = queue[i];
        by[step.to] = step.id;
        queue.push_back(step.to);
      }
    FEWEST_ASSERT(before[to] >= 0, "the agent can walk to the place");
    const std::size_t size = plan_.size();
    for (int at = to; at != now_.place; at = before[at]) plan_.push_back(by[at]);
    std::reverse(plan_.begin() + static_cast<std::ptrdiff_t>(size), plan_.end());
  }

  const CanonicalStates<P, Q>& canonical_;
  const States& states_;
  typename States::Concrete now_;
  WalkSteps<Q> walk_;
  std::vector<OperatorId> plan_;
};

}  // namespace fewest
