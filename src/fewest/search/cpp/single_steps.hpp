// Expander for tasks in which every operator costs the same: each one applied is a layer further.
#pragma once

#include "breadth_first.hpp"

namespace fewest {

template <int P>
class SingleSteps {
 public:
  static constexpr const char* algorithm = "bfs";
  struct Extra {};

  explicit SingleSteps(const Compiler& compiler)
      : compiler_(compiler),
        generator_(compiler, Direction::forward),
        scratch_(generator_.scratch()),
        goals_(compiler, compiler.problem().goals),
        forbidden_(compiler, compiler.problem().forbidden) {}

  State<P> start(const State<P>& initial, Extra&) { return initial; }

  template <class Push>
  void expand(const State<P>& s, Push push) {
    for (std::uint32_t row : generator_.applicable(s, scratch_)) {
      const State<P> successor = s ^ generator_.table().flip(row);
      if (!forbidden_.empty() && forbidden_.contain(successor)) continue;
      push(successor, Extra{});
    }
  }

  Count count(const State<P>& s, const Extra&) { return {1, goals_.contain(s)}; }

  template <class Layers>
  std::vector<OperatorId> plan(const Layers& reached, const State<P>& goal,
                               std::size_t layer) const {
    const Generator<P> inverse(compiler_, Direction::backward);
    Scratch scratch = inverse.scratch();
    std::vector<OperatorId> plan(layer);
    State<P> s = goal;
    for (; layer > 0; --layer) {
      for (std::uint32_t row : inverse.applicable(s, scratch)) {
        const State<P> predecessor = s ^ inverse.table().flip(row);
        if (reached.layer_of(predecessor) != layer - 1) continue;
        plan[layer - 1] = inverse.table().id(row);
        s = predecessor;
        break;
      }
    }
    return plan;
  }

 private:
  const Compiler& compiler_;
  Generator<P> generator_;
  Scratch scratch_;
  CubeList<P> goals_, forbidden_;
};

}  // namespace fewest
