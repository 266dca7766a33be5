// Turns: operators that permute facts, in every state; and the expander for tasks that have them beside flips.
//
// Problem: what turns the face of a cube moves a dozen stickers, whatever they are; as flips that is one
// operator for each way in which they can stand, hundreds of thousands of them.
// Solution: a packed state is the XOR of one constant per true fact, and so is what a permutation makes of
// it. The images of a state under all turns are put together at once, as those of a search by symmetry are
// (images.hpp): some table look-ups each. A turn costs as much as any other operator, a unit.
// Plans: backwards, by the inverse permutations.
#pragma once

#include <memory>
#include <numeric>
#include <span>

#include "state/attributes.hpp"
#include "expand/generator.hpp"
#include "expand/images.hpp"
#include "expand/literal.hpp"

namespace fewest {

// What all turns of a problem, or their inverses, make of a state.
template <int P>
class TurnImages {
 public:
  FEWEST_COLD TurnImages(const Compiler& compiler, Direction direction)
      : first_id_(static_cast<OperatorId>(compiler.problem().operators.count)),
        rows_(rows_of(compiler.problem(), direction)),
        images_(compiler, {compiler.problem().num_turns + 1, rows_->data(), false}) {}

  // The images of `s` turn by turn; valid until the next call.
  std::span<const State<P>> of(const State<P>& s) { return images_.of(s).subspan(1); }
  OperatorId id(std::size_t turn) const { return first_id_ + static_cast<OperatorId>(turn); }

 private:
  using Rows = std::shared_ptr<const std::vector<FactId>>;

  // The identity, which `Images` wants first, and every turn or its inverse.
  FEWEST_COLD static Rows rows_of(const Problem& problem, Direction direction) {
    const auto size = static_cast<std::size_t>(problem.num_facts);
    std::vector<FactId> rows((problem.num_turns + 1) * size);
    std::iota(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(size), FactId{0});
    for (std::size_t turn = 0; turn < problem.num_turns; ++turn)
      for (std::size_t fact = 0; fact < size; ++fact) {
        const FactId to = problem.turns[turn * size + fact];
        FactId* row = rows.data() + (turn + 1) * size;
        if (direction == Direction::forward)
          row[fact] = to;
        else
          row[to] = static_cast<FactId>(fact);
      }
    return std::make_shared<const std::vector<FactId>>(std::move(rows));
  }

  OperatorId first_id_;
  Rows rows_;  // which `images_` refers to
  Images<P> images_;
};

template <int P>
class Turns final : public Expander<P, Plain<P>> {
 public:
  FEWEST_COLD explicit Turns(const Compiler& compiler)
      : Expander<P, Plain<P>>(CubeList<P>(compiler, compiler.problem().goals)),
        compiler_(compiler),
        generator_(compiler, Direction::forward),
        scratch_(generator_.scratch()),
        forbidden_(compiler, compiler.problem().forbidden),
        turns_(compiler, Direction::forward) {}

  const char* algorithm() const override { return "bfs"; }
  std::unique_ptr<Expander<P, Plain<P>>> copy() const override {
    return std::make_unique<Turns>(*this);
  }
  State<P> start(const State<P>& initial, Plain<P>&) override { return initial; }

  void expand(const State<P>& s, Successors<P, Plain<P>>& out) override {
    const std::size_t first = out.size();
    const auto images = turns_.of(s);
    const auto rows = generator_.applicable(s, scratch_);
    auto* next = out.room(rows.size() + images.size());
    const bool may_be_forbidden = !forbidden_.empty();
    for (std::uint32_t row : rows) {
      next->state = s ^ generator_.table().flip(row);
      if (!may_be_forbidden || !forbidden_.contain(next->state)) ++next;
    }
    for (const State<P>& image : images) {
      next->state = image;
      if (!may_be_forbidden || !forbidden_.contain(next->state)) ++next;
    }
    out.add(next);
    FEWEST_ASSERT_SAMPLED(literal::are_successors(compiler_, nullptr, s, out, first),
                          "the successors are the states that one operator or turn leads to");
  }

  FEWEST_COLD std::vector<OperatorId> plan(const Layers<P>& layers, const State<P>& goal,
                               std::size_t layer) override {
    const Generator<P> inverse(compiler_, Direction::backward);
    Scratch scratch = inverse.scratch();
    TurnImages<P> back(compiler_, Direction::backward);
    std::vector<OperatorId> plan(layer);
    State<P> s = goal;
    for (; layer > 0; --layer) {
      const auto step = [&](const State<P>& predecessor, OperatorId id) {
        if (layers.of(predecessor, layer) != layer - 1) return false;
        plan[layer - 1] = id;
        s = predecessor;
        return true;
      };
      bool is_found = false;
      for (std::uint32_t row : inverse.applicable(s, scratch)) {
        is_found = step(s ^ inverse.table().flip(row), inverse.table().id(row));
        if (is_found) break;
      }
      const auto images = back.of(s);
      for (std::size_t turn = 0; turn < images.size() && !is_found; ++turn)
        is_found = step(images[turn], back.id(turn));
    }
    return plan;
  }

 private:
  const Compiler& compiler_;
  Generator<P> generator_;
  Scratch scratch_;
  CubeList<P> forbidden_;
  TurnImages<P> turns_;
};

}  // namespace fewest
