// Breadth-first search over orbits: any expander, with one state of every orbit.
//
// Problem: a mirrored board, or colours that can be exchanged, make each state as good as its images.
// Solution: this expander stands around another one and replaces every state by the canonical one of
// its orbit. A symmetry takes moves to moves and goals to goals, so from a state of an orbit the same
// orbits are reached as from any other, and layer d holds the orbits that have a state at distance d
// from the start: the first goal orbit is met at the true minimum (Emerson and Sistla 1996).
// Counts: where all symmetries fix the start, an orbit is reached at one distance as a whole and
// counts as many as it has states. Otherwise images of reached states need not be reachable, and
// canonical states are counted.
// Plans: backwards among true states whose orbit lies in the layer before, to an image of the start.
// Whoever asked takes that back to the start: native.py does.
// An expander that stores something else than states as they are (regions) has, besides,
//   State least_image(images, stored)    called straight after the flood that found `stored`
//   size_t num_fixing(images, stored)    how many symmetries leave what is stored as it is
//   also_start_at(state)                 an image of the initial state, where a plan may begin
#pragma once

#include "breadth_first.hpp"
#include "images.hpp"

namespace fewest {

template <int P, class Inner>
class Symmetric {
 public:
  static constexpr const char* algorithm = Inner::algorithm;
  using Extra = typename Inner::Extra;

  Symmetric(Inner inner, const Compiler& compiler, const Symmetry& symmetry)
      : inner_(std::move(inner)), images_(compiler, symmetry), counts_orbits_(symmetry.fixes_initial) {}

  State<P> start(const State<P>& initial, Extra& extra) {
    const State<P> canonical = least_image(inner_.start(initial, extra));
    if constexpr (kStoresOther)
      for (const State<P>& image : images_.of(initial)) inner_.also_start_at(image);
    return canonical;
  }

  template <class Push>
  void expand(const State<P>& s, Push push) {
    inner_.expand(s, [&](const State<P>& t, const Extra& extra) { push(least_image(t), extra); });
  }

  Count count(const State<P>& s, const Extra& extra) {
    const Count one = inner_.count(s, extra);
    const std::uint64_t size = images_.order() / num_fixing(s);
    const std::uint64_t in_orbits = one.states * size;
    if (counts_orbits_) return {in_orbits, one.goals * size, one.states, in_orbits};
    return {one.states, one.goals, one.states, in_orbits};
  }

  std::vector<OperatorId> plan(const Reached<P>& reached, const State<P>& goal, std::size_t layer) {
    struct OrbitLayers {
      std::size_t layer_of(const State<P>& s) const { return reached.layer_of(self.least_image(s)); }
      const Reached<P>& reached;
      Symmetric& self;
    };
    return inner_.plan(OrbitLayers{reached, *this}, goal, layer);
  }

 private:
  static constexpr bool kStoresOther =
      requires(Inner& inner, const State<P>& s) { inner.also_start_at(s); };

  State<P> least_image(const State<P>& s) {
    if constexpr (kStoresOther)
      return inner_.least_image(images_, s);
    else
      return images_.least(s);
  }

  std::size_t num_fixing(const State<P>& s) {
    if constexpr (kStoresOther)
      return inner_.num_fixing(images_, s);
    else
      return images_.num_fixing(s);
  }

  Inner inner_;
  Images<P> images_;
  bool counts_orbits_;
};

}  // namespace fewest
