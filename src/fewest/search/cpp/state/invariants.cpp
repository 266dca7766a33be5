#include "state/invariants.hpp"

#include <algorithm>

namespace fewest {

namespace {

// The test and the changes of an operator or effect: its cube, its flip, and the facts that it clears before the flip
// (null if it clears none).
struct Step {
  const Word *mask, *value, *flip, *clear;
};

template <class Visit>
void for_each_step(const Problem& problem, Visit visit) {
  const auto words = static_cast<std::size_t>(problem.words);
  for (std::size_t at = 0; at < problem.operators.count * words; at += words)
    visit(Step{problem.operators.mask + at, problem.operators.value + at, problem.flip + at, nullptr});
  const ConditionalEffects& conditional_effects = problem.conditional_effects;
  for (std::size_t i = 0; i < conditional_effects.count; ++i) {
    const std::size_t at = i * words;
    const bool is_marked = conditional_effects.everywhere[conditional_effects.stage[i]];
    visit(Step{(is_marked ? conditional_effects.need_mask : conditional_effects.mask) + at,
               (is_marked ? conditional_effects.need_value : conditional_effects.value) + at, conditional_effects.flip + at,
               conditional_effects.clear + at});
  }
}

}  // namespace

Invariants::Invariants(const Problem& problem)
    : words_(problem.words), group_of_(problem.num_facts, -1) {
  prove_exactly_one(problem);
  prove_at_most_one(problem);
  FEWEST_ASSERT(are_sound(problem), "exactly-one groups are ascending and disjoint, and exclusion is mutual");
  FEWEST_ASSERT(hold_in(problem.initial), "proven groups hold in the initial state");
}

#ifdef FEWEST_ASSERTIONS
bool Invariants::are_sound(const Problem& problem) const {
  std::vector<int> groups_of_fact(problem.num_facts, 0);
  for (std::size_t id = 0; id < exactly_one_.size(); ++id) {
    const std::vector<FactId>& group = exactly_one_[id];
    if (group.empty() || !std::is_sorted(group.begin(), group.end())) return false;
    for (FactId fact : group)
      if (++groups_of_fact[fact] > 1 || group_of_[fact] != static_cast<int>(id)) return false;
  }
  for (FactId fact = 0; fact < problem.num_facts; ++fact) {
    if (groups_of_fact[fact] == 0 && group_of_[fact] != -1) return false;
    if (has(excluded_by_[fact].data(), fact)) return false;
    bool is_mutual = true;
    for_each_fact(excluded_by_[fact].data(), words_,
                  [&](FactId other) { is_mutual = is_mutual && has(excluded_by_[other].data(), fact); });
    if (!is_mutual) return false;
  }
  return true;
}
#endif

bool Invariants::hold_in(const Word* facts) const {
  for (const std::vector<FactId>& group : exactly_one_) {
    int num_true = 0;
    for (FactId fact : group) num_true += has(facts, fact);
    if (num_true != 1) return false;
  }
  for (const FactSet& group : at_most_one_) {
    int num_true = 0;
    for (int i = 0; i < words_; ++i) num_true += std::popcount(group[i] & facts[i]);
    if (num_true > 1) return false;
  }
  return true;
}

void Invariants::prove_exactly_one(const Problem& problem) {
  std::vector<std::vector<FactId>> groups;
  std::vector<int> owner(problem.num_facts, -1);
  for (std::vector<FactId> group : problem.exactly_one) {
    std::sort(group.begin(), group.end());
    const auto id = static_cast<int>(groups.size());
    int true_initially = 0;
    bool is_apart = std::adjacent_find(group.begin(), group.end()) == group.end();
    for (FactId fact : group) {
      true_initially += has(problem.initial, fact);
      is_apart = is_apart && owner[fact] < 0;
    }
    if (!is_apart || true_initially != 1) continue;
    for (FactId fact : group) owner[fact] = id;
    groups.push_back(std::move(group));
  }
  std::vector<char> holds(groups.size(), 1);
  std::vector<int> added(groups.size()), deleted(groups.size()), cleared(groups.size());
  for_each_step(problem, [&](const Step& step) {
    const auto is_cleared = [&](FactId fact) { return step.clear != nullptr && has(step.clear, fact); };
    for_each_fact(step.flip, words_, [&](FactId fact) {
      if (owner[fact] < 0) return;
      const bool is_deleted = has(step.value, fact) && !is_cleared(fact);
      ++(is_deleted ? deleted : added)[owner[fact]];
    });
    if (step.clear != nullptr)
      for_each_fact(step.clear, words_, [&](FactId fact) {
        if (owner[fact] >= 0) ++cleared[owner[fact]];
      });
    const auto check_group = [&](FactId fact) {
      const int group = owner[fact];
      if (group < 0 || added[group] + deleted[group] + cleared[group] == 0) return;
      // An effect that clears a whole group deletes its true fact.
      const int gone = cleared[group] == 0 ? deleted[group] : deleted[group] == 0 ? 1 : 2;
      const bool is_whole = cleared[group] == 0 ||
                            cleared[group] == static_cast<int>(groups[group].size());
      if (added[group] != 1 || gone != 1 || !is_whole) holds[group] = 0;
      added[group] = deleted[group] = cleared[group] = 0;
    };
    for_each_fact(step.flip, words_, check_group);
    if (step.clear != nullptr) for_each_fact(step.clear, words_, check_group);
    if constexpr (kHasAssertions)
      for (std::size_t id = 0; id < groups.size(); ++id)
        FEWEST_ASSERT(added[id] + deleted[id] + cleared[id] == 0, "counts begin at zero for the next step");
  });
  keep_turned(problem, groups, owner, holds);
  for (std::size_t id = 0; id < groups.size(); ++id) {
    if (!holds[id]) continue;
    for (FactId fact : groups[id]) group_of_[fact] = static_cast<int>(exactly_one_.size());
    exactly_one_.push_back(std::move(groups[id]));
  }
}

// Removes a group if its preimage under some permutation is not one of the remaining groups, until no such group is
// left.
void Invariants::keep_turned(const Problem& problem, const std::vector<std::vector<FactId>>& groups,
                             const std::vector<int>& owner, std::vector<char>& holds) const {
  std::vector<FactId> before(problem.num_facts);
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (std::size_t p = 0; p < problem.num_permutations; ++p) {
      for (FactId fact = 0; fact < problem.num_facts; ++fact)
        before[problem.permutations[p * problem.num_facts + fact]] = fact;
      for (std::size_t id = 0; id < groups.size(); ++id) {
        if (!holds[id]) continue;
        const int from = owner[before[groups[id].front()]];
        const auto is_of_it = [&](FactId fact) { return owner[before[fact]] == from; };
        if (from >= 0 && holds[from] && groups[from].size() == groups[id].size() &&
            std::all_of(groups[id].begin(), groups[id].end(), is_of_it))
          continue;
        holds[id] = 0;
        has_changed = true;
      }
    }
  }
}

// Removes a group if its preimage under some permutation contains two facts that do not exclude each other.
void Invariants::take_out_turned(const Problem& problem, std::vector<char>& holds) const {
  std::vector<FactId> before(problem.num_facts);
  for (std::size_t p = 0; p < problem.num_permutations; ++p) {
    for (FactId fact = 0; fact < problem.num_facts; ++fact)
      before[problem.permutations[p * problem.num_facts + fact]] = fact;
    for (std::size_t id = 0; id < holds.size(); ++id) {
      FactSet source(words_);
      for_each_fact(at_most_one_[id].data(), words_,
                    [&](FactId fact) { add(source.data(), before[fact]); });
      if (!are_exclusive(source)) holds[id] = 0;
    }
  }
}

// Whether these facts exclude each other pairwise.
bool Invariants::are_exclusive(const FactSet& facts) const {
  bool fine = true;
  for_each_fact(facts.data(), words_, [&](FactId fact) {
    FactSet others = facts;
    remove(others.data(), fact);
    fine = fine && is_subset(others, excluded_by_[fact]);
  });
  return fine;
}

void Invariants::prove_at_most_one(const Problem& problem) {
  for (const std::vector<FactId>& group : problem.at_most_one) {
    FactSet set(words_);
    for (FactId fact : group) add(set.data(), fact);
    int true_initially = 0;
    for (int i = 0; i < words_; ++i) true_initially += std::popcount(set[i] & problem.initial[i]);
    if (true_initially <= 1) at_most_one_.push_back(std::move(set));
  }
  exclude();
  while (takes_out_broken(problem)) exclude();
}

// Computes the exclusions from the current groups.
void Invariants::exclude() {
  excluded_by_.assign(group_of_.size(), FactSet(words_));
  const auto join = [&](const FactSet& set) {
    for_each_fact(set.data(), words_, [&](FactId fact) {
      for (int i = 0; i < words_; ++i) excluded_by_[fact][i] |= set[i];
    });
  };
  for (const std::vector<FactId>& group : exactly_one_) {
    FactSet set(words_);
    for (FactId fact : group) add(set.data(), fact);
    join(set);
  }
  for (const FactSet& set : at_most_one_) join(set);
  for (std::size_t fact = 0; fact < excluded_by_.size(); ++fact)
    remove(excluded_by_[fact].data(), static_cast<FactId>(fact));
}

// Removes the groups that some operator, effect or permutation breaks, under the assumption that all groups hold before
// it. Returns whether a group was removed.
bool Invariants::takes_out_broken(const Problem& problem) {
  std::vector<std::vector<int>> sets_of(group_of_.size());
  for (std::size_t id = 0; id < at_most_one_.size(); ++id)
    for_each_fact(at_most_one_[id].data(), words_,
                  [&](FactId fact) { sets_of[fact].push_back(static_cast<int>(id)); });
  std::vector<char> holds(at_most_one_.size(), 1);
  FactSet added(words_);
  for_each_step(problem, [&](const Step& step) {
    FactSet gone = false_in(step.mask, step.value);  // the facts that are false in the successor
    for (int i = 0; i < words_; ++i) {
      const Word cleared = step.clear == nullptr ? 0 : step.clear[i];
      added[i] = step.flip[i] & (~step.value[i] | cleared);
      gone[i] = (gone[i] | (step.flip[i] & step.value[i]) | cleared) & ~added[i];
    }
    for_each_fact(added.data(), words_, [&](FactId fact) {
      add(gone.data(), fact);
      for (int id : sets_of[fact])
        if (holds[id] && !is_subset(at_most_one_[id], gone)) holds[id] = 0;
      remove(gone.data(), fact);
    });
  });
  take_out_turned(problem, holds);
  FEWEST_ASSERT(holds.size() == at_most_one_.size(), "each group has been tested");
  std::size_t count = 0;
  for (std::size_t id = 0; id < holds.size(); ++id)
    if (holds[id]) at_most_one_[count++] = at_most_one_[id];
  const bool any_broken = count < at_most_one_.size();
  at_most_one_.resize(count);
  return any_broken;
}

FactSet Invariants::false_in(const Word* mask, const Word* value) const {
  FactSet result(words_);
  for (int i = 0; i < words_; ++i) result[i] = mask[i] & ~value[i];
  for_each_fact(value, words_, [&](FactId fact) {
    for (int i = 0; i < words_; ++i) result[i] |= excluded_by_[fact][i];
  });
  return result;
}

}  // namespace fewest
