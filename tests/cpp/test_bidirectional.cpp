// Bidirectional searches, under the sanitizers, find the same minima as searches from the start.
#include <algorithm>
#include <string>

#include "check.hpp"
#include "tasks.hpp"

using namespace fewest;
using tasks::Facts;
using tasks::from_both_ends;
using tasks::Task;

namespace {

// Whether the number of waypoints fits the reported cost or, with Dijkstra's algorithm, the operators lead from the
// start to a goal state at this cost.
bool is_whole(const Task& task, const Meeting& meeting) {
  const Outcome& found = meeting;
  if (!found.cost) return false;
  if (std::string(found.algorithm) != "dijkstra")
    return meeting.waypoints.size() == *found.cost * task.words;
  Outcome whole = found;
  whole.plan.insert(whole.plan.end(), meeting.backward_plan.begin(), meeting.backward_plan.end());
  return task.replays(whole);
}

void hanoi_is_solved_from_both_ends() {
  for (int discs : {1, 3, 7}) {
    const Task task = tasks::hanoi(discs);
    Facts goal;
    for (int disc = 0; disc < discs; ++disc) goal.push_back(disc * 3 + 2);
    const Meeting meeting = from_both_ends(task, {goal});
    CHECK(meeting.status == Status::goal);
    CHECK(meeting.cost == (PackedCost{1} << discs) - 1);
    CHECK(is_whole(task, meeting));
  }
}

void eight_tiles_meet_in_the_middle() {
  const Task task = tasks::tiles(3, 3, {0, 8, 7, 6, 5, 4, 3, 2, 1});
  Facts goal;
  for (int cell = 1; cell < 9; ++cell) goal.push_back((9 - cell - 1) * 9 + cell);
  const Outcome one = task.search(false);
  const Meeting both = from_both_ends(task, {goal});
  CHECK(both.cost == one.cost && is_whole(task, both));
  CHECK(both.num_states * 4 < one.num_states);
  CHECK(both.forward_states + both.backward_states == both.num_states);
  // Exchanging two tiles changes the parity of the goal, so it cannot be reached.
  std::swap(goal[0], goal[1]);
  goal[0] = goal[0] / 9 * 9 + 1;
  goal[1] = goal[1] / 9 * 9 + 2;
  const Meeting none = from_both_ends(task, {goal});
  CHECK(none.status == Status::exhausted && !none.cost);
  CHECK(none.num_states >= 181440);
  Options options;
  options.memory = 60000;
  const Meeting stopped = from_both_ends(task, {goal}, options);
  CHECK(stopped.status == Status::memory && stopped.lower_bound > 0);
  options = {};
  options.seconds = 0;
  CHECK(from_both_ends(task, {goal}, options).status == Status::time);
  CHECK(from_both_ends(task, {}).status == Status::exhausted);
}

void runs_are_met_between_two() {
  for (bool merges : {false, true}) {
    Task task = tasks::path(12, {0, 1, 2}, {9, 10, 11}, merges);
    const Meeting layers = from_both_ends(task, {{9, 10, 11}});
    CHECK(layers.cost == task.search(false).cost && is_whole(task, layers));
    // If moves differ in cost, the two sides can meet within a run.
    task.weight[0] = 3;
    const Meeting weighted = from_both_ends(task, {{9, 10, 11}});
    CHECK(std::string(weighted.algorithm) == "dijkstra");
    CHECK(weighted.cost == task.search(false).cost && is_whole(task, weighted));
  }
}

void regions_are_met() {
  for (std::int64_t price : {1, 5}) {
    const Task task = tasks::warehouse(3, 4, 0, 5, 7, price == 1 ? 0 : 1, price);
    std::vector<Facts> goals;
    for (FactId agent = 0; agent < 12; ++agent)
      if (agent != 7) goals.push_back({agent, 12 + 7});
    const Meeting meeting = from_both_ends(task, goals);
    CHECK(meeting.cost == task.search(false).cost);
    CHECK(std::string(meeting.algorithm) ==
          (price == 1 ? "bfs over regions" : "dijkstra"));
    CHECK(is_whole(task, meeting));
  }
}

void a_forbidden_start_is_left() {
  for (std::int64_t dear : {1, 4}) {
    Task task = tasks::path(6, {0}, {5}, false);
    task.forbid({0});
    task.weight[2] = dear;
    const Meeting meeting = from_both_ends(task, {{5}});
    CHECK(meeting.cost == task.search(false).cost && is_whole(task, meeting));
  }
}

const check::Suite suite("bidirectional", [] {
  hanoi_is_solved_from_both_ends();
  eight_tiles_meet_in_the_middle();
  runs_are_met_between_two();
  regions_are_met();
  a_forbidden_start_is_left();
});

}  // namespace
