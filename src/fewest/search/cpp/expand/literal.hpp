// A literal implementation of a problem's semantics, on sets of facts. Assertions compare its results with those of the
// searches.
//
// The code is as simple as possible, and therefore slow: operators are tried one by one, effects are swept from the
// first to the last, and `passed` computes the costs of merged moves. The code uses no table of the searches.
// Usage:
//   FEWEST_ASSERT_SAMPLED(literal::are_successors(compiler, nullptr, s, out, 0), "...");
//   FEWEST_ASSERT(literal::cost_of_plan(problem, costs, start, plan) == cost, "...");
#pragma once

#include <set>

#include "expand/expander.hpp"
#include "state/compiler.hpp"
#include "state/costs.hpp"

namespace fewest::literal {

inline bool holds(const FactSet& s, const Word* mask, const Word* value) {
  for (std::size_t i = 0; i < s.size(); ++i)
    if ((s[i] & mask[i]) != value[i]) return false;
  return true;
}

// Whether `s` is in a cube of every list.
inline bool holds_any(const FactSet& s, const Cubes& cubes) {
  bool is_found = false;
  for (std::size_t i = 0; i < cubes.count; ++i) {
    if (i > 0 && cubes.list != nullptr && cubes.list[i] != cubes.list[i - 1]) {
      if (!is_found) return false;
      is_found = false;
    }
    is_found = is_found || holds(s, cubes.mask + i * s.size(), cubes.value + i * s.size());
  }
  return is_found;
}

// Sweeps the first stage in which some effect fits (ConditionalEffects in problem.hpp). Returns false if no effect
// fits.
inline bool sweep(const ConditionalEffects& conditional_effects, FactSet& s) {
  const std::size_t words = s.size();
  const auto apply = [&](std::size_t i) {
    for (std::size_t w = 0; w < words; ++w)
      s[w] = (s[w] & ~conditional_effects.clear[i * words + w]) ^ conditional_effects.flip[i * words + w];
  };
  const auto fits = [&](std::size_t i) { return holds(s, conditional_effects.mask + i * words, conditional_effects.value + i * words); };
  for (std::size_t begin = 0, end; begin < conditional_effects.count; begin = end) {
    for (end = begin; end < conditional_effects.count && conditional_effects.stage[end] == conditional_effects.stage[begin];) ++end;
    bool has_applied = false;
    if (conditional_effects.everywhere[conditional_effects.stage[begin]]) {
      std::vector<std::size_t> marked;
      for (std::size_t i = begin; i < end; ++i)
        if (fits(i)) marked.push_back(i);
      for (std::size_t i : marked)
        if (holds(s, conditional_effects.need_mask + i * words, conditional_effects.need_value + i * words)) apply(i);
      has_applied = !marked.empty();
    } else {
      for (std::size_t i = begin; i < end;) {
        if (!fits(i)) {
          ++i;
          continue;
        }
        apply(i);
        has_applied = true;
        for (const std::int32_t place = conditional_effects.place[i]; i < end && conditional_effects.place[i] == place;) ++i;
      }
    }
    if (has_applied) return true;
  }
  return false;
}

// Applies all effects to an intermediate state and returns the resulting state, or nullopt if the effects never end.
inline std::optional<FactSet> after_effects(const Problem& problem, FactSet s) {
  const ConditionalEffects& conditional_effects = problem.conditional_effects;
  if (problem.pending != nullptr) {  // all effects apply simultaneously
    const FactSet before = s;
    for (std::size_t i = 0; i < conditional_effects.count;) {
      const std::int32_t place = conditional_effects.place[i];
      bool has_applied = false;
      for (; i < conditional_effects.count && conditional_effects.place[i] == place; ++i) {
        const std::size_t at = i * s.size();
        if (has_applied || !holds(before, conditional_effects.mask + at, conditional_effects.value + at)) continue;
        has_applied = true;
        for (std::size_t w = 0; w < s.size(); ++w) s[w] = (s[w] & ~conditional_effects.clear[at + w]) ^ conditional_effects.flip[at + w];
      }
    }
    for (std::size_t w = 0; w < s.size(); ++w) s[w] &= ~problem.pending[w];
    return s;
  }
  std::set<FactSet> seen;
  while (seen.insert(s).second)
    if (!sweep(conditional_effects, s)) return s;
  return std::nullopt;
}

// Returns the state after an operator or a permutation. Returns nullopt if the operator does not apply, if its effects
// never end, or if it leads to a forbidden state.
inline std::optional<FactSet> after(const Problem& problem, const FactSet& s, OperatorId op) {
  const std::size_t words = s.size(), at = static_cast<std::size_t>(op) * words;
  std::optional<FactSet> next(words);
  if (static_cast<std::size_t>(op) >= problem.operators.count) {
    const std::size_t p = static_cast<std::size_t>(op) - problem.operators.count;
    if (p >= problem.num_permutations) return std::nullopt;
    for_each_fact(s.data(), problem.words,
                  [&](FactId fact) { add(next->data(), problem.permutations[p * problem.num_facts + fact]); });
  } else {
    if (!holds(s, problem.operators.mask + at, problem.operators.value + at)) return std::nullopt;
    for (std::size_t w = 0; w < words; ++w) (*next)[w] = s[w] ^ problem.flip[at + w];
    if (problem.conditional_effects.count > 0) next = after_effects(problem, *next);  // no effects follow a permutation
  }
  if (next && holds_any(*next, problem.forbidden)) return std::nullopt;
  return next;
}

// Returns the states other than `s` that one move reaches from `s`. If `costs` is null, a move is one operator or
// permutation. A permutation belongs to no merged move.
inline std::set<FactSet> successors(const Problem& problem, const CostTable* costs, const FactSet& s) {
  std::set<FactSet> found;
  std::set<std::pair<FactSet, RunKey>> seen;
  std::vector<std::pair<FactSet, RunKey>> open;
  const auto reach = [&](FactSet next, RunKey token) {
    if (next != s) found.insert(next);
    if (token != kNoRun && seen.emplace(next, token).second) open.emplace_back(std::move(next), token);
  };
  const auto size = static_cast<OperatorId>(problem.operators.count);
  for (OperatorId op = 0; op < size; ++op)
    if (std::optional<FactSet> next = after(problem, s, op))
      reach(std::move(*next), costs == nullptr ? kNoRun : passed(problem, *costs, 0, op, kNoRun).token);
  for (OperatorId p = 0; p < static_cast<OperatorId>(problem.num_permutations); ++p)
    if (std::optional<FactSet> next = after(problem, s, size + p)) reach(std::move(*next), kNoRun);
  for (std::size_t i = 0; i < open.size(); ++i)
    for (OperatorId op = 0; op < size; ++op) {
      const Passed step = passed(problem, *costs, 0, op, open[i].second);
      if (step.pays) continue;
      if (std::optional<FactSet> next = after(problem, open[i].first, op)) reach(std::move(*next), step.token);
    }
  return found;
}

// Whether an expander has appended exactly the successors of `s`, starting at `first`. If `may_lack` is true, the
// expander may have skipped some successors.
template <int P, class Extra>
bool are_successors(const Compiler& compiler, const CostTable* costs, const State<P>& s,
                    const Successors<P, Extra>& out, std::size_t first, bool may_lack = false) {
  const Layout& layout = compiler.layout();
  const FactSet facts = layout.unpack(s.w);
  if (!compiler.invariants().hold_in(facts.data())) return false;
  const std::set<FactSet> expected = successors(compiler.problem(), costs, facts);
  std::set<FactSet> generated;
  for (const auto* next = out.begin() + first; next != out.end(); ++next) {
    if (next->state == s) continue;
    if (!layout.keeps(compiler.invariants(), next->state.w)) return false;
    generated.insert(layout.unpack(next->state.w));
  }
  return may_lack ? std::includes(expected.begin(), expected.end(), generated.begin(), generated.end()) : expected == generated;
}

// Returns the cost of a plan from a state to a goal state, or nullopt if the operators do not form such a plan.
inline std::optional<PackedCost> cost_of_plan(const Problem& problem, const CostTable& costs, const FactSet& start,
                                              const std::vector<OperatorId>& plan) {
  FactSet s = start;
  RunKey tokens[2] = {kNoRun, kNoRun};
  PackedCost cost = 0;
  for (OperatorId op : plan) {
    if (op < 0) return std::nullopt;
    std::optional<FactSet> next = after(problem, s, op);
    if (!next) return std::nullopt;
    s = std::move(*next);
    if (static_cast<std::size_t>(op) >= problem.operators.count) {  // a permutation, in which case no moves merge
      cost += static_cast<PackedCost>(costs.weight[op]);
      continue;
    }
    for (int c = 0; c < costs.components; ++c) {
      const Passed step = passed(problem, costs, c, op, tokens[c]);
      tokens[c] = step.token;
      if (step.pays) cost = sum_of_costs(cost, packed_weight(costs, problem.operators.count, op, c), costs.components);
    }
  }
  if (!holds_any(s, problem.goals)) return std::nullopt;
  return cost;
}

// Whether a plan leads from the initial state, or from an image of the initial state, to a goal state at this cost.
inline bool is_plan(const Problem& problem, const CostTable& costs, const std::vector<OperatorId>& plan,
                    PackedCost cost, const Symmetry* symmetry = nullptr) {
  const FactSet initial(problem.initial, problem.initial + problem.words);
  if (cost_of_plan(problem, costs, initial, plan) == cost) return true;
  for (std::size_t g = 1; symmetry != nullptr && g < symmetry->order; ++g) {
    FactSet image(initial.size());
    for_each_fact(initial.data(), problem.words,
                  [&](FactId fact) { add(image.data(), symmetry->facts[g * problem.num_facts + fact]); });
    if (cost_of_plan(problem, costs, image, plan) == cost) return true;
  }
  return false;
}

// The cost of one layer in a search by layers: the weight of every operator that is not free.
inline PackedCost unit(const Problem& problem, const CostTable& costs) {
  std::int64_t most = 0;
  for (std::size_t op = 0; op < problem.operators.count + problem.num_permutations; ++op)
    most = std::max(most, costs.weight[op]);
  return static_cast<PackedCost>(most);
}

}  // namespace fewest::literal
