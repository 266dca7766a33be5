// An expander for tasks in which every operator costs the same: each application of an operator or a permutation leads
// to the next layer.
#pragma once

#include <optional>

#include "state/compiler_attributes.hpp"
#include "expand/expander.hpp"
#include "expand/generator.hpp"
#include "expand/literal.hpp"
#include "expand/only_plan.hpp"
#include "expand/permutations.hpp"

namespace fewest {

template <int P>
class SingleSteps final : public Expander<P, Plain<P>> {
 public:
  FEWEST_COLD explicit SingleSteps(const Compiler& compiler)
      : Expander<P, Plain<P>>(CubeList<P>(compiler, compiler.problem().goals)),
        compiler_(compiler),
        generator_(compiler, Direction::forward),
        scratch_(generator_.scratch()),
        forbidden_(compiler, compiler.problem().forbidden) {
    if (compiler.problem().num_permutations > 0) permutations_.emplace(compiler, Direction::forward);
  }

  FEWEST_COLD SingleSteps(const SingleSteps&) = default;
  FEWEST_COLD ~SingleSteps() override = default;

  const char* algorithm() const override { return "bfs"; }
  std::unique_ptr<Expander<P, Plain<P>>> copy() const override {
    return std::make_unique<SingleSteps>(*this);
  }
  State<P> start(const State<P>& initial, Plain<P>&) override { return initial; }

  void expand(const State<P>& s, Successors<P, Plain<P>>& out) override {
    const std::size_t first = out.size();
    if constexpr (P == 1)
      expand_in_one_piece(s, out);
    else
      append_successors(s, out);
    if (permutations_) [[unlikely]] append_turned(s, out);
    FEWEST_ASSERT_SAMPLED(literal::are_successors(compiler_, nullptr, s, out, first),
                          "the successors are the states that one operator or permutation leads to");
  }

  FEWEST_COLD std::vector<OperatorId> plan(const Layers<P>& layers, const State<P>& goal,
                               std::size_t layer) override {
    const Generator<P>& inverse = this->inverse();
    Scratch scratch = inverse.scratch();
    std::optional<PermutationImages<P>> turned_back;
    if (permutations_) turned_back.emplace(compiler_, Direction::backward);
    std::vector<OperatorId> plan(layer);
    State<P> s = goal;
    for (; layer > 0; --layer) {
      bool is_found = false;
      const auto step = [&](const State<P>& predecessor, OperatorId id) {
        if (layers.of(predecessor, layer) != layer - 1) return;
        plan[layer - 1] = id;
        s = predecessor;
        is_found = true;
      };
      const State<P> known = s;
      for (std::uint32_t row : inverse.applicable(known, scratch)) {
        step(known ^ inverse.table().flip(row), inverse.table().id(row));
        if (is_found) break;
      }
      if (turned_back) {
        const auto images = turned_back->of(known);
        for (std::size_t p = 0; p < images.size() && !is_found; ++p) step(images[p], turned_back->id(p));
      }
      FEWEST_ASSERT(is_found, "a state was reached from a state of the previous layer");
    }
    return plan;
  }

  FEWEST_COLD std::optional<bool> is_only_plan(const Layers<P>& layers, std::size_t layer,
                                               std::uint64_t most_steps) override {
    // OnlyPlan is compiled only for states of one word, because few tasks have larger states, and compiling takes time.
    if constexpr (P > 1) return std::nullopt;
    else return OnlyPlan<P>(generator_, inverse(), forbidden_, layers, most_steps).find(layer);
  }

 private:
  // The generator of inverse operators; only searches that have found a goal state need it.
  FEWEST_COLD const Generator<P>& inverse() {
    if (!inverse_) inverse_.emplace(compiler_, Direction::backward);
    return *inverse_;
  }

  FEWEST_FLATTEN void expand_in_one_piece(const State<P>& s, Successors<P, Plain<P>>& out) {
    append_successors(s, out);
  }

  void append_successors(const State<P>& s, Successors<P, Plain<P>>& out) {
    const auto rows = generator_.applicable(s, scratch_);
    auto* next = out.room(rows.size());
    const bool may_be_forbidden = !forbidden_.empty();
    for (std::uint32_t row : rows) {
      next->state = s ^ generator_.table().flip(row);
      if (!may_be_forbidden || !forbidden_.contain(next->state)) ++next;
    }
    out.add(next);
  }

  void append_turned(const State<P>& s, Successors<P, Plain<P>>& out) {
    const auto images = permutations_->of(s);
    auto* next = out.room(images.size());
    for (const State<P>& image : images) {
      next->state = image;
      if (!(image == s) && !forbidden_.contain(image)) ++next;
    }
    out.add(next);
  }

  const Compiler& compiler_;
  Generator<P> generator_;
  Scratch scratch_;
  CubeList<P> forbidden_;
  std::optional<PermutationImages<P>> permutations_;
  std::optional<Generator<P>> inverse_;
};

}  // namespace fewest
