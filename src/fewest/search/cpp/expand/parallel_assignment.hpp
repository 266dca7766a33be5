// Simultaneous assignments: moves that set variables to the values of other variables.
//
// Problem: in a task, an assignment makes a pending fact true. Effects follow the move: one for each value of each
// variable that the move reads (Problem::pending). If the effects are tested one by one, the time grows with the number
// of values.
// Solution: packed states do not store the pending fact. Instead, each operator has a list of the places of its
// effects. If all effects of a place read facts of one field, or mutually exclusive bits of one word, a single look-up
// finds the effect. All effects read the state before the assignment.
// Usage:
//   ParallelAssignment<1> assigner(compiler);
//   assigner.assign(op, s);
#pragma once

#include <bit>

#include "expand/operators.hpp"

namespace fewest {

template <int P>
class ParallelAssignment {
 public:
  ParallelAssignment() = default;
  FEWEST_COLD explicit ParallelAssignment(const Compiler& compiler) {
    const Problem& problem = compiler.problem();
    if (problem.pending == nullptr) return;
    std::vector<std::vector<Place>> by_fact(problem.num_facts);
    const ConditionalEffects& conditional_effects = problem.conditional_effects;
    for (std::size_t i = 0; i < conditional_effects.count;) {
      const std::size_t first = i;
      while (i < conditional_effects.count && conditional_effects.place[i] == conditional_effects.place[first]) ++i;
      if constexpr (kHasAssertions)
        for (std::size_t j = first; j < i; ++j)
          FEWEST_ASSERT(pending_in(problem, conditional_effects.value + j * problem.words) != kNoFact &&
                            pending_in(problem, conditional_effects.value + j * problem.words) ==
                                pending_in(problem, conditional_effects.value + first * problem.words),
                        "every effect of a place tests the same pending fact");
      by_fact[pending_in(problem, conditional_effects.value + first * problem.words)].push_back(
          place_of(compiler, first, i));
    }
    begin_.push_back(0);
    for (std::size_t op = 0; op < problem.operators.count; ++op) {
      const FactId fact = pending_in(problem, problem.flip + op * problem.words);
      FEWEST_ASSERT(fact == kNoFact || num_facts_in(problem, problem.flip + op * problem.words) == 1,
                    "an operator that flips a pending fact flips no other fact");
      if (fact != kNoFact) places_.insert(places_.end(), by_fact[fact].begin(), by_fact[fact].end());
      begin_.push_back(static_cast<std::uint32_t>(places_.size()));
    }
  }

  bool empty() const { return begin_.empty(); }

  void assign(OperatorId op, State<P>& s) const {
    FEWEST_ASSERT(op >= 0 && static_cast<std::size_t>(op) + 1 < begin_.size(), "the operator is one of the table");
    const State<P> before = s;
    for (std::uint32_t i = begin_[op]; i < begin_[op + 1]; ++i) {
      const Change& change = change_by(places_[i], before);
      FEWEST_UNROLL
      for (int w = 0; w < P; ++w) s.w[w] = (s.w[w] & change.keep.w[w]) ^ change.flip.w[w];
    }
  }

 private:
  enum class Lookup { field, bits, cubes };

  struct Change {
    State<P> keep, flip;
  };
  struct Place {
    Lookup lookup;
    int word = 0, shift = 0;
    Word mask = 0;
    std::size_t first = 0, end = 0;  // its changes: one per field value, per bit (and one for no bit), or per cube
  };

  const Change& change_by(const Place& place, const State<P>& s) const {
    FEWEST_ASSERT(place.word >= 0 && place.word < P, "a place reads a word of the state");
    const Word seen = s.w[place.word] & place.mask;
    FEWEST_ASSERT(place.lookup != Lookup::field || static_cast<std::size_t>(seen >> place.shift) < place.end - place.first,
                  "the code of a field has a change");
    FEWEST_ASSERT(place.lookup != Lookup::bits || std::popcount(seen) <= 1,
                  "at most one of the bits of a place is set");
    if (place.lookup == Lookup::field) return changes_[place.first + static_cast<std::size_t>(seen >> place.shift)];
    if (place.lookup == Lookup::bits) return changes_[place.first + static_cast<std::size_t>(std::countr_zero(seen))];
    for (std::size_t i = place.first; i < place.end; ++i)
      if (cubes_.holds(cube_of_[i], s)) return changes_[i];
    return nothing_;
  }

  static int num_facts_in(const Problem& problem, const Word* facts) {
    int count = 0;
    for (int i = 0; i < problem.words; ++i) count += std::popcount(facts[i]);
    return count;
  }

  // The pending fact among these facts, or kNoFact.
  static FactId pending_in(const Problem& problem, const Word* facts) {
    for (FactId fact = 0; fact < problem.num_facts; ++fact)
      if (has(problem.pending, fact) && has(facts, fact)) return fact;
    return kNoFact;
  }

  FEWEST_COLD Place place_of(const Compiler& compiler, std::size_t first, std::size_t end) {
    const Lookup lookup = lookup_of(compiler, first, end);
    if (lookup == Lookup::cubes) return by_cubes(compiler, first, end);
    const Layout& layout = compiler.layout();
    Place place{lookup};
    place.first = changes_.size();
    std::size_t size = 65;
    std::size_t none = end;
    for (std::size_t i = first; i < end; ++i) {
      const FactId fact = positive(compiler.problem(), i);
      if (fact == kNoFact) {
        none = i;
        continue;
      }
      place.word = layout.of(fact).word;
      place.mask |= layout.of(fact).mask;
    }
    if (lookup == Lookup::field) {
      place.shift = place.mask == 0 ? 0 : std::countr_zero(place.mask);
      size = static_cast<std::size_t>(place.mask >> place.shift) + 1;
    }
    changes_.resize(place.first + size, none == end ? nothing_ : change_of(compiler, none));
    for (std::size_t i = first; i < end; ++i) {
      const FactId fact = positive(compiler.problem(), i);
      if (fact == kNoFact) continue;
      const Word value = layout.of(fact).value;
      const auto at = lookup == Lookup::field ? static_cast<std::size_t>(value >> place.shift)
                                          : static_cast<std::size_t>(std::countr_zero(value));
      changes_[place.first + at] = change_of(compiler, i);
    }
    place.end = changes_.size();
    return place;
  }

  FEWEST_COLD Place by_cubes(const Compiler& compiler, std::size_t first, std::size_t end) {
    const Problem& problem = compiler.problem();
    Place place{Lookup::cubes};
    place.first = changes_.size();
    for (std::size_t i = first; i < end; ++i) {
      const CompiledCube cube = compiler.compile(problem.conditional_effects.mask + i * problem.words,
                                                 problem.conditional_effects.value + i * problem.words, kNoFact, false);
      if (!cube.is_possible) continue;
      cube_of_.resize(changes_.size() + 1);
      cube_of_.back() = num_cubes_++;
      cubes_.add(cube);
      changes_.push_back(change_of(compiler, i));
    }
    place.end = changes_.size();
    return place;
  }

  // Returns the kind of look-up that finds the effect of a place. It is `field` or `bits` only if at most one of the
  // facts that the effects require can be true, and this fact determines the effect.
  FEWEST_COLD Lookup lookup_of(const Compiler& compiler, std::size_t first, std::size_t end) const {
    const Problem& problem = compiler.problem();
    const FactPlace* known = nullptr;
    int others = 0;
    for (std::size_t i = first; i < end; ++i) {
      const Word *mask = problem.conditional_effects.mask + i * problem.words, *value = problem.conditional_effects.value + i * problem.words;
      int positives = 0, negatives = 0;
      for_each_fact(mask, problem.words, [&](FactId fact) {
        if (!has(problem.pending, fact)) ++(has(value, fact) ? positives : negatives);
      });
      if (positives == 0) ++others;
      if (positives > 1 || others > 1 || (positives == 1 && negatives > 0)) return Lookup::cubes;
      if (positives == 0) continue;
      const FactPlace& place = compiler.layout().of(positive(problem, i));
      if (known != nullptr && (place.word != known->word || place.is_raw != known->is_raw ||
                               (!place.is_raw && place.mask != known->mask)))
        return Lookup::cubes;
      known = &place;
    }
    if (known == nullptr) return Lookup::cubes;
    return known->is_raw ? Lookup::bits : Lookup::field;
  }

  // The fact that an effect requires to be true in addition to the pending fact, or kNoFact.
  static FactId positive(const Problem& problem, std::size_t i) {
    FactId found = kNoFact;
    for_each_fact(problem.conditional_effects.value + i * problem.words, problem.words, [&](FactId fact) {
      if (!has(problem.pending, fact)) found = fact;
    });
    return found;
  }

  FEWEST_COLD static Change change_of(const Compiler& compiler, std::size_t i) {
    const Problem& problem = compiler.problem();
    const Layout& layout = compiler.layout();
    FactSet keep(layout.words(), ~Word{0});
    for_each_fact(problem.conditional_effects.clear + i * problem.words, problem.words, [&](FactId fact) {
      keep[layout.of(fact).word] &= ~layout.of(fact).mask;
    });
    const FactSet flip = layout.pack_flip(problem.conditional_effects.flip + i * problem.words);
    return {state_from<P>(keep.data(), keep.size()), state_from<P>(flip.data(), flip.size())};
  }

  static Change nothing() {
    Change change{zero_state<P>(), zero_state<P>()};
    for (int w = 0; w < P; ++w) change.keep.w[w] = ~Word{0};
    return change;
  }

  Change nothing_ = nothing();
  std::vector<std::uint32_t> begin_;  // per operator: the first of its places
  std::vector<Place> places_;
  std::vector<Change> changes_;
  CubeList<P> cubes_;
  std::vector<std::size_t> cube_of_;  // per change: the index of its cube
  std::size_t num_cubes_ = 0;
};

}  // namespace fewest
