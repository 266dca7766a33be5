// Breadth-first search over orbits: an expander, with one state of every orbit.
//
// Problem: a mirrored board, or colours that can be exchanged, make each state as good as its images.
// Solution: this expander stands around another one and replaces every state by the canonical one of
// its orbit. A symmetry takes moves to moves and goals to goals, so from a state of an orbit the same
// orbits are reached as from any other, and layer d holds the orbits that have a state at distance d
// from the start: the first goal orbit is met at the true minimum (Emerson and Sistla 1996).
// Counts: see Orbits in images.hpp.
// Plans: backwards among true states whose orbit lies in the layer before, to an image of the start.
// Whoever asked takes that back to the start: native.py does.
// Expanders that store states as they are need no more than this; regions do it themselves.
#pragma once

#include "state/compiler_attributes.hpp"
#include "expand/images.hpp"

namespace fewest {

template <int P>
class Symmetric final : public Expander<P, Plain<P>> {
 public:
  Symmetric(std::unique_ptr<Expander<P, Plain<P>>> inner, const Compiler& compiler,
            const Symmetry& symmetry)
      : inner_(std::move(inner)), orbits_(compiler, symmetry) {}
  Symmetric(std::unique_ptr<Expander<P, Plain<P>>> inner, const Orbits<P>& orbits)
      : inner_(std::move(inner)), orbits_(orbits) {}

  const char* algorithm() const override { return inner_->algorithm(); }
  std::unique_ptr<Expander<P, Plain<P>>> copy() const override {
    return std::make_unique<Symmetric>(inner_->copy(), orbits_);
  }

  State<P> start(const State<P>& initial, Plain<P>& extra) override {
    return orbits_.images.least(inner_->start(initial, extra));
  }

  void expand(const State<P>& s, Successors<P, Plain<P>>& out) override {
    const std::size_t before = out.size();
    inner_->expand(s, out);
    for (auto* next = out.begin() + before; next != out.end(); ++next)
      next->state = orbits_.images.least(next->state);
  }

  FEWEST_COLD std::vector<OperatorId> plan(const Layers<P>& layers, const State<P>& goal,
                               std::size_t layer) override {
    const Layers<P> of_orbits{
        [&](const State<P>& s, std::size_t near) { return layers.of(orbits_.images.least(s), near); },
        layers.for_each};
    return inner_->plan(of_orbits, goal, layer);
  }

 private:
  Count weigh(const State<P>& s, const Plain<P>& extra) override {
    return orbits_.count(inner_->count(s, extra), orbits_.images.num_fixing(s));
  }

  std::unique_ptr<Expander<P, Plain<P>>> inner_;
  Orbits<P> orbits_;
};

}  // namespace fewest
