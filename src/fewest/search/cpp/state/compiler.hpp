// Compiles cubes over facts to tests on packed states.
//
// Problem: the condition that a cell is empty depends on many packed fields. Testing these fields one by one would take
// longer than all other tests.
// Solution: *derived words*. Each bit of a derived word, except the highest bit, indicates whether some fact of an
// at-most-one group is true. At most 63 groups have such a bit: the groups that the largest numbers of operators
// require to be empty. Since at most one fact of a group is true, the word is the XOR of one constant per true fact
// (its `cover`), so an operator changes this word by a constant, too. If an operator's negative literals contain a
// whole group, one bit of `derived_mask` replaces these literals: this bit must be zero in the derived word. The
// resulting test consists of one masked comparison, and one `Differ` for each of the few remaining negative literals on
// packed fields.
// Usage:
//   Compiler compiler(problem, invariants, layout);
//   CompiledCube cube = compiler.compile(mask, value, index_fact);
#pragma once

#include "state/layout.hpp"

namespace fewest {

// A test of whether the value of a field differs from a given value.
struct Differ {
  int word;
  Word mask, value;
};

// The bit of the derived word that is always set. An operator that requires it to be zero never applies.
inline constexpr Word kAlwaysDerived = Word{1} << 63;

struct CompiledCube {
  bool is_possible = true;  // false: no reachable state is in the cube
  FactSet mask, value;      // as bits of the layout
  Word derived_mask = 0;
  std::vector<Differ> differ;
};

class Compiler {
 public:
  Compiler(const Problem& problem, const Invariants& invariants, const Layout& layout);

  const Layout& layout() const { return *layout_; }
  const Invariants& invariants() const { return *invariants_; }
  const Problem& problem() const { return *problem_; }
  bool has_derived() const { return !derived_.empty(); }
  // The bits of the derived word that the fact sets.
  Word cover(FactId fact) const {
    FEWEST_ASSERT(fact >= 0 && fact < problem_->num_facts, "the fact is one of the problem");
    return covers_.empty() ? 0 : covers_[fact];
  }

  // Compiles a cube to a test that is correct in every reachable state in which `known_true` is true (more precisely,
  // in every such state that satisfies the proven groups). If `may_derive` is false, the test uses no derived word.
  CompiledCube compile(const Word* mask, const Word* value, FactId known_true = kNoFact,
                       bool may_derive = true) const;

  // The positive fact of the cube that is probably true in the fewest states, or kNoFact if the cube has no positive
  // fact. If several facts are equally rare, `preferred` comes first.
  FactId rarest_positive(const Word* value, FactId preferred) const;

 private:
  void choose_derived();
  // Whether a compiled cube agrees with the original cube on the initial state.
  bool agrees_at_start(const CompiledCube& cube, const Word* mask, const Word* value, FactId known_true) const;

  const Problem* problem_;
  const Invariants* invariants_;
  const Layout* layout_;
  std::vector<FactSet> derived_;            // at most 63 groups
  std::vector<Word> covers_;                // per fact: its cover
  double raw_density_ = 0;
};

}  // namespace fewest
