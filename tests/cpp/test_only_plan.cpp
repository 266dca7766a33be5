// Compares `Outcome::is_only_plan` with a list of all optimal plans of small random tasks.
#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "check.hpp"
#include "tasks.hpp"

using namespace fewest;
using tasks::Facts;
using tasks::Task;

namespace {

using Plan = std::vector<int>;  // the numbers of moves
using Set = Word;               // facts; the tasks of this file have one word

// A move: the facts that it flips, and which of them are true before it.
using Move = std::pair<Set, Set>;

struct Moves {
  std::map<Move, int> number;
  std::vector<Set> reads, writes;
};

bool is_in(const std::vector<Word>& mask, const std::vector<Word>& value, Set s) {
  for (std::size_t i = 0; i < mask.size(); ++i)
    if ((s & mask[i]) == value[i]) return true;
  return false;
}

// What an operator reads: its precondition, and each forbidden cube that holds at the start or that it may enter.
Set reads_of(const Task& task, std::size_t op) {
  Set reads = task.mask[op];
  for (std::size_t i = 0; i < task.forbid_mask.size(); ++i) {
    const Set cube = task.forbid_mask[i], wanted = task.forbid_value[i];
    const bool holds_at_start = (task.initial[0] & cube) == wanted;
    const Set after = task.value[op] ^ task.flip[op];
    const bool may_enter = (cube & task.flip[op]) != 0 && ((after ^ wanted) & cube & task.mask[op]) == 0;
    if (holds_at_start || may_enter) reads |= cube;
  }
  return reads;
}

// Appends all plans of at most `length` moves that begin at `s` and end in a goal state.
void find_plans(const Task& task, Set s, std::size_t length, Moves& moves, Plan& prefix, std::set<Plan>& plans) {
  if (is_in(task.goal_mask, task.goal_value, s)) {
    plans.insert(prefix);
    return;
  }
  if (prefix.size() == length) return;
  for (std::size_t op = 0; op < task.mask.size(); ++op) {
    const Set next = s ^ task.flip[op];
    if ((s & task.mask[op]) != task.value[op] || is_in(task.forbid_mask, task.forbid_value, next)) continue;
    const Move move{task.flip[op], s & task.flip[op]};
    const auto [at, is_new] = moves.number.try_emplace(move, static_cast<int>(moves.writes.size()));
    if (is_new) {
      moves.writes.push_back(task.flip[op]);
      moves.reads.push_back(0);
    }
    prefix.push_back(at->second);
    find_plans(task, next, length, moves, prefix, plans);
    prefix.pop_back();
  }
}

// Whether each plan can be obtained from the first one by exchanging neighbours that are independent.
bool are_one_plan(const std::set<Plan>& plans, const Moves& moves) {
  std::set<Plan> reached{*plans.begin()};
  std::vector<Plan> open(reached.begin(), reached.end());
  while (!open.empty()) {
    const Plan plan = open.back();
    open.pop_back();
    for (std::size_t i = 0; i + 1 < plan.size(); ++i) {
      const int a = plan[i], b = plan[i + 1];
      if (a == b || (moves.reads[a] & moves.writes[b]) != 0 || (moves.reads[b] & moves.writes[a]) != 0) continue;
      Plan other = plan;
      std::swap(other[i], other[i + 1]);
      if (reached.insert(other).second) open.push_back(other);
    }
  }
  return reached == plans;
}

// The answer by definition, for a task with optimal plans of this length.
bool by_definition(const Task& task, std::size_t length) {
  Moves moves;
  std::set<Plan> plans;
  Plan prefix;
  find_plans(task, task.initial[0], length, moves, prefix, plans);
  CHECK(!plans.empty());
  // Only operators that some optimal plan applies count. The loop finds these operators along the plans.
  for (const Plan& plan : plans) {
    Set s = task.initial[0];
    for (int move : plan) {
      for (std::size_t op = 0; op < task.mask.size(); ++op)
        if ((s & task.mask[op]) == task.value[op] &&
            moves.number.at({moves.writes[move], s & moves.writes[move]}) == move && task.flip[op] == moves.writes[move])
          moves.reads[move] |= reads_of(task, op);
      s ^= moves.writes[move];
    }
  }
  return are_one_plan(plans, moves);
}

// Chooses each fact with a probability of `share` / 8.
Facts some(std::mt19937& random, int num_facts, unsigned share) {
  Facts facts;
  for (FactId fact = 0; fact < num_facts; ++fact)
    if (random() % 8 < share) facts.push_back(fact);
  return facts;
}

// A task with operators that flip one or two facts and read up to a few others.
Task random_task(std::mt19937& random) {
  const int num_facts = 4 + static_cast<int>(random() % 4);
  Task task(num_facts);
  task.start(some(random, num_facts, 4));
  const int num_operators = 3 + static_cast<int>(random() % 8);
  const unsigned reads = 1 + random() % 2;
  for (int i = 0; i < num_operators; ++i) {
    Facts positive, negative, flips = some(random, num_facts, 1);
    if (flips.empty()) flips = {static_cast<FactId>(random() % static_cast<unsigned>(num_facts))};
    const Facts others = some(random, num_facts, reads);
    for (FactId fact = 0; fact < num_facts; ++fact)
      if (std::ranges::count(flips, fact) + std::ranges::count(others, fact) > 0)
        (random() % 2 ? positive : negative).push_back(fact);
    task.op(positive, negative, flips);
  }
  for (unsigned i = random() % 3; i > 0; --i) {
    const Facts cube = some(random, num_facts, 3);
    if (!cube.empty()) task.forbid(cube);
  }
  for (unsigned i = 1 + random() % 2; i > 0; --i) {
    Facts positive, negative;
    for (FactId fact : some(random, num_facts, 5)) (random() % 2 ? positive : negative).push_back(fact);
    task.goal(positive, negative);
  }
  return task;
}

void random_tasks_agree_with_a_list_of_all_plans() {
  std::mt19937 random(2026);
  std::map<std::pair<bool, bool>, int> seen;  // by the answer, and whether the plans have more than two moves
  for (int i = 0; i < 10'000; ++i) {
    const Task task = random_task(random);
    const Outcome outcome = task.search(false);
    if (!outcome.cost || *outcome.cost < 1 || *outcome.cost > 6) continue;
    CHECK(outcome.is_only_plan.has_value());
    if (!outcome.is_only_plan) continue;
    const bool expected = by_definition(task, outcome.plan.size());
    CHECK(*outcome.is_only_plan == expected);
    ++seen[{expected, *outcome.cost > 2}];
  }
  CHECK(seen.size() == 4);
  for (const auto& [kind, number] : seen) CHECK(number >= 30);
}

// Two pieces on separate paths are moved in any order; the answer does not depend on the number of orders.
void independent_moves_are_one_plan() {
  Task task(15);
  for (FactId first : {0, 7})
    for (FactId a = first; a < first + 6; ++a) task.op({a}, {a + 1}, {a, a + 1});
  task.start({0, 7});
  task.goal({6, 13});
  const Outcome outcome = task.search(false);
  CHECK(outcome.cost == PackedCost{12} && outcome.is_only_plan == true);
  // A second goal at the same distance means a second plan.
  task.op({5}, {14}, {5, 14});
  task.goal({14, 13});
  const Outcome second = task.search(false);
  CHECK(second.cost == PackedCost{12} && second.is_only_plan == false);
}

void an_answer_that_takes_too_long_is_not_given() {
  // There are 2^17 states in which some of 17 facts are true, and 17! orders of one plan. The search for a second plan
  // may take 2^15 steps and 1/32 of the search.
  Task task(17);
  Facts all;
  for (FactId fact = 0; fact < 17; ++fact) {
    task.op({}, {fact}, {fact});
    all.push_back(fact);
  }
  task.goal(all);
  const Outcome outcome = task.search(false);
  CHECK(outcome.cost == PackedCost{17});
  CHECK(!outcome.is_only_plan.has_value());
}

void what_it_cannot_judge_is_left_open() {
  Task turns = tasks::ring(5);
  turns.permutation(tasks::one_further(5));
  const Outcome outcome = turns.search(false);
  CHECK(outcome.cost == PackedCost{4} && !outcome.is_only_plan.has_value());
  const Task merged = tasks::path(12, {0, 1}, {10, 11}, true);
  CHECK(!merged.search(false).is_only_plan.has_value());
  Task lists(2);  // a goal state is in some cube of both lists
  lists.op({}, {0}, {0});
  lists.op({}, {1}, {1});
  lists.goal({0});
  lists.begin_goal_list();
  lists.goal({1});
  const Outcome both = lists.search(false);
  CHECK(both.cost == PackedCost{2} && !both.is_only_plan.has_value());
}

const check::Suite suite("only_plan", [] {
  random_tasks_agree_with_a_list_of_all_plans();
  independent_moves_are_one_plan();
  an_answer_that_takes_too_long_is_not_given();
  what_it_cannot_judge_is_left_open();
});

}  // namespace
