// Intermediate states: sweeps, stages, parallel effects, and effects that never end.
#include "check.hpp"
#include "tasks.hpp"

using namespace fewest;
using tasks::Facts;
using tasks::Task;

namespace {

// A ball on a strip of cells: a push starts it, and consequences move it to the right end.
Task strip(int cells) {
  Task task(cells);
  task.op({0}, {1}, {0, 1});
  for (int cell = 1; cell + 1 < cells; ++cell) task.effect(0, cell, {cell}, {cell + 1}, {cell, cell + 1});
  task.everywhere = {0};
  task.start({0});
  task.goal({cells - 1});
  Facts all;
  for (int cell = 0; cell < cells; ++cell) all.push_back(cell);
  task.exactly_one.push_back(all);
  return task;
}

void intermediate_states_are_neither_counted_nor_stored() {
  for (int cells : {3, 64, 65, 300}) {
    const Task task = strip(cells);
    for (std::int64_t weight : {1, 5}) {
      Task weighted = task;
      weighted.weight[0] = weight;
      if (weight > 1) weighted.op({cells - 1}, {0}, {cells - 1, 0}, 1);
      const Outcome outcome = weighted.search(true);
      CHECK(std::string(outcome.algorithm) == (weight == 1 ? "bfs through intermediate states" : "dijkstra"));
      CHECK(outcome.num_states == 2);
      CHECK(outcome.cost == static_cast<PackedCost>(weight));
      CHECK(outcome.plan == std::vector<OperatorId>{0});
      CHECK(!outcome.endless);
    }
  }
}

// If the ball moves against the order of the sweep, it needs a sweep for every cell. In a ring, the ball would never
// stop.
void what_comes_back_to_where_it_was_is_no_move() {
  const int cells = 40;
  Task task(cells);
  task.op({0}, {1}, {0, 1});
  for (int cell = 1; cell + 1 < cells; ++cell)
    task.effect(0, cells - cell, {cell}, {cell + 1}, {cell, cell + 1});
  std::reverse(task.place.begin(), task.place.end());
  task.everywhere = {0};
  task.start({0});
  task.goal({cells - 1});
  Task backwards = task;  // the effects in reverse order
  for (auto* rows : {&backwards.effect_mask, &backwards.effect_value, &backwards.effect_flip})
    std::reverse(rows->begin(), rows->end());
  CHECK(backwards.search(true).cost == PackedCost{1});
  Task round = backwards;
  round.effect(0, cells, {cells - 1}, {1}, {cells - 1, 1});
  const Outcome outcome = round.search(true);
  CHECK(!outcome.cost && outcome.num_states == 1);
  CHECK(outcome.endless && outcome.endless->op == 0 && outcome.endless->state == round.initial);
}

// In each sweep, only the first matching effect of a place applies. A later stage begins only when no effect of the
// first stage matches.
void a_place_tests_its_effects_in_order_and_a_stage_waits() {
  Task task(5);
  task.op({}, {0}, {0});
  task.effect(0, 0, {0}, {1}, {1});        // this effect applies in the first sweep
  task.effect(0, 0, {0}, {2}, {2});        // this effect applies in the second sweep
  task.effect(1, 1, {0}, {3, 2}, {3});     // this effect never applies, because fact 2 is already true
  task.effect(1, 2, {1, 2}, {4}, {4});
  task.everywhere = {0, 0};
  task.goal({0, 1, 2, 4}, {3});
  const Outcome outcome = task.search(true);
  CHECK(outcome.cost == PackedCost{1});
  CHECK(outcome.num_states == 2);
}

// Two crossing rows of three pieces match and disappear together, although their effects share a fact.
void what_is_marked_together_happens_together() {
  Task task(7);
  task.op({}, {0}, {0});
  task.effect(0, 0, {0, 1, 2}, {}, {}, {0, 1, 2});
  task.effect(0, 1, {0, 3, 4}, {}, {}, {0, 3, 4});
  task.effect(0, 2, {0, 1}, {}, {1}, {}, {1});  // matches, too, but fact 1 is false by then
  task.effect(0, 3, {0}, {}, {6}, {5, 6});      // sets a variable to 6, regardless of its value
  task.everywhere = {1};
  task.start({1, 2, 3, 4, 5});
  task.exactly_one = {{5, 6}};
  task.goal({6}, {0, 1, 2, 3, 4, 5});
  const Outcome outcome = task.search(false);
  CHECK(outcome.cost == PackedCost{1});
}

// Several intermediate states lead to the same result, so no move is reversible; the search nevertheless finds a plan.
void plans_are_found_though_nothing_can_be_undone() {
  const int cells = 12;
  Task task(2 * cells);  // a walker, and a stone that falls back when the walker reaches the end
  for (int from = 0; from + 1 < cells; ++from) task.op({from}, {}, {from, from + 1});
  for (int from = 0; from + 1 < cells; ++from)
    task.op({from, cells + from}, {}, {cells + from, cells + from + 1});
  for (int from = 1; from < cells; ++from)
    task.effect(0, from, {cells - 1, cells + from}, {}, {cells - 1, 0, cells + from, cells});
  task.everywhere = {0};
  task.start({3, cells + 5});
  task.goal({0, cells});
  for (const bool exhaust : {false, true}) {
    const Outcome outcome = task.search(exhaust);
    CHECK(outcome.cost == PackedCost{cells - 1 - 3});
    CHECK((outcome.plan == std::vector<OperatorId>{3, 4, 5, 6, 7, 8, 9, 10}));
  }
}

const check::Suite suite("conditional_effects", [] {
  intermediate_states_are_neither_counted_nor_stored();
  what_comes_back_to_where_it_was_is_no_move();
  a_place_tests_its_effects_in_order_and_a_stage_waits();
  what_is_marked_together_happens_together();
  plans_are_found_though_nothing_can_be_undone();
});

}  // namespace
