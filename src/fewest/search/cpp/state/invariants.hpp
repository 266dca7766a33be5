// Groups of facts in which exactly one fact, or at most one, is true in every reachable state. A group is included only
// if this property follows from the initial state, the operators, the permutations and the effects.
//
// Problem: packing and derived words are correct only if the groups that come with a problem are invariants.
// Solution: each group is proved by induction over the operators, effects and permutations, and only the proven groups
// are used.
// - Exactly one: one fact of the group is true in the initial state, and the flip of each operator either contains no
//   fact of the group, or deletes one fact and adds one fact. Groups are disjoint: a group that overlaps an earlier
//   group is omitted. A permutation must permute the groups: the preimage of each group must be a group.
// - At most one: at most one fact of the group is true in the initial state. Suppose that an operator adds a fact of
//   the group. Then the operator must delete every other fact of the group that can be true. A fact is known to be
//   false if the operator's cube requires this, or if another fact of one of its groups (of either kind) is true. All
//   groups are proved together: those that fail are removed until all remaining ones are proved.
#pragma once

#include "state/bits.hpp"

namespace fewest {

class Invariants {
 public:
  explicit Invariants(const Problem& problem);

  const std::vector<std::vector<FactId>>& exactly_one() const { return exactly_one_; }
  // Each group as a set of facts.
  const std::vector<FactSet>& at_most_one() const { return at_most_one_; }
  // The index of the fact's group in exactly_one(), or -1.
  int group_of(FactId fact) const {
    FEWEST_ASSERT(fact >= 0 && static_cast<std::size_t>(fact) < group_of_.size(), "the fact is one of the problem");
    return group_of_[fact];
  }

  // The facts that are known to be false in every reachable state that is in the cube.
  FactSet false_in(const Word* mask, const Word* value) const;

  // Whether a state, as a set of facts, contains exactly one fact of each exactly-one group and at most one of each
  // other group.
  bool hold_in(const Word* facts) const;

 private:
  // Whether the groups have the properties above and the tables agree with the groups.
  bool are_sound(const Problem& problem) const;
  void prove_exactly_one(const Problem& problem);
  void prove_at_most_one(const Problem& problem);
  void exclude();
  bool takes_out_broken(const Problem& problem);
  void keep_turned(const Problem& problem, const std::vector<std::vector<FactId>>& groups,
                   const std::vector<int>& owner, std::vector<char>& holds) const;
  bool are_exclusive(const FactSet& facts) const;
  void take_out_turned(const Problem& problem, std::vector<char>& holds) const;

  int words_;
  std::vector<std::vector<FactId>> exactly_one_;
  std::vector<int> group_of_;
  std::vector<FactSet> at_most_one_;
  // For each fact, the facts that are known to be false in every reachable state in which this fact is true.
  std::vector<FactSet> excluded_by_;
};

}  // namespace fewest
