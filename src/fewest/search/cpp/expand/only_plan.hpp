// Finds out whether all optimal plans are one plan, up to the order of independent moves, after a search in layers.
//
// Problem: the number of optimal plans can be astronomical, so the plans cannot be compared one by one.
// Solution: the states of optimal plans are found backwards from the goal states, layer by layer. All plans are one
// plan up to order iff this holds for every two different moves `x` and `y` of optimal plans from the same state: `x`
// and `y` are independent, and some optimal plan makes `y` immediately after `x`. (If it holds, then `x y` and `y x`
// lead to the same state. By induction over the distance to the goal, every plan that begins with `x` equals a plan
// that begins with `x y`, and therefore a plan that begins with `y`. Conversely, if all plans are one plan up to order,
// then a plan that begins with `x` must contain `y`, and `y` can be moved to the front of the plan.) The search ends at
// the first two moves that violate the condition, so it is short if there are several plans.
// A move is the set of facts that it flips, with their values before the move; it reads the facts that the operators
// with this effect depend on. `Footprints` in space/plan_graph.py has the same definition.
// Usage:
//   OnlyPlan<P>(forward, inverse, forbidden, layers, most_steps).find(layer_of_goal);
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "state/compiler_attributes.hpp"
#include "expand/expander.hpp"
#include "expand/generator.hpp"

namespace fewest {

template <int P>
class OnlyPlan {
 public:
  // `most_steps`: the number of steps of work after which the search gives up. A step takes about as long as expanding
  // a state.
  FEWEST_COLD OnlyPlan(const Generator<P>& forward, const Generator<P>& inverse, const CubeList<P>& forbidden,
                       const Layers<P>& layers, std::uint64_t most_steps)
      : forward_(forward),
        inverse_(inverse),
        forbidden_(forbidden),
        compiler_(forward.table().compiler()),
        problem_(compiler_.problem()),
        layers_(layers),
        steps_left_(most_steps) {}

  // Whether there is only one plan from the start to the goal states at a distance of `layer`, up to order; nullopt if
  // the search gave up, or if the problem has permutations, effects, or several lists of goal cubes. All layers before
  // `layer` must be complete. Each move must be one operator.
  FEWEST_COLD std::optional<bool> find(std::size_t layer) {
    if (layer == 0) return true;
    if (problem_.num_permutations > 0 || problem_.conditional_effects.count > 0 || problem_.goals.has_several_lists())
      return std::nullopt;
    find_initial_reads();
    if (!find_last_moves(layer - 1)) return std::nullopt;
    FEWEST_ASSERT(!nodes_.empty(), "a goal state was reached from the previous layer");
    // After the last move, no plan continues, so two different last moves cannot be exchanged.
    for (const Node& node : nodes_)
      if (node.end - node.begin != 1) return false;
    Scratch scratch = inverse_.scratch();
    while (--layer > 0) {
      std::vector<Edge> edges;
      for (std::uint32_t at = 0; at < nodes_.size(); ++at) {
        const State<P> s = nodes_[at].state;
        for (std::uint32_t row : inverse_.applicable(s, scratch)) {
          const State<P> before = s ^ inverse_.table().flip(row);
          if (layers_.of(before, layer) != layer - 1) continue;
          edges.push_back({before, move_of(inverse_.table().id(row)), at});
        }
      }
      if (!spend(nodes_.size() + edges.size())) return std::nullopt;
      if (!replace_nodes(edges)) return false;
    }
    // An operator that was found later may have added facts to those that a move reads.
    return std::ranges::all_of(compared_, [&](const auto& pair) { return are_independent(pair.first); });
  }

 private:
  using MoveId = std::uint32_t;
  struct Move {
    FactSet reads, writes;
  };
  // A state of optimal plans, with the moves that these plans make in this state: moves_[begin..end), ascending.
  struct Node {
    State<P> state;
    std::uint32_t begin, end;
  };
  struct Edge {
    State<P> from;
    MoveId move;
    std::uint32_t to;  // the index of the target in nodes_
  };

  bool spend(std::uint64_t steps) {
    if (steps > steps_left_) return false;
    steps_left_ -= steps;
    return true;
  }

  // Finds the states of this layer from which a move leads to a goal state, and these moves. Returns false if the
  // search gave up.
  FEWEST_COLD bool find_last_moves(std::size_t layer) {
    static constexpr std::size_t kComparisonsPerStep = 64;
    const OperatorTable<P>& table = forward_.table();
    const CubeList<P> goals(compiler_, problem_.goals);
    if (!spend(problem_.goals.count * table.size() / kComparisonsPerStep)) return false;
    // Before it tests operators, the function compares the state with a goal cube. The facts in which they differ
    // must be the facts that some operator flips.
    const std::size_t words = static_cast<std::size_t>(problem_.words);
    std::vector<std::pair<MaskTest<P>, std::vector<State<P>>>> close;
    for (std::size_t i = 0; i < problem_.goals.count; ++i) {
      const CompiledCube cube = compiler_.compile(problem_.goals.mask + i * words, problem_.goals.value + i * words,
                                                  kNoFact, false);
      if (!cube.is_possible) continue;
      const MaskTest<P> test{state_from<P>(cube.mask.data(), cube.mask.size()),
                             state_from<P>(cube.value.data(), cube.value.size())};
      std::vector<State<P>> differences;
      for (std::uint32_t row = 0; row < table.size(); ++row) {
        const State<P> difference = masked(table.flip(row), test.mask);
        // If the cube also requires the values of fields to differ from others, a state outside the cube may agree with
        // it in all bits of the mask.
        if (!(difference == zero_state<P>()) || !cube.differ.empty()) differences.push_back(difference);
      }
      std::ranges::sort(differences, [](const State<P>& a, const State<P>& b) { return a < b; });
      differences.erase(std::unique(differences.begin(), differences.end()), differences.end());
      close.emplace_back(test, std::move(differences));
    }
    std::size_t comparisons = 0, width = 0;
    for (const auto& [test, differences] : close) comparisons += differences.size();
    layers_.for_each(layer, [&](const State<P>&) { ++width; });
    if (!spend(width / kComparisonsPerStep * comparisons)) return false;
    Scratch scratch = forward_.scratch();
    bool may_continue = true;
    layers_.for_each(layer, [&](const State<P>& s) {
      const bool is_close = std::ranges::any_of(close, [&](const auto& one) {
        const State<P> difference = masked(s, one.first.mask) ^ one.first.value;
        return std::ranges::find(one.second, difference) != one.second.end();
      });
      if (!is_close || !may_continue) return;
      may_continue = spend(1);
      Node node{s, static_cast<std::uint32_t>(moves_.size()), 0};
      for (std::uint32_t row : forward_.applicable(s, scratch)) {
        const State<P> next = s ^ table.flip(row);
        if (goals.contain(next) && !forbidden_.contain(next)) moves_.push_back(move_of(table.id(row)));
      }
      if (moves_.size() == node.begin) return;
      std::sort(moves_.begin() + node.begin, moves_.end());
      moves_.erase(std::unique(moves_.begin() + node.begin, moves_.end()), moves_.end());
      node.end = static_cast<std::uint32_t>(moves_.size());
      nodes_.push_back(node);
    });
    return may_continue;
  }

  // Replaces the nodes with those of the layer before. Returns false if two moves violate the condition.
  FEWEST_COLD bool replace_nodes(std::vector<Edge>& edges) {
    std::ranges::sort(edges, [](const Edge& a, const Edge& b) {
      return a.from == b.from ? a.move < b.move : a.from < b.from;
    });
    std::vector<Node> nodes;
    std::vector<MoveId> moves;
    for (std::size_t begin = 0, end; begin < edges.size(); begin = end) {
      Node node{edges[begin].from, static_cast<std::uint32_t>(moves.size()), 0};
      for (end = begin; end < edges.size() && edges[end].from == edges[begin].from; ++end) {
        if (end > begin && edges[end].move == edges[end - 1].move) continue;  // two operators with the same effect
        moves.push_back(edges[end].move);
        const Node& target = nodes_[edges[end].to];
        for (std::size_t other = begin; other < end; ++other) {
          const MoveId before = edges[other].move;
          if (before == edges[end].move) continue;
          if (!std::binary_search(moves_.begin() + target.begin, moves_.begin() + target.end, before)) return false;
          if (!are_compared_independent(before, edges[end].move)) return false;
        }
      }
      node.end = static_cast<std::uint32_t>(moves.size());
      nodes.push_back(node);
    }
    nodes_ = std::move(nodes);
    moves_ = std::move(moves);
    return true;
  }

  bool are_compared_independent(MoveId one, MoveId other) {
    const std::uint64_t pair = std::uint64_t{one} << 32 | other;
    const auto [known, is_new] = compared_.try_emplace(pair, false);
    if (is_new) known->second = are_independent(pair);
    return known->second;
  }

  bool are_independent(std::uint64_t pair) const {
    const Move &one = all_moves_[pair >> 32], &other = all_moves_[pair & 0xffffffff];
    for (std::size_t w = 0; w < one.reads.size(); ++w)
      if ((one.writes[w] & other.reads[w]) != 0 || (other.writes[w] & one.reads[w]) != 0) return false;
    return true;
  }

  // The number of the move that an operator makes. The facts that the operator reads are added to those of the move.
  FEWEST_COLD MoveId move_of(OperatorId id) {
    const auto [known, is_new] = of_operator_.try_emplace(id, 0);
    if (!is_new) return known->second;
    const auto words = static_cast<std::size_t>(problem_.words), at = static_cast<std::size_t>(id) * words;
    const Word *mask = problem_.operators.mask + at, *value = problem_.operators.value + at, *flip = problem_.flip + at;
    FactSet writes(flip, flip + words), before(words);
    for (std::size_t w = 0; w < words; ++w) {
      FEWEST_ASSERT((flip[w] & ~mask[w]) == 0, "an operator reads the facts that it flips");
      before[w] = value[w] & flip[w];
    }
    const auto [move, is_new_move] =
        of_effect_.try_emplace({writes, before}, static_cast<MoveId>(all_moves_.size()));
    if (is_new_move) all_moves_.push_back({FactSet(words), writes});
    FactSet& reads = all_moves_[move->second].reads;
    for (std::size_t w = 0; w < words; ++w) reads[w] |= mask[w] | initial_reads_[w];
    for (std::size_t i = 0; i < problem_.forbidden.count; ++i)
      if (may_enter(mask, value, flip, i))
        for (std::size_t w = 0; w < words; ++w) reads[w] |= problem_.forbidden.mask[i * words + w];
    return known->second = move->second;
  }

  // Whether an operator may lead into a forbidden cube: it changes facts of the cube, and the facts that are known
  // after the operator do not contradict the cube.
  bool may_enter(const Word* mask, const Word* value, const Word* flip, std::size_t cube) const {
    const auto words = static_cast<std::size_t>(problem_.words);
    const Word *forbidden = problem_.forbidden.mask + cube * words, *at = problem_.forbidden.value + cube * words;
    bool is_changed = false;
    for (std::size_t w = 0; w < words; ++w) {
      if ((forbidden[w] & mask[w] & (at[w] ^ value[w] ^ flip[w])) != 0) return false;
      is_changed = is_changed || (forbidden[w] & flip[w]) != 0;
    }
    return is_changed;
  }

  // The initial state may be in forbidden cubes, but a plan must not return to these cubes. So the facts of these cubes
  // count as read by every move.
  void find_initial_reads() {
    const auto words = static_cast<std::size_t>(problem_.words);
    initial_reads_.assign(words, 0);
    for (std::size_t i = 0; i < problem_.forbidden.count; ++i) {
      bool holds = true;
      for (std::size_t w = 0; w < words; ++w)
        holds = holds && (problem_.initial[w] & problem_.forbidden.mask[i * words + w]) ==
                             problem_.forbidden.value[i * words + w];
      if (!holds) continue;
      for (std::size_t w = 0; w < words; ++w) initial_reads_[w] |= problem_.forbidden.mask[i * words + w];
    }
  }

  static State<P> masked(State<P> s, const State<P>& mask) {
    for (int i = 0; i < P; ++i) s.w[i] &= mask.w[i];
    return s;
  }

  const Generator<P>&forward_, &inverse_;
  const CubeList<P>& forbidden_;
  const Compiler& compiler_;
  const Problem& problem_;
  const Layers<P>& layers_;
  std::uint64_t steps_left_;
  FactSet initial_reads_;
  std::vector<Node> nodes_;
  std::vector<MoveId> moves_;
  std::vector<Move> all_moves_;
  std::unordered_map<OperatorId, MoveId> of_operator_;
  std::map<std::pair<FactSet, FactSet>, MoveId> of_effect_;  // by the flipped facts, and those among them that are true
  std::unordered_map<std::uint64_t, bool> compared_;         // pairs of moves, and whether they are independent
};

}  // namespace fewest
