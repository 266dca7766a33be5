// Groups of facts with exactly one, or at most one, true fact in every reachable state, as far as the operators alone
// prove this.
//
// Problem: packing and derived words are correct only if the groups that come with a problem are invariants.
// Solution: prove each group by induction over the operators, and keep only the proven ones.
// - exactly one: the initial state has one, and each operator's flip touches none or deletes one and adds one. Groups
//   are disjoint: a group that overlaps an earlier one is left out. A permutation must permute the groups: the preimage
//   of each group must be a group.
// - at most one: the initial state has at most one. If an operator adds a fact of the group, it deletes all others or
//   they are false: by its cube, or because another fact of a group (of either kind) is true. Groups are proven
//   together: groups that fail are removed until none fails.
#pragma once

#include "state/bits.hpp"

namespace fewest {

class Invariants {
 public:
  explicit Invariants(const Problem& problem);

  const std::vector<std::vector<FactId>>& exactly_one() const { return exactly_one_; }
  // Facts in ascending order, as a set.
  const std::vector<FactSet>& at_most_one() const { return at_most_one_; }
  // Index into exactly_one(), or -1.
  int group_of(FactId fact) const {
    FEWEST_ASSERT(fact >= 0 && static_cast<std::size_t>(fact) < group_of_.size(), "the fact is one of the problem");
    return group_of_[fact];
  }

  // All facts that are false in every reachable state of the cube.
  FactSet false_in(const Word* mask, const Word* value) const;

  // Whether a state, as a set of facts, has one fact of each exactly-one group and at most one of each other group.
  bool hold_in(const Word* facts) const;

 private:
  // Whether the groups are as described above, and the tables follow from them.
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
  // Per fact, the facts that are false wherever it is true.
  std::vector<FactSet> excluded_by_;
};

}  // namespace fewest
