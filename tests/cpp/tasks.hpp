// Small tasks with known answers, and a replay of plans that follows the definition.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "state/bits.hpp"
#include "state/invariants.hpp"
#include "blind/search.hpp"

namespace tasks {

using namespace fewest;
using Facts = std::vector<FactId>;

// Owns the data of a Problem.
struct Task {
  explicit Task(int num_facts) : num_facts(num_facts), words(num_facts <= 64 ? 1 : (num_facts + 63) / 64) {
    initial.assign(words, 0);
  }

  void append(std::vector<Word>& rows, const Facts& facts) {
    FactSet set(words);
    for (FactId fact : facts) add(set.data(), fact);
    rows.insert(rows.end(), set.begin(), set.end());
  }

  // Adds an operator with a weight, and optionally with run keys.
  void op(const Facts& true_facts, const Facts& false_facts, const Facts& flips, std::int64_t w = 1,
          RunKey in = kNoRun, RunKey out = kNoRun) {
    Facts all = true_facts;
    all.insert(all.end(), false_facts.begin(), false_facts.end());
    append(mask, all);
    append(value, true_facts);
    append(flip, flips);
    index_fact.push_back(true_facts.empty() ? kNoFact : true_facts[0]);
    weight.push_back(w);
    run_in.push_back(in);
    run_out.push_back(out);
  }
  // Adds an effect at a place in a stage. Only stages that are `everywhere` use `needs`.
  void effect(int stage_, int place_, const Facts& true_facts, const Facts& false_facts,
              const Facts& flips, const Facts& clears = {}, const Facts& needs = {}) {
    Facts all = true_facts;
    all.insert(all.end(), false_facts.begin(), false_facts.end());
    append(effect_mask, all);
    append(effect_value, true_facts);
    append(effect_flip, flips);
    append(effect_clear, clears);
    append(effect_needs, needs);
    stage.push_back(stage_);
    place.push_back(place_);
  }
  void goal(const Facts& true_facts, const Facts& false_facts = {}) {
    Facts all = true_facts;
    all.insert(all.end(), false_facts.begin(), false_facts.end());
    append(goal_mask, all);
    append(goal_value, true_facts);
    goal_list.push_back(num_goal_lists - 1);
  }
  // Begins a new list of goals, to which the goals that are added next belong. A goal state is in some cube of each
  // list.
  void begin_goal_list() { ++num_goal_lists; }
  void forbid(const Facts& true_facts) {
    append(forbid_mask, true_facts);
    append(forbid_value, true_facts);
  }
  // Adds a permutation: `image` contains the new fact for each fact.
  void permutation(const Facts& image, std::int64_t w = 1) {
    permutations.insert(permutations.end(), image.begin(), image.end());
    weight.push_back(w);
    run_in.push_back(kNoRun);
    run_out.push_back(kNoRun);
  }
  void start(const Facts& facts) {
    for (FactId fact : facts) add(initial.data(), fact);
  }

  Problem problem() const {
    Problem p;
    p.num_facts = num_facts;
    p.words = words;
    p.initial = initial.data();
    p.operators = {index_fact.size(), mask.data(), value.data()};
    p.flip = flip.data();
    p.index_fact = index_fact.data();
    p.goals = {goal_mask.size() / words, goal_mask.data(), goal_value.data(), goal_list.data()};
    p.forbidden = {forbid_mask.size() / words, forbid_mask.data(), forbid_value.data()};
    p.num_permutations = permutations.empty() ? 0 : permutations.size() / num_facts;  // a task may have no facts
    p.permutations = permutations.data();
    p.exactly_one = exactly_one;
    p.at_most_one = at_most_one;
    p.conditional_effects = {stage.size(),         effect_mask.data(),  effect_value.data(),
                  effect_flip.data(),   effect_clear.data(), effect_needs.data(),
                  effect_needs.data(),  place.data(),        stage.data(),
                  everywhere};
    if (!pending_facts.empty()) {
      pending.assign(words, 0);
      for (FactId fact : pending_facts) add(pending.data(), fact);
      p.pending = pending.data();
    }
    return p;
  }
  CostTable costs() const { return {1, weight.data(), run_in.data(), run_out.data(), {run_fact}}; }

  Outcome search(bool exhaust, std::size_t memory = ~std::size_t{0}, double seconds = 1e9,
                 Host* host = nullptr) const {
    return search(Options{exhaust, seconds, memory, host});
  }
  Outcome search(const Options& options, const Symmetry* symmetry = nullptr) const {
    const Problem p = problem();
    const CostTable c = costs();
    return fewest::search(p, c, options, symmetry);
  }

  // Whether the plan is applicable, ends in a goal state, and has the stated cost. The cost is computed from the
  // definition, for a metric with one part.
  bool replays(const Outcome& outcome) const {
    FactSet s = initial;
    std::uint64_t total = 0;
    RunKey token = kNoRun;
    for (OperatorId op : outcome.plan) {
      bool flips_token = false;
      if (static_cast<std::size_t>(op) >= index_fact.size()) {
        s = turned(s, static_cast<std::size_t>(op) - index_fact.size());
        total += weight[op];
        continue;
      }
      for (int i = 0; i < words; ++i) {
        const std::size_t at = static_cast<std::size_t>(op) * words + i;
        if ((s[i] & mask[at]) != value[at]) return false;
        s[i] ^= flip[at];
        if (token != kNoRun && run_fact[token] != kNoFact && run_fact[token] / 64 == i)
          flips_token = flip[at] >> (run_fact[token] % 64) & 1;
      }
      if (weight[op] == 0) {
        if (flips_token) token = kNoRun;
        continue;
      }
      if (token == kNoRun || token != run_in[op]) total += weight[op];
      token = run_out[op];
    }
    std::set<std::int32_t> met;
    for (std::size_t g = 0; g * words < goal_mask.size(); ++g) {
      bool holds = true;
      for (int i = 0; i < words; ++i)
        holds = holds && (s[i] & goal_mask[g * words + i]) == goal_value[g * words + i];
      if (holds) met.insert(goal_list[g]);
    }
    const std::set<std::int32_t> lists(goal_list.begin(), goal_list.end());
    return !lists.empty() && met == lists && outcome.cost && *outcome.cost == total;
  }

  FactSet turned(const FactSet& s, std::size_t permutation) const {
    FactSet after(words);
    for (FactId fact = 0; fact < num_facts; ++fact)
      if (s[fact / 64] >> (fact % 64) & 1) add(after.data(), permutations[permutation * num_facts + fact]);
    return after;
  }

  int num_facts, words;
  FactSet initial;
  std::vector<Word> mask, value, flip, goal_mask, goal_value, forbid_mask, forbid_value;
  Facts index_fact, permutations;
  std::vector<std::int32_t> goal_list;
  std::int32_t num_goal_lists = 1;
  std::vector<std::int64_t> weight;
  std::vector<RunKey> run_in, run_out;
  Facts run_fact;
  std::vector<Facts> exactly_one, at_most_one;
  std::vector<Word> effect_mask, effect_value, effect_flip, effect_clear, effect_needs;
  std::vector<std::int32_t> stage, place;
  std::vector<char> everywhere;  // a flag for each stage
  Facts pending_facts;
  mutable FactSet pending;  // owns the data for `problem()`
};

// Tiles 1..n-1 on rows x columns; the facts are (tile - 1) * cells + cell. The gap has no facts.
inline Task tiles(int rows, int columns, const std::vector<int>& goal = {}) {
  const int cells = rows * columns;
  Task task((cells - 1) * cells);
  const auto fact = [&](int tile, int cell) { return (tile - 1) * cells + cell; };
  for (int tile = 1; tile < cells; ++tile)
    for (int from = 0; from < cells; ++from)
      for (int to = 0; to < cells; ++to) {
        const int dr = from / columns - to / columns, dc = from % columns - to % columns;
        if (dr * dr + dc * dc != 1) continue;
        Facts empty;
        for (int other = 1; other < cells; ++other) empty.push_back(fact(other, to));
        task.op({fact(tile, from)}, empty, {fact(tile, from), fact(tile, to)});
      }
  Facts start, target;
  for (int tile = 1; tile < cells; ++tile) start.push_back(fact(tile, tile - 1));
  task.start(start);
  for (int cell = 0; cell < static_cast<int>(goal.size()); ++cell)
    if (goal[cell] > 0) target.push_back(fact(goal[cell], cell));
  if (!goal.empty()) task.goal(target);
  for (int tile = 1; tile < cells; ++tile) {
    Facts group;
    for (int cell = 0; cell < cells; ++cell) group.push_back(fact(tile, cell));
    task.exactly_one.push_back(group);
  }
  for (int cell = 0; cell < cells; ++cell) {
    Facts group;
    for (int tile = 1; tile < cells; ++tile) group.push_back(fact(tile, cell));
    task.at_most_one.push_back(group);
  }
  return task;
}

// Towers of Hanoi on three pegs; the facts are disc * 3 + peg. A disc can move if no smaller disc is on either peg.
inline Task hanoi(int discs) {
  Task task(3 * discs);
  for (int disc = 0; disc < discs; ++disc) {
    task.exactly_one.push_back({disc * 3, disc * 3 + 1, disc * 3 + 2});
    task.start({disc * 3});
    for (int from = 0; from < 3; ++from)
      for (int to = 0; to < 3; ++to) {
        if (from == to) continue;
        Facts free{disc * 3 + to};
        for (int smaller = 0; smaller < disc; ++smaller) {
          free.push_back(smaller * 3 + from);
          free.push_back(smaller * 3 + to);
        }
        task.op({disc * 3 + from}, free, {disc * 3 + from, disc * 3 + to});
      }
  }
  Facts goal;
  for (int disc = 0; disc < discs; ++disc) goal.push_back(disc * 3 + 2);
  task.goal(goal);
  return task;
}

// An agent and a box on a rectangle, with separate costs for steps and pushes. The facts of the agent come first.
inline Task warehouse(int rows, int columns, int agent, int box, int target, std::int64_t free,
                      std::int64_t price) {
  const int cells = rows * columns;
  Task task(2 * cells);
  const int steps[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
  const auto cell = [&](int r, int c) {
    return r < 0 || c < 0 || r >= rows || c >= columns ? -1 : r * columns + c;
  };
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      for (const auto& [dr, dc] : steps) {
        const int a = cell(r, c), b = cell(r + dr, c + dc), d = cell(r + 2 * dr, c + 2 * dc);
        if (b < 0) continue;
        task.op({a}, {b, cells + b}, {a, b}, free);
        if (d >= 0)
          task.op({a, cells + b}, {b, cells + d}, {a, b, cells + b, cells + d}, price);
      }
  Facts places;
  for (int a = 0; a < cells; ++a) {
    places.push_back(a);
    task.at_most_one.push_back({a, cells + a});
  }
  task.exactly_one.push_back(places);
  task.start({agent, cells + box});
  task.goal({cells + target});
  return task;
}

// Identical pieces on a path of `cells` cells. At a cost of 1, a piece walks any distance if `merges` is true, or one
// step otherwise.
inline Task path(int cells, const Facts& start, const Facts& goal, bool merges) {
  Task task(cells);
  for (int a = 0; a < cells; ++a)
    for (int b : {a - 1, a + 1})
      if (b >= 0 && b < cells) task.op({a}, {b}, {a, b}, 1, merges ? a : kNoRun, merges ? b : kNoRun);
  if (merges)
    for (int a = 0; a < cells; ++a) task.run_fact.push_back(a);
  task.start(start);
  task.goal(goal);
  return task;
}

// A ring of `size` facts, one of them true: fact 1 at the start, fact 0 in the goal. The task has no operators yet.
inline Task ring(int size) {
  Task task(size);
  Facts all;
  for (FactId fact = 0; fact < size; ++fact) all.push_back(fact);
  task.exactly_one.push_back(all);
  task.start({1});
  task.goal({0});
  return task;
}

// The permutation that moves such a ring by one fact.
inline Facts one_further(int size) {
  Facts image;
  for (FactId fact = 0; fact < size; ++fact) image.push_back((fact + 1) % size);
  return image;
}

// Returns the task with the inverse of every operator and every permutation. The preconditions of the inverses exclude
// all mutex facts.
inline Task reversed(const Task& task) {
  Task back = task;
  const Problem problem = task.problem();
  const Invariants invariants(problem);
  for (std::size_t op = 0; op < task.index_fact.size(); ++op) {
    const std::size_t at = op * task.words;
    const FactSet gone = invariants.false_in(task.mask.data() + at, task.value.data() + at);
    back.index_fact[op] = kNoFact;
    for (int i = 0; i < task.words; ++i) {
      back.mask[at + i] |= gone[i];
      back.value[at + i] ^= task.flip[at + i];
    }
    for (FactId fact = 0; fact < task.num_facts; ++fact)
      if (has(back.value.data() + at, fact)) back.index_fact[op] = fact;
  }
  for (std::size_t at = 0; at < task.permutations.size(); ++at) {
    const std::size_t first = at - at % task.num_facts;
    back.permutations[first + task.permutations[at]] = static_cast<FactId>(at - first);
  }
  std::swap(back.run_in, back.run_out);
  return back;
}

// Searches from both ends; each goal state is the list of its true facts.
inline Meeting from_both_ends(const Task& task, const std::vector<Facts>& goals,
                              const Options& options = {}) {
  const Task back = reversed(task);
  const Problem p = task.problem(), q = back.problem();
  const CostTable c = task.costs(), d = back.costs();
  std::vector<Word> rows;
  for (const Facts& facts : goals) {
    FactSet set(task.words);
    for (FactId fact : facts) add(set.data(), fact);
    rows.insert(rows.end(), set.begin(), set.end());
  }
  return fewest::bidirectional(p, c, q, d, rows.data(), goals.size(), options);
}

}  // namespace tasks
