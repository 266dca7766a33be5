// The representation of a set of facts in the words of a state.
//
// Problem: the 15-puzzle has 240 facts, because each of the 15 tiles can be in 16 cells. If each fact had its own bit,
// a state would take four words instead of one.
// Solution: each exactly-one group becomes one field, which contains the number (code) of its true fact. All other
// facts remain single bits. An operator replaces one fact of a group by another. In packed form, replacing a by b is an
// XOR with the constant code(a) ^ code(b), so a successor is still `state ^ flip`. No field crosses a word boundary. If
// packing does not lead to a smaller compiled width, every fact keeps its own bit. Pending facts (Problem::pending) are
// not stored in a state, so cubes and flips do not contain them.
// Usage:
//   Layout layout(problem, invariants);
//   layout.words();                      // words of a packed state
//   layout.of(fact): the fact is true iff (s[word] & mask) == value
#pragma once

#include "state/invariants.hpp"

namespace fewest {

struct FactPlace {
  int word = 0;
  Word mask = 0;   // the bits of the field, or the bit of the fact
  Word value = 0;  // the code of the fact in the field, or its bit
  bool is_raw = true;

  // Whether the fact is pending.
  bool is_nowhere() const { return is_raw && mask == 0; }
};

struct Field {
  int word = 0;
  int shift = 0;
  int bits = 0;
  std::vector<FactId> facts;  // by code
};

class Layout {
 public:
  // If `may_pack` is false, every fact has its own bit.
  Layout(const Problem& problem, const Invariants& invariants, bool may_pack = true);

  int words() const { return words_; }
  int num_facts() const { return static_cast<int>(places_.size()); }
  bool is_packed() const { return !fields_.empty(); }
  const FactPlace& of(FactId fact) const {
    FEWEST_ASSERT(fact >= 0 && static_cast<std::size_t>(fact) < places_.size(), "the fact is one of the problem");
    return places_[fact];
  }
  const std::vector<Field>& fields() const { return fields_; }
  // For each bit: the fact that has this bit to itself, or kNoFact. Shape: [words * 64].
  const std::vector<FactId>& fact_of_bit() const { return fact_of_bit_; }

  // A hash of the layout; different layouts almost certainly have different hashes.
  Word fingerprint(Word seed) const;

  FactSet pack(const Word* facts) const;
  FactSet unpack(const Word* state) const;
  // Returns the constant that changes the facts of `flip` if it is combined with a packed state by XOR. Like `pack`,
  // throws std::invalid_argument if a bit of its argument is not a fact.
  FactSet pack_flip(const Word* flip) const;

  // Whether a packed state satisfies the proven groups, and contains no bits other than those of its true facts.
  bool keeps(const Invariants& invariants, const Word* state) const {
    const FactSet facts = unpack(state);
    return invariants.hold_in(facts.data()) && pack(facts.data()) == FactSet(state, state + words_);
  }

 private:
  // Whether no two fields or single bits overlap and the place of each fact refers back to this fact.
  bool is_sound() const;
  // Whether packing and unpacking a set of facts gives the same set, except for pending facts.
  bool is_inverse_on(const Word* facts, const Problem& problem) const;
  void keep_bits(const Problem& problem);
  int place_fields(const Problem& problem, const Invariants& invariants);

  int fact_words_;
  int words_ = 1;
  std::vector<FactPlace> places_;
  std::vector<Field> fields_;
  std::vector<FactId> fact_of_bit_;
};

}  // namespace fewest
