// Goal distances and numbers of plans, under the sanitizers, equal the results of separate searches from every state.
#include <algorithm>
#include <numeric>

#include "check.hpp"
#include "distances.hpp"
#include "state/control.hpp"
#include "tasks.hpp"

using namespace fewest;
using tasks::Facts;
using tasks::Task;

namespace {

GoalDistanceResult measured(const Task& task, const Options& options = {}) {
  const Task back = tasks::reversed(task);
  const Problem p = task.problem(), q = back.problem();
  const CostTable c = task.costs(), d = back.costs();
  const auto found = measure(p, c, q, d, true, true, options);
  CHECK(found.has_value());
  return found.value_or(GoalDistanceResult{});
}

void check_against_searches(const Task& task) {
  const GoalDistanceResult found = measured(task);
  const tasks::Distances expected = tasks::distances(task);
  CHECK(found.status == Status::exhausted);
  CHECK(found.num_states == expected.num_states);
  CHECK(found.num_solvable == expected.num_solvable);
  CHECK(found.from_start == task.search(false).cost);
  CHECK(found.layers ==
        (std::vector<std::pair<PackedCost, std::uint64_t>>(expected.layers.begin(), expected.layers.end())));
  CHECK(found.hardest == std::vector<Word>(expected.hardest.begin(), expected.hardest.end()));
}

void all_that_can_be_reached_is_measured() {
  check_against_searches(tasks::hanoi(4));
  check_against_searches(tasks::warehouse(3, 4, 0, 5, 11, 1, 1));  // has dead states
  for (bool merges : {false, true}) check_against_searches(tasks::path(8, {0, 2, 3}, {7, 5}, merges));
}

// The task has a ring that rotates in one direction only, and a flip, so the distance between two states depends on the
// direction.
void turns_are_measured() {
  Task task = tasks::ring(7);
  task.op({2}, {6}, {2, 6});
  task.permutation(tasks::one_further(7));
  check_against_searches(task);
  const GoalDistanceResult found = measured(task);
  CHECK(found.from_start == PackedCost{3} && found.num_plans == std::vector<Word>{1});
}

void a_goal_out_of_reach_has_no_distances() {
  Task task = tasks::hanoi(3);
  task.goal_value.clear();
  task.goal_mask.clear();
  task.goal({0, 1});
  const GoalDistanceResult found = measured(task);
  CHECK(found.num_states == 27 && found.num_solvable == 0 && !found.from_start);
  CHECK(found.layers.empty() && found.hardest.empty());
  CHECK(found.num_plans == std::vector<Word>{0});
}

// Two paths lead from each crossing to the next, so there are 2^200 plans.
void plans_beyond_a_word_are_counted() {
  const int crossings = 200;
  Task task(3 * crossings + 1);
  for (int i = 0; i < crossings; ++i)
    for (int middle : {3 * i + 1, 3 * i + 2}) {
      task.op({3 * i}, {middle}, {3 * i, middle});
      task.op({middle}, {3 * i + 3}, {middle, 3 * i + 3});
    }
  Facts places;
  for (int place = 0; place < task.num_facts; ++place) places.push_back(place);
  task.exactly_one.push_back(places);
  task.start({0});
  task.goal({3 * crossings});
  const GoalDistanceResult found = measured(task);
  CHECK(found.from_start == PackedCost{2 * crossings});
  CHECK(found.num_plans == (std::vector<Word>{0, 0, 0, Word{1} << 8}));
}

// A run that leads a piece across one goal cell to another is not a plan.
void a_plan_ends_at_its_first_goal() {
  Task task = tasks::path(5, {0}, {3}, true);
  task.goal({4});
  const GoalDistanceResult found = measured(task);
  CHECK(found.num_plans == std::vector<Word>{1});
  CHECK(found.plan_states == (std::vector<Word>{1, 8}));
}

// Each of two interchangeable pieces moves two places; in the middle of a plan, either piece may move.
void the_states_of_all_plans_are_listed() {
  const GoalDistanceResult found = measured(tasks::path(4, {0, 1}, {2, 3}, false));
  CHECK(found.from_start == PackedCost{4});
  std::vector<Word> states = found.plan_states;
  std::sort(states.begin(), states.end());
  CHECK(states == (std::vector<Word>{0b0011, 0b0101, 0b0110, 0b1001, 0b1010, 0b1100}));
}

void limits_say_what_stopped_it() {
  const Task task = tasks::tiles(3, 3, {0, 8, 7, 6, 5, 4, 3, 2, 1});
  Options options;
  options.memory = 1 << 20;
  const GoalDistanceResult found = measured(task, options);
  CHECK(found.status == Status::memory && found.num_states == 0);
  options = {};
  options.seconds = 0;
  CHECK(measured(task, options).status == Status::time);
}

// Runs a guided search whose abstraction is the task itself.
GuidedOutcome guided_by_itself(const Task& task, const Options& options = {}) {
  const Task back = tasks::reversed(task);
  const Problem p = task.problem(), q = back.problem();
  const CostTable c = task.costs(), d = back.costs();
  std::vector<FactId> image(static_cast<std::size_t>(task.num_facts));
  std::iota(image.begin(), image.end(), 0);
  const auto found = guided(p, c, {{&p, &c, &q, &d, image.data()}}, options);
  CHECK(found.has_value());
  return found.value_or(GuidedOutcome{});
}

void exact_bounds_lead_straight_to_the_goal() {
  for (const Task& task : {tasks::hanoi(4), tasks::tiles(2, 3, {5, 4, 3, 2, 1, 0}), tasks::path(8, {0, 2, 3}, {7, 5}, false),
                           tasks::path(8, {0, 2, 3}, {7, 5}, true)}) {
    const auto cost = task.search(false).cost;
    const GuidedOutcome found = guided_by_itself(task);
    CHECK(found.cost == cost && found.num_abstractions == 1);
    if (!cost) continue;
    CHECK(found.status == Status::goal && found.initial_bound == *cost && found.num_expanded == *cost);
    CHECK(found.plan.size() >= *cost);
  }
}

void what_no_abstraction_can_reach_is_not_searched() {
  Task task = tasks::hanoi(3);
  task.goal_value.clear();
  task.goal_mask.clear();
  task.goal({0, 1});
  const GuidedOutcome found = guided_by_itself(task);
  CHECK(found.status == Status::exhausted && !found.cost && found.num_expanded == 0);
}

// The abstraction may use half of the memory; if it needs more, it is omitted.
void a_guided_search_keeps_its_limits() {
  const Task task = tasks::tiles(3, 3, {0, 8, 7, 6, 5, 4, 3, 2, 1});
  Options options;
  options.memory = 1 << 20;
  const GuidedOutcome found = guided_by_itself(task, options);
  CHECK(found.status == Status::memory && found.num_abstractions == 0 && found.bytes <= options.memory);
  options = {};
  options.seconds = 0;
  CHECK(guided_by_itself(task, options).status == Status::time);
}

const check::Suite suite("goal_distances", [] {
  exact_bounds_lead_straight_to_the_goal();
  what_no_abstraction_can_reach_is_not_searched();
  a_guided_search_keeps_its_limits();
  all_that_can_be_reached_is_measured();
  turns_are_measured();
  a_goal_out_of_reach_has_no_distances();
  plans_beyond_a_word_are_counted();
  a_plan_ends_at_its_first_goal();
  the_states_of_all_plans_are_listed();
  limits_say_what_stopped_it();
});

}  // namespace
