// The token rule, applied literally along every sequence, agrees with other implementations of the rule
// (state/costs.hpp).
#include <map>
#include <random>
#include <set>

#include "check.hpp"
#include "expand/tokens.hpp"
#include "tasks.hpp"

using namespace fewest;
using tasks::Facts;
using tasks::Task;

namespace {

// A task of random cubes, with random costs of one or two parts instead of its own `costs()`.
struct Priced {
  Task task;
  int components;
  std::vector<std::int64_t> weight;
  std::vector<RunKey> run_in, run_out;
  std::vector<Facts> run_fact;

  CostTable costs() const {
    return {components, weight.data(), run_in.data(), run_out.data(), run_fact};
  }
};

constexpr int kFacts = 5, kOperators = 12;

// `are_equal`: all weights are equal, so the search in runs is breadth-first.
Priced random_task(std::mt19937& random, int components, bool are_equal) {
  Priced priced{Task(kFacts), components, {}, {}, {}, {}};
  Facts start;
  for (FactId fact = 0; fact < kFacts; ++fact)
    if (random() % 2) start.push_back(fact);
  priced.task.start(start);
  for (int op = 0; op < kOperators; ++op) {
    Facts true_facts, false_facts, flips;
    for (FactId fact = 0; fact < kFacts; ++fact) {
      const auto kind = random() % 3;
      if (kind == 0) continue;
      (kind == 1 ? true_facts : false_facts).push_back(fact);
      if (random() % 2) flips.push_back(fact);
    }
    priced.task.op(true_facts, false_facts, flips);
  }
  priced.task.goal({static_cast<FactId>(random() % kFacts)}, {});
  // There is one run key for each fact, and there are two keys without a fact.
  Facts fact_of_key;
  for (FactId fact = 0; fact < kFacts; ++fact) fact_of_key.push_back(fact);
  fact_of_key.insert(fact_of_key.end(), {kNoFact, kNoFact});
  for (int c = 0; c < components; ++c) {
    priced.run_fact.push_back(fact_of_key);
    for (int op = 0; op < kOperators; ++op) {
      priced.weight.push_back(are_equal ? 1 : static_cast<std::int64_t>(random() % 4));
      const FactId index = priced.task.index_fact[op];
      const RunKey untied = kFacts + static_cast<RunKey>(random() % 2);
      const auto kind = random() % 3;
      priced.run_in.push_back(kind == 0 ? kNoRun : kind == 1 && index != kNoFact ? index : untied);
      priced.run_out.push_back(static_cast<RunKey>(random() % (kFacts + 3)) - 1);
    }
  }
  return priced;
}

bool applies(const Task& task, OperatorId op, Word s) { return (s & task.mask[op]) == task.value[op]; }

// Returns the cost of `op` after these tokens, and updates the tokens.
PackedCost pay(const Priced& priced, const Problem& problem, const CostTable& costs, OperatorId op,
               std::vector<RunKey>& tokens) {
  PackedCost paid = 0;
  for (int c = 0; c < costs.components; ++c) {
    const Passed next = passed(problem, costs, c, op, tokens[c]);
    if (next.pays) paid += packed_weight(costs, priced.task.index_fact.size(), op, c);
    tokens[c] = next.token;
  }
  return paid;
}

// Dijkstra's algorithm over states and tokens, with the literal rule.
std::optional<PackedCost> least_cost(const Priced& priced) {
  const Problem problem = priced.task.problem();
  const CostTable costs = priced.costs();
  using Node = std::pair<Word, std::vector<RunKey>>;
  const Node first{priced.task.initial[0], std::vector<RunKey>(costs.components, kNoRun)};
  std::map<Node, PackedCost> best{{first, 0}};
  std::set<std::pair<PackedCost, Node>> open{{0, first}};
  while (!open.empty()) {
    const auto [cost, node] = *open.begin();
    open.erase(open.begin());
    for (std::size_t g = 0; g < priced.task.goal_mask.size(); ++g)
      if ((node.first & priced.task.goal_mask[g]) == priced.task.goal_value[g]) return cost;
    for (OperatorId op = 0; op < kOperators; ++op) {
      if (!applies(priced.task, op, node.first)) continue;
      Node next{node.first ^ priced.task.flip[op], node.second};
      const PackedCost total = cost + pay(priced, problem, costs, op, next.second);
      const auto [known, is_new] = best.try_emplace(next, total);
      if (!is_new && known->second <= total) continue;
      open.erase({known->second, next});
      known->second = total;
      open.insert({total, next});
    }
  }
  return std::nullopt;
}

void tokens_add_up_to_what_the_rule_says() {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const Priced priced = random_task(random, 1 + i % 2, false);
    const Problem problem = priced.task.problem();
    const CostTable costs = priced.costs();
    const Tokens tokens(problem, costs);
    Word s = priced.task.initial[0];
    std::vector<RunKey> literal(costs.components, kNoRun);
    PackedCost paid = 0, cost = 0;
    TokenId token = tokens.none();
    for (int step = 0; step < 60; ++step) {
      const auto op = static_cast<OperatorId>(random() % kOperators);
      if (!applies(priced.task, op, s)) continue;
      s ^= priced.task.flip[op];
      paid += pay(priced, problem, costs, op, literal);
      const auto applied = tokens.apply(cost, token, op);
      cost = applied.cost;
      token = applied.token;
      CHECK(cost == paid);
    }
  }
}

// The closures of runs, Dijkstra's algorithm with tokens, and bidirectional search find the same minimum.
void every_search_finds_the_least_cost() {
  std::mt19937 random(2);
  int num_solved = 0, num_in_runs = 0;
  for (int i = 0; i < 600; ++i) {
    const Priced priced = random_task(random, i % 3 == 2 ? 2 : 1, i % 3 == 0);
    const Problem problem = priced.task.problem();
    const CostTable costs = priced.costs();
    const std::optional<PackedCost> least = least_cost(priced);
    const Outcome found = search(problem, costs, {});
    CHECK(found.cost == least);
    num_solved += least.has_value();
    num_in_runs += std::string(found.algorithm) == "bfs over runs";
    // The bidirectional search needs the inverse of every operator, and all goal states.
    Priced back = priced;
    for (int op = 0; op < kOperators; ++op) back.task.value[op] ^= back.task.flip[op];
    for (FactId& index : back.task.index_fact) index = kNoFact;
    std::swap(back.run_in, back.run_out);
    std::vector<Word> goals;
    for (Word s = 0; s < Word{1} << kFacts; ++s)
      if ((s & priced.task.goal_mask[0]) == priced.task.goal_value[0]) goals.push_back(s);
    const Problem reversed = back.task.problem();
    const CostTable reversed_costs = back.costs();
    const Meeting meeting = bidirectional(problem, costs, reversed, reversed_costs, goals.data(),
                                          goals.size(), {});
    CHECK(meeting.cost == least);
  }
  CHECK(num_solved > 200 && num_in_runs > 100);
}

const check::Suite suite("costs", [] {
  tokens_add_up_to_what_the_rule_says();
  every_search_finds_the_least_cost();
});

}  // namespace
