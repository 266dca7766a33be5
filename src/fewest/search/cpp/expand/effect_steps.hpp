// An expander for tasks in which every operator costs the same and leads to an intermediate state, to which effects are
// applied.
//
// A task may also have permutations, but no effects follow a permutation. Several intermediate states may lead to the
// same final state, so moves cannot be undone. To find a plan, the expander expands the layers again, from the
// second-to-last layer to the first. In each layer, it looks for a predecessor of the target state.
#pragma once

#include <optional>

#include "state/compiler_attributes.hpp"
#include "expand/expander.hpp"
#include "expand/generator.hpp"
#include "expand/literal.hpp"
#include "expand/effect_fixpoint.hpp"
#include "expand/permutations.hpp"

namespace fewest {

template <int P>
class EffectSteps final : public Expander<P, Plain<P>> {
 public:
  FEWEST_COLD explicit EffectSteps(const Compiler& compiler)
      : Expander<P, Plain<P>>(CubeList<P>(compiler, compiler.problem().goals)),
        compiler_(compiler),
        layout_(compiler.layout()),
        generator_(compiler, Direction::forward),
        scratch_(generator_.scratch()),
        fixpoint_(compiler),
        intermediate_(fixpoint_.scratch()),
        forbidden_(compiler, compiler.problem().forbidden) {
    if (compiler.problem().num_permutations > 0) permutations_.emplace(compiler, Direction::forward);
  }

  FEWEST_COLD EffectSteps(const EffectSteps&) = default;
  FEWEST_COLD ~EffectSteps() override = default;

  const char* algorithm() const override { return "bfs through intermediate states"; }
  std::unique_ptr<Expander<P, Plain<P>>> copy() const override {
    return std::make_unique<EffectSteps>(*this);
  }
  State<P> start(const State<P>& initial, Plain<P>&) override { return initial; }

  void expand(const State<P>& s, Successors<P, Plain<P>>& out) override {
    const std::size_t first = out.size();
    for_each_successor(s, [&](OperatorId, const State<P>& next) { out.push(next, {}); });
    FEWEST_ASSERT_SAMPLED(literal::are_successors(compiler_, nullptr, s, out, first),
                          "the successors are the states after one operator and all of its effects");
  }

  std::optional<EndlessMove> endless() const override { return endless_of(fixpoint_, layout_); }

  // If there are several predecessors, the function uses the smallest, so that the plan does not depend on the order of
  // discovery.
  FEWEST_COLD std::vector<OperatorId> plan(const Layers<P>& layers, const State<P>& goal,
                               std::size_t layer) override {
    std::vector<OperatorId> plan(layer);
    State<P> target = goal;
    for (; layer > 0; --layer) {
      std::optional<State<P>> before;
      layers.for_each(layer - 1, [&](const State<P>& s) {
        if (before && !(s < *before)) return;
        for_each_successor(s, [&](OperatorId op, const State<P>& next) {
          if (!(next == target)) return;
          before = s;
          plan[layer - 1] = op;
        });
      });
      FEWEST_ASSERT(before.has_value(), "a state was reached from a state of the previous layer");
      if (!before) break;  // impossible: the state was reached from that layer
      target = *before;
    }
    return plan;
  }

 private:
  template <class Visit>
  void for_each_successor(const State<P>& s, Visit visit) {
    for (std::uint32_t row : generator_.applicable(s, scratch_)) {
      State<P> next = s ^ generator_.table().flip(row);
      const OperatorId op = generator_.table().id(row);
      if (!fixpoint_.apply(s, next, op, intermediate_)) continue;
      if (next == s || forbidden_.contain(next)) continue;
      visit(op, next);
    }
    if (!permutations_) return;
    const auto images = permutations_->of(s);
    for (std::size_t p = 0; p < images.size(); ++p)
      if (!(images[p] == s) && !forbidden_.contain(images[p])) visit(permutations_->id(p), images[p]);
  }

  const Compiler& compiler_;
  const Layout& layout_;
  Generator<P> generator_;
  Scratch scratch_;
  EffectFixpoint<P> fixpoint_;
  typename EffectFixpoint<P>::Scratch intermediate_;
  CubeList<P> forbidden_;
  std::optional<PermutationImages<P>> permutations_;
};

}  // namespace fewest
