// Searches for a plan for a few pieces of a state, after all other pieces have been removed.
//
// Problem: a small search over a few pieces can show that these pieces are in deadlock, because other pieces cannot
// resolve a deadlock. But pieces that are far apart are seldom in deadlock, so the pieces must be chosen well.
// Solution: a greedy best-first search over the states of these pieces. If the search exhausts these states and finds
// no plan, the pieces are in deadlock; it gives up if there are too many states. If the search finds a plan, the plan
// is replayed with the other pieces on the board, and the first piece that blocks the plan is selected next. The search
// ignores the cost of walks and the final place of the agent. `applies` is false if the task does not have the
// following form. There must be an agent, a single goal cube, and a single group, which has as many goal spots as
// pieces. Each move must move one piece of this group, and its precondition must not require any other piece to be
// present.
#pragma once

#include <queue>

#include "informed/piece_states.hpp"

namespace fewest {

template <int P, int Q>
class SubproblemSearch {
  using States = PieceStates<P, Q>;

 public:
  enum class Verdict { solved, dead, unknown };

  FEWEST_COLD SubproblemSearch(const States& states, const PieceDistances& distances) : states_(states), distances_(distances) {
    applies_ = fits();
    if (!applies_) return;
    const PieceDistances::Group& group = distances_.alternatives()[0].groups[0];
    for (std::size_t row = 0; row < group.table.size(); row += group.count)
      nearest_.push_back(*std::min_element(&group.table[row], &group.table[row] + group.count));
    slots_.resize(kSlots);
  }

  bool applies() const { return applies_; }
  std::uint64_t num_expanded() const { return num_expanded_; }

  // Searches for a plan for the pieces at `few`, with the agent at `place`. Returns `solved` if there is a plan, `dead`
  // if no plan exists, or `unknown` if the search gave up. `is_deadlock(spots, added, place)`: whether a move to the
  // spot `added` leads to a known deadlock; its `place` is the agent's bit.
  template <class IsDeadlock>
  Verdict solve_subproblem(const State<P>& few, int place, IsDeadlock is_deadlock) {
    nodes_.assign(1, {node_of(few, place), -1, 0});
    open_ = {};
    const unsigned first = least_distance(few, place);
    if (first == 0) return Verdict::solved;
    if (first == kFar) return Verdict::dead;
    std::fill(slots_.begin(), slots_.end(), -1);
    is_new(nodes_[0].state, 0);
    open_.push({first, 0});
    for (int left = kMostExpanded; !open_.empty(); --left) {
      FEWEST_ASSERT(nodes_.size() < kSlots, "an empty slot ends every search");
      if (left == 0 || nodes_.size() > kSlots / 2) return Verdict::unknown;
      const int at = open_.top().second;
      open_.pop();
      ++num_expanded_;
      if (expand(at, is_deadlock)) return Verdict::solved;
    }
    return Verdict::dead;
  }

  // Returns the first piece in `others` that blocks the plan found by the last call of `solve_subproblem`, or -1 if
  // none does. The plan begins with the pieces at `few` and the agent at `place`.
  int first_blocking(const State<P>& others, State<P> few, int place) const {
    std::vector<std::uint32_t> rows;
    for (int at = static_cast<int>(nodes_.size()) - 1; at > 0; at = nodes_[at].parent) rows.push_back(nodes_[at].row);
    for (; !rows.empty(); rows.pop_back()) {
      const Move& move = states_.moves[rows.back()];
      const int next = first_on_walk(others, few, place, move.from_bit);
      if (next >= 0) return next;
      const State<P> required = others & without(move.mask, move.value);
      if (!is_empty(required)) return lowest(required);
      few = few ^ move.flip;
      place = move.to;
    }
    return -1;
  }

 private:
  using Move = typename States::Move;

  static constexpr int kMostExpanded = 1000;
  static constexpr std::size_t kSlots = std::size_t{1} << 14;

  struct Node {
    State<P> state;
    int parent;
    std::uint32_t row;  // the row of the move that led to the state
  };
  using Entry = std::pair<unsigned, int>;  // distance to the goal, node

  FEWEST_COLD bool fits() const {
    const auto& alternatives = distances_.alternatives();
    if (!states_.pieces.has_agent() || states_.num_anywhere > 0 || states_.pieces.groups.size() != 1 || alternatives.size() != 1) return false;
    if (states_.pieces.goals.size() != 1 || !alternatives[0].groups[0].is_complete) return false;
    return std::all_of(states_.pieces.moves.begin(), states_.pieces.moves.end(), [&](const PieceMove& move) {
      int num_required = 0;
      for_each_fact(move.true_spots.data(), states_.pieces.words(), [&](FactId) { ++num_required; });
      return num_required == 1 && move.deleted.size() == 1 && move.added.size() == 1 &&
             distances_.group_of(move.deleted[0]) == 0 && distances_.group_of(move.added[0]) == 0;
    });
  }

  PlaceSet<Q> region(int place, const State<P>& spots) const {
    return states_.graph.reach(states_.numbers.bit_of[place], states_.open_places(spots));
  }
  State<P> node_of(const State<P>& spots, int place) const {
    return states_.key(spots, states_.graph.place_of(lowest(region(place, spots))));
  }
  // Returns the sum of the distances from all pieces to their nearest goal spots, or kFar if some piece cannot reach a
  // goal spot.
  unsigned least_distance(const State<P>& spots, int place) const {
    unsigned sum = 0;
    for_each_in<P>(spots, [&](int spot) {
      const unsigned next = nearest_[distances_.row(spot, place)];
      sum = next == kFar || sum == kFar ? unsigned{kFar} : std::min<unsigned>(kFar - 1, sum + next);
    });
    return sum;
  }

  // Expands a node. Returns whether some successor is a goal state. If so, this successor is the last node.
  template <class IsDeadlock>
  bool expand(int at, IsDeadlock is_deadlock) {
    const State<P> spots = states_.rest_of(nodes_[at].state);
    const PlaceSet<Q> walked = region(states_.place_of(nodes_[at].state), spots);
    bool is_home = false;
    for_each_in<P>(spots, [&](int spot) {
      for (std::uint32_t row = states_.moves_at[spot].begin; row < states_.moves_at[spot].end && !is_home; ++row) {
        const Move& move = states_.moves[row];
        if (!in_cube(spots, move.mask, move.value) || !contains(walked, move.from_bit)) continue;
        const State<P> next = spots ^ move.flip;
        const unsigned rest = least_distance(next, move.to);
        if (rest == kFar || is_deadlock(next, move.added, move.to_bit)) continue;
        FEWEST_ASSERT(move.added >= 0, "each move moves one piece within its group");
        const State<P> state = node_of(next, move.to);
        if (!is_new(state, static_cast<int>(nodes_.size()))) continue;
        nodes_.push_back({state, at, row});
        is_home = rest == 0;
        open_.push({rest, static_cast<int>(nodes_.size()) - 1});
      }
    });
    return is_home;
  }

  bool is_new(const State<P>& state, int node) {
    std::size_t i = scale_to(hash(state), kSlots);
    while (slots_[i] >= 0) {
      if (nodes_[slots_[i]].state == state) return false;
      i = (i + 1) % kSlots;
    }
    slots_[i] = node;
    return true;
  }

  // Considers a walk that passes the fewest `others`. Returns the first piece on it, or -1 if no piece blocks the walk
  // or there is no walk. `target`: a bit.
  int first_on_walk(const State<P>& others, const State<P>& few, int from, int target) const {
    const PlaceSet<Q> open = states_.open_places(few), free = open & states_.open_places(others);
    const auto flood = [&](PlaceSet<Q> set, const PlaceSet<Q>& within) {
      for (PlaceSet<Q> more = set; !is_empty(more); set = set | more)
        more = without(states_.graph.neighbours(more) & within, set);
      return set;
    };
    // Wave i contains the places that a walk past at most i pieces can reach.
    std::vector<PlaceSet<Q>> waves{states_.graph.reach(states_.numbers.bit_of[from], free)};
    while (!contains(waves.back(), target)) {
      const PlaceSet<Q>& before = waves.back();
      const PlaceSet<Q> entered = without(states_.graph.neighbours(before) & open, before);
      if (is_empty(entered)) return -1;
      waves.push_back(before | flood(entered, without(free, before)));
    }
    if (waves.size() == 1) return -1;
    PlaceSet<Q> back = zero_state<Q>();
    insert(back, target);
    for (std::size_t i = waves.size() - 1; i > 0; --i) {
      back = flood(back, without(waves[i], waves[i - 1]));
      if (i > 1) back = states_.graph.neighbours(back) & waves[i - 1];
    }
    back = back & states_.graph.neighbours(waves[0]);
    int found = -1;
    for_each_in<P>(others, [&](int spot) {
      if (found < 0 && meets(states_.blocks[spot], back)) found = spot;
    });
    return found;
  }

  const States& states_;
  const PieceDistances& distances_;
  bool applies_ = false;
  std::vector<Distance> nearest_;  // per row of the group's table: its least distance
  std::uint64_t num_expanded_ = 0;
  std::vector<Node> nodes_;
  std::vector<int> slots_;  // node numbers by hash; -1: none
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open_;
};

}  // namespace fewest
