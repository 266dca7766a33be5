// Breadth-first search over orbits: an expander that yields one state per orbit.
//
// Problem: on a mirror-symmetric board, or with exchangeable colours, each state is equivalent to its images.
// Solution: this expander wraps another expander and replaces every state by the canonical state of its orbit. A
// symmetry maps moves to moves and goals to goals, so all states of an orbit reach the same orbits. Layer d consists of
// the orbits that have a state at distance d from the start. So the first goal orbit is found at the true minimum
// (Emerson and Sistla, 1996). The comment of `Orbits` in images.hpp explains the counts. A plan is found backwards:
// each step leads to a state of an orbit in the previous layer, and the last step leads to an image of the start. The
// caller (native.py) maps this image back to the start. This class works for expanders that store plain states; the
// expander for regions handles symmetry on its own.
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

  void set_limit(ExpansionLimit* limit) override { inner_->set_limit(limit); }
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
