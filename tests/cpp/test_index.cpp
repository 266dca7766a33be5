// Numbers of states, marks, and the search in an index.
#include <stdexcept>

#include "check.hpp"
#include "index/marks.hpp"
#include "numberings.hpp"

using namespace fewest;
using tasks::Numbered;
using tasks::Task;

namespace {

IndexOptions exhaustive(bool to_goal = false) {
  IndexOptions options;
  options.limits.exhaust = true;
  options.to_goal = to_goal;
  return options;
}

void numbers_and_states_belong_together(const Task& task, const Numbered& numbered) {
  const Problem problem = task.problem();
  const std::size_t size = numbered.states.size();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < size; i += 1 + size / 40) {
    wrong += unrank(problem, numbered.numbering, i) != numbered.states[i];
    wrong += rank(problem, numbered.numbering, numbered.states[i].data()) != i;
  }
  CHECK(wrong == 0);
}

void the_search_is_that_with_a_table(const Task& task, const Numbered& numbered) {
  const Outcome table = task.search(true);
  for (const bool exhaust : {true, false}) {
    IndexOptions options;
    options.limits.exhaust = exhaust;
    const IndexOutcome index = search_index(task, numbered, options);
    CHECK(index.cost == table.cost && index.lower_bound == task.search(exhaust).lower_bound);
    if (table.cost) CHECK(task.replays(index));
    if (!exhaust) continue;
    CHECK(index.status == Status::exhausted);
    CHECK(index.num_states == table.num_states && index.num_generated == table.num_generated);
    CHECK(index.num_goal_states == table.num_goal_states && index.layers == table.layers);
  }
}

void check_all(const Task& task, const Numbered& numbered) {
  numbers_and_states_belong_together(task, numbered);
  the_search_is_that_with_a_table(task, numbered);
}

void tiles_of_all_orders() {
  const Task small = tasks::tiles(2, 3, {4, 5, 0, 1, 2, 3});
  for (const int step_size : {1, 2, 5}) {
    const Numbered numbered = tasks::number(small, -1, step_size);
    CHECK(numbered.states.size() == 720);
    check_all(small, numbered);
  }
  const IndexOutcome outcome = search_index(small, tasks::number(small), exhaustive(true));
  CHECK(outcome.cost == PackedCost{21} && outcome.num_states == 360);
  CHECK(outcome.has_distances && outcome.num_dead == 0);
  // Distances to a goal that is alone are those from it, since every move can be taken back.
  CHECK(outcome.to_goal.size() == 22 && outcome.to_goal[21].second == 1);
  CHECK(outcome.hardest == small.initial);
  const Task swapped = tasks::tiles(2, 3, {2, 1, 3, 4, 5, 0});
  const IndexOutcome none = search_index(swapped, tasks::number(swapped), exhaustive(true));
  CHECK(!none.cost && none.status == Status::exhausted && none.num_dead == 360);
  CHECK(none.has_distances && none.to_goal.empty() && none.hardest.empty());
}

void towers_and_pieces_alike() {
  const Task towers = tasks::hanoi(5);
  check_all(towers, tasks::number(towers));
  check_all(towers, tasks::number(towers, -1, 3));
  for (const bool merges : {false, true}) {
    const Task few = tasks::path(12, {0, 1}, {10, 11}, merges);
    check_all(few, tasks::number(few, 2, 4));
    const Task wide = tasks::path(100, {0, 1}, {99}, merges);  // two words a state and a code
    check_all(wide, tasks::number(wide, 2, 1));
    const Task free = tasks::path(9, {0, 4}, {8}, merges);  // any number, of which two can be reached
    check_all(free, tasks::number(free));
  }
}

void a_box_that_cannot_come_back() {
  Task moves = tasks::warehouse(3, 4, 0, 5, 7, 1, 1);
  const Numbered numbered = tasks::number(moves, 1, 3);
  check_all(moves, numbered);
  const IndexOutcome outcome = search_index(moves, numbered, exhaustive(true));
  CHECK(outcome.has_distances && outcome.num_dead > 0);
  std::uint64_t all = outcome.num_dead;
  for (const auto& [distance, states] : outcome.to_goal) all += states;
  CHECK(all == outcome.num_states && outcome.to_goal[0].second == outcome.num_goal_states);
  moves.forbid({12 + 6});  // the box must not stand just before its target
  check_all(moves, numbered);
}

void refusals_and_limits() {
  const Task weighted = tasks::warehouse(3, 4, 0, 5, 7, 1, 5);
  const auto is_refused = [](const auto& call) {
    try {
      call();
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  CHECK(is_refused([&] { search_index(weighted, tasks::number(weighted, 1), exhaustive()); }));
  const Task tiles = tasks::tiles(2, 4);
  Numbered numbered = tasks::number(tiles);
  IndexOptions options = exhaustive();
  options.limits.memory = 1000;
  const IndexOutcome memory = search_index(tiles, numbered, options);
  CHECK(memory.status == Status::memory && memory.num_states == 0 && memory.lower_bound == 0);
  options = exhaustive();
  options.limits.seconds = 0;
  CHECK(search_index(tiles, numbered, options).status == Status::time);
  CHECK(search_index(tiles, numbered, exhaustive()).num_states == 20160);
  const Task other = tasks::tiles(2, 3);
  CHECK(is_refused([&] { search_index(other, numbered, exhaustive()); }));
  numbered.numbering.num_entries -= 1;
  CHECK(is_refused([&] { search_index(tiles, numbered, exhaustive()); }));
}

void marks_go_from_layer_to_layer() {
  Budget budget;
  Marks marks(budget);
  CHECK(marks.allocate(100000) && budget.used() >= 25000 && budget.used() < 26000);
  CHECK(!marks.advance());
  for (Number n : {0, 31, 32, 16383, 16384, 99999}) CHECK(marks.call(n, Mark::out));
  CHECK(!marks.call(31, Mark::out) && marks[31] == Mark::next);
  CHECK(marks.advance() && marks[31] == Mark::now && marks[30] == Mark::out);
  std::vector<Number> seen;
  marks.for_each_now([&](Number n) {
    seen.push_back(n);
    marks.call(n == 99999 ? 5 : n + 1, Mark::out);
    return true;
  });
  CHECK(seen == std::vector<Number>{0, 31, 32, 16383, 16384, 99999});
  CHECK(marks.advance() && marks[31] == Mark::kept && marks[33] == Mark::now);
  CHECK(!marks.call(31, Mark::out) && marks.call(31, Mark::kept));
  CHECK(marks.advance(true) && marks[31] == Mark::now && marks[33] == Mark::out);
  CHECK(marks[0] == Mark::kept && !marks.advance(true));
  seen.clear();
  marks.for_each_kept([&](Number n) {
    seen.push_back(n);
    return seen.size() < 3;
  });
  CHECK(seen == std::vector<Number>{0, 32, 16383});
  marks.clear();
  CHECK(marks[0] == Mark::out && !marks.advance());
}

const check::Suite suite("index", [] {
  tiles_of_all_orders();
  towers_and_pieces_alike();
  a_box_that_cannot_come_back();
  refusals_and_limits();
  marks_go_from_layer_to_layer();
});

}  // namespace
