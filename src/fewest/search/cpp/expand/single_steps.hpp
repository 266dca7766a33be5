// Expander for tasks in which every operator costs the same: each one applied is a layer further.
#pragma once

#include "state/attributes.hpp"
#include "expand/expander.hpp"
#include "expand/generator.hpp"
#include "expand/literal.hpp"

namespace fewest {

template <int P>
class SingleSteps final : public Expander<P, Plain<P>> {
 public:
  explicit SingleSteps(const Compiler& compiler)
      : Expander<P, Plain<P>>(CubeList<P>(compiler, compiler.problem().goals)),
        compiler_(compiler),
        generator_(compiler, Direction::forward),
        scratch_(generator_.scratch()),
        forbidden_(compiler, compiler.problem().forbidden) {}

  const char* algorithm() const override { return "bfs"; }
  std::unique_ptr<Expander<P, Plain<P>>> copy() const override {
    return std::make_unique<SingleSteps>(*this);
  }
  State<P> start(const State<P>& initial, Plain<P>&) override { return initial; }

  void expand(const State<P>& s, Successors<P, Plain<P>>& out) override {
    if constexpr (P == 1)
      expand_in_one_piece(s, out);
    else
      append_successors(s, out);
  }

  FEWEST_COLD std::vector<OperatorId> plan(const Layers<P>& layers, const State<P>& goal,
                               std::size_t layer) override {
    const Generator<P> inverse(compiler_, Direction::backward);
    Scratch scratch = inverse.scratch();
    std::vector<OperatorId> plan(layer);
    State<P> s = goal;
    for (; layer > 0; --layer) {
      bool is_found = false;
      for (std::uint32_t row : inverse.applicable(s, scratch)) {
        const State<P> predecessor = s ^ inverse.table().flip(row);
        if (layers.of(predecessor, layer) != layer - 1) continue;
        plan[layer - 1] = inverse.table().id(row);
        s = predecessor;
        is_found = true;
        break;
      }
      FEWEST_ASSERT(is_found, "a state was reached from one of the layer before");
    }
    return plan;
  }

 private:
  FEWEST_FLATTEN void expand_in_one_piece(const State<P>& s, Successors<P, Plain<P>>& out) {
    append_successors(s, out);
  }

  void append_successors(const State<P>& s, Successors<P, Plain<P>>& out) {
    const std::size_t first = out.size();
    const auto rows = generator_.applicable(s, scratch_);
    auto* next = out.room(rows.size());
    const bool may_be_forbidden = !forbidden_.empty();
    for (std::uint32_t row : rows) {
      next->state = s ^ generator_.table().flip(row);
      if (!may_be_forbidden || !forbidden_.contain(next->state)) ++next;
    }
    out.add(next);
    FEWEST_ASSERT_SAMPLED(literal::are_successors(compiler_, nullptr, s, out, first),
                          "the successors are the states that one operator leads to");
  }

  const Compiler& compiler_;
  Generator<P> generator_;
  Scratch scratch_;
  CubeList<P> forbidden_;
};

}  // namespace fewest
