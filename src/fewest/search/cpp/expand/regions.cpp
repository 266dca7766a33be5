#include <algorithm>

#include "expand/expanders.hpp"
#include "state/costs.hpp"

namespace fewest {

namespace {

// The effect of an operator, together with everything that its cube implies. Operators with equal rules apply in the
// same reachable states.
struct Rule {
  FactSet true_facts, false_facts, flip;
  auto operator<=>(const Rule&) const = default;
};

Rule close(const Compiler& compiler, FactSet true_facts, FactSet false_facts, FactSet flip) {
  FactSet mask = true_facts;
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] |= false_facts[i];
  false_facts = compiler.invariants().false_in(mask.data(), true_facts.data());
  return {std::move(true_facts), std::move(false_facts), std::move(flip)};
}

Rule inverse_of(const Compiler& compiler, const Rule& rule) {
  FactSet true_facts = rule.true_facts, false_facts = rule.false_facts;
  for (std::size_t i = 0; i < rule.flip.size(); ++i) {
    true_facts[i] ^= rule.flip[i];
    false_facts[i] ^= rule.flip[i];
  }
  return close(compiler, std::move(true_facts), std::move(false_facts), rule.flip);
}

bool have_inverses(const Compiler& compiler, const std::vector<OperatorId>& operators) {
  const Problem& problem = compiler.problem();
  const auto words = static_cast<std::size_t>(problem.words);
  std::vector<Rule> rules;
  for (OperatorId op : operators) {
    const Word* mask = problem.operators.mask + op * words;
    const Word* value = problem.operators.value + op * words;
    const Word* flip = problem.flip + op * words;
    FactSet false_facts(words);
    for (std::size_t i = 0; i < words; ++i) false_facts[i] = mask[i] & ~value[i];
    rules.push_back(close(compiler, FactSet(value, value + words), std::move(false_facts),
                          FactSet(flip, flip + words)));
  }
  std::sort(rules.begin(), rules.end());
  FEWEST_ASSERT(rules.size() == operators.size(), "every operator has a rule");
  return std::all_of(rules.begin(), rules.end(), [&](const Rule& rule) {
    return std::binary_search(rules.begin(), rules.end(), inverse_of(compiler, rule));
  });
}

// Whether no forbidden cube mentions the agent or contains the initial state. Otherwise, different places of a region
// could allow different moves.
bool forbids_alike(const Problem& problem, const std::vector<FactId>& agent) {
  FactSet places(problem.words);
  for (FactId fact : agent) add(places.data(), fact);
  for (std::size_t i = 0; i < problem.forbidden.count; ++i) {
    const Word* mask = problem.forbidden.mask + i * problem.words;
    const Word* value = problem.forbidden.value + i * problem.words;
    if (intersects(mask, places.data(), problem.words)) return false;
    bool holds = true;
    for (int j = 0; j < problem.words; ++j)
      holds = holds && (problem.initial[j] & mask[j]) == value[j];
    if (holds) return false;
  }
  return true;
}

}  // namespace

int agent_group(const Compiler& compiler, const CostTable& costs) {
  const Problem& problem = compiler.problem();
  const Invariants& invariants = compiler.invariants();
  if (costs.components != 1 || has_runs(problem, costs)) return -1;
  if (problem.conditional_effects.count > 0 || problem.num_permutations > 0) return -1;
  if (problem.goals.has_several_lists()) return -1;  // one of the lists may contain facts of the agent
  int agent = -1;
  std::int64_t weight = 0;
  std::vector<OperatorId> free;
  for (std::size_t op = 0; op < problem.operators.count; ++op) {
    if (costs.weight[op] > 0) {
      if (weight != 0 && costs.weight[op] != weight) return -1;
      weight = costs.weight[op];
      continue;
    }
    std::vector<FactId> flipped;
    for_each_fact(problem.flip + op * problem.words, problem.words,
                  [&](FactId fact) { flipped.push_back(fact); });
    if (flipped.size() != 2) return -1;
    const int group = invariants.group_of(flipped[0]);
    if (group < 0 || group != invariants.group_of(flipped[1])) return -1;
    if (agent >= 0 && agent != group) return -1;
    agent = group;
    free.push_back(static_cast<OperatorId>(op));
  }
  if (agent < 0 || !have_inverses(compiler, free)) return -1;
  return forbids_alike(problem, invariants.exactly_one()[agent]) ? agent : -1;
}

}  // namespace fewest
