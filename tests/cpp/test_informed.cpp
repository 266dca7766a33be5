#include <algorithm>
#include <fstream>
#include <random>

#include "check.hpp"
#include "folder.hpp"
#include "informed/thread_team.hpp"
#include "informed_stages.hpp"
#include "rooms.hpp"
#include "store/file.hpp"
#include "tasks.hpp"

using namespace fewest;
using stages::astar;
using stages::Found;
using stages::Stages;
using stages::UsePatterns;
using tasks::Facts;
using tasks::hints_of;
using tasks::random_room;
using tasks::Task;

namespace {

// Costs of walks and pushes; the core expects costs without a common divisor.
constexpr std::pair<int, int> kCosts[] = {{0, 1}, {1, 1}, {1, 0}, {2, 1}, {1, 3}, {2, 3}};

void informed_searches_find_the_minimum_of_random_rooms() {
  std::mt19937 random(1);
  int num_solved = 0;
  for (int i = 0; i < 200; ++i) {
    const auto [walk, push] = kCosts[random() % std::size(kCosts)];
    const Task task = random_room(random, walk, push);
    const Outcome expected = task.search(false);
    const Problem problem = task.problem();
    const CostTable costs = task.costs();
    const Found star = astar(problem, costs, hints_of(task), {});
    const Found ida =
        astar(problem, costs, hints_of(task), {.memory = 1 << 20}, {.algorithm = Algorithm::ida_star});
    CHECK(ida.status == expected.status && ida.cost == expected.cost);
    CHECK(star.status == expected.status && star.cost == expected.cost);
    if (!expected.cost) continue;
    ++num_solved;
    CHECK(task.replays(star));
    CHECK(task.replays(ida));
  }
  CHECK(num_solved > 100);
}

bool are_alike(const Found& a, const Found& b) {
  return a.status == b.status && a.cost == b.cost && a.plan == b.plan && a.num_states == b.num_states &&
         a.num_expanded == b.num_expanded;
}

// Returns a goal with the same number of boxes in different cells.
Facts other_goal(const Task& task, std::mt19937& random) {
  const int cells = task.num_facts / 2;
  Facts boxes, goal;
  for (int cell = 0; cell < cells; ++cell) boxes.push_back(cells + cell);
  std::shuffle(boxes.begin(), boxes.end(), random);
  for (int cell = 0; cell < cells; ++cell)
    if (has(task.initial.data(), cells + cell)) goal.push_back(boxes[cell]);
  return goal;
}

// Some rooms have several goals or forbidden positions. The searches run on one and on two threads, and some of them
// look for deadlock sets from the first state on.
void both_ends_find_the_minimum_of_random_rooms() {
  std::mt19937 random(6);
  int num_solved = 0;
  for (int i = 0; i < 300; ++i) {
    Task task = random_room(random, 0, 1, 6);
    if (random() % 3 == 0) task.goal(other_goal(task, random));
    if (random() % 4 == 0) task.forbid({task.num_facts / 2 + static_cast<FactId>(random() % 20)});
    const Outcome expected = task.search(false);
    const Problem problem = task.problem();
    const CostTable costs = task.costs();
    Hints hints = hints_of(task);
    if (random() % 2) hints.look_from = 0;
    if (!InformedProblem(problem, costs, hints).can_begin_at_goals()) continue;
    for (std::size_t threads : {1, 2}) {
      const Options options{.threads = threads};
      const Found found = astar(problem, costs, hints, options, {.has_both_ends = true});
      CHECK(found.status == expected.status && found.cost == expected.cost);
      CHECK(are_alike(found, astar(problem, costs, hints, options, {.has_both_ends = true})));
      if (!found.cost) continue;
      CHECK(task.replays(found));
      ++num_solved;
      const Found little = astar(problem, costs, hints, {.memory = 4096}, {.has_both_ends = true});
      CHECK(little.cost == expected.cost && task.replays(little));
    }
  }
  CHECK(num_solved > 200);
}

void a_limit_of_both_ends_leaves_a_lower_bound() {
  std::mt19937 random(7);
  for (int i = 0; i < 50; ++i) {
    const Task task = random_room(random, 0, 1, 4);
    const Outcome expected = task.search(false);
    if (!expected.cost) continue;
    const Found found =
        astar(task.problem(), task.costs(), hints_of(task), {.seconds = 0}, {.has_both_ends = true});
    CHECK(found.status == Status::time && found.lower_bound <= *expected.cost);
  }
}

// If walks have a cost, or if some pieces have no goal cell, a backward search is impossible.
void both_ends_are_not_begun_at_where_that_cannot_be() {
  std::mt19937 random(8);
  const auto can = [](const Task& task) { 
    const Problem problem = task.problem();
    const CostTable costs = task.costs();
    return InformedProblem(problem, costs, hints_of(task)).can_begin_at_goals();
  };
  CHECK(!can(random_room(random, 1, 1)));
  Task vague = random_room(random, 0, 1, 1);
  CHECK(can(vague));
  vague.goal({0});
  CHECK(!can(vague));
  const Found found = astar(vague.problem(), vague.costs(), hints_of(vague), {}, {.has_both_ends = true});
  CHECK(found.cost == vague.search(false).cost && std::string(found.algorithm) == "a*");
}

// Deadlocks are learned from the first state on: in one thread, in several threads, and in depth-first search.
void deadlocks_of_few_pieces_are_found_and_change_no_minimum() {
  std::mt19937 random(5);
  std::uint64_t num_sets = 0;
  int num_solved = 0, num_spared = 0;
  for (int i = 0; i < 300; ++i) {
    const auto [walk, push] = kCosts[random() % std::size(kCosts)];
    const Task task = random_room(random, walk, push, 6);
    const Outcome expected = task.search(false);
    const Problem problem = task.problem();
    const CostTable costs = task.costs();
    Hints hints = hints_of(task), never = hints;
    hints.look_from = 0;
    never.look_from = ~std::uint64_t{0};
    const Found plain = astar(problem, costs, never, {});
    CHECK(plain.num_learned_deadlocks == 0);
    for (const Found& found :
         {astar(problem, costs, hints, {}), astar(problem, costs, hints, {.threads = 3}, {.share_from = 5}),
          astar(problem, costs, hints, {.memory = 1 << 20}, {.algorithm = Algorithm::ida_star})}) {
      CHECK(found.status == expected.status && found.cost == expected.cost);
      if (found.cost) CHECK(task.replays(found));
      num_sets += found.num_learned_deadlocks;
    }
    num_spared += astar(problem, costs, hints, {}).num_expanded < plain.num_expanded;
    num_solved += expected.cost.has_value();
  }
  CHECK(num_sets > 50 && num_solved > 100 && num_spared > 5);
}

void threads_find_the_minimum_and_the_same_plan_each_time() {
  std::mt19937 random(3);
  std::uint64_t num_shared = 0;
  for (int i = 0; i < 200; ++i) {
    const Task task = random_room(random, random() % 3, 1 + random() % 2);
    const Problem problem = task.problem();
    const CostTable costs = task.costs();
    const Found alone = astar(problem, costs, hints_of(task), {});
    const Options options{.threads = 1 + random() % 4};
    const Stages informed{.share_from = random() % 8};
    const Found shared = astar(problem, costs, hints_of(task), options, informed);
    CHECK(shared.status == alone.status && shared.cost == alone.cost);
    CHECK(are_alike(shared, astar(problem, costs, hints_of(task), options, informed)));
    if (alone.cost) CHECK(task.replays(shared));
    num_shared += shared.num_expanded > alone.num_expanded;
  }
  CHECK(num_shared > 50);  // threads expand more states, because they finish their last round
}

void threads_share_patterns_and_memory() {
  const Task task = tasks::tiles(3, 3, {0, 8, 7, 6, 5, 4, 3, 2, 1});
  const PackedCost cost = *task.search(false).cost;
  const Problem problem = task.problem();
  const CostTable costs = task.costs();
  Hints hints;
  hints.groups = problem.exactly_one;
  for (auto patterns : {UsePatterns::never, UsePatterns::always})
    for (std::size_t memory : {std::size_t{0}, std::size_t{50'000}, std::size_t{1'000'000}}) {
      const Found star = astar(problem, costs, hints, {.memory = memory, .threads = 3},
                                      {.patterns = patterns, .share_from = 10});
      CHECK(star.cost == cost && star.lower_bound == cost && task.replays(star));
      CHECK(star.bytes <= memory);
    }
  const Found stopped =
      astar(problem, costs, hints, {.seconds = 0, .threads = 2}, {.share_from = 0});
  CHECK(stopped.status == Status::time && stopped.lower_bound <= cost);
}

void a_checkpoint_resumes_with_any_number_of_parts() {
  const Folder folder;
  std::mt19937 random(4);
  int num_resumed = 0;
  for (int i = 0; i < 100; ++i) {
    const Task task = random_room(random, random() % 3, 1 + random() % 2);
    const Problem problem = task.problem();
    const CostTable costs = task.costs();
    const std::string file = folder / std::to_string(i).c_str();
    const Stages stages{.file = file, .save_every = -1};
    const Found alone = astar(problem, costs, hints_of(task), {});
    const Found whole = astar(problem, costs, hints_of(task), {.threads = 1 + random() % 3}, stages);
    CHECK(whole.status == alone.status && whole.cost == alone.cost && whole.num_resumed == 0);
    if (!std::filesystem::exists(file)) continue;  // The search ended before it wrote a file.
    // The file is written before each round, so the resumed search repeats the last one.
    const Found again = astar(problem, costs, hints_of(task), {.threads = 1 + random() % 3}, stages);
    CHECK(again.status == alone.status && again.cost == alone.cost && again.num_resumed > 0);
    CHECK(again.lower_bound == alone.lower_bound);
    if (alone.cost) CHECK(task.replays(again));
    num_resumed += again.num_resumed > 1;
  }
  CHECK(num_resumed > 40);
}

void changed_checkpoints_are_refused() {
  const Folder folder;
  const std::string file = folder / "states";
  const Task task = tasks::tiles(3, 3, {0, 8, 7, 6, 5, 4, 3, 2, 1});
  const Problem problem = task.problem();
  const CostTable costs = task.costs();
  Hints hints;
  hints.groups = problem.exactly_one;
  const Stages stages{.patterns = UsePatterns::never, .file = file, .save_every = -1};
  CHECK(astar(problem, costs, hints, {}, stages).cost == task.search(false).cost);
  const auto size = std::filesystem::file_size(file);
  const auto is_refused = [&] {
    try {
      astar(problem, costs, hints, {}, stages);
    } catch (const Damage&) {
      return true;
    }
    return false;
  };
  for (std::uint64_t at : {std::uint64_t{3}, std::uint64_t{9}, std::uint64_t{17}, std::uint64_t{30}, size / 2, size - 1}) {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(at);
    const char byte = static_cast<char>(bytes.get());
    bytes.seekp(at);
    bytes.put(static_cast<char>(byte ^ 4));
    bytes.close();
    CHECK(is_refused());
    bytes.open(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(at);
    bytes.put(byte);
  }
  CHECK(!is_refused());
  std::filesystem::resize_file(file, size - 5);
  CHECK(is_refused());
}

void a_team_finishes_each_step_and_rethrows_exceptions() {
  ThreadTeam team(3);
  std::vector<int> counts(team.size(), 0);
  for (int step = 0; step < 1000; ++step) team.all([&](std::size_t i) { counts[i] += step; });
  CHECK(counts == std::vector<int>(team.size(), 499500));
  bool is_thrown = false;
  try {
    team.all([](std::size_t) { throw std::runtime_error("by all"); });
  } catch (const std::runtime_error&) {
    is_thrown = true;
  }
  CHECK(is_thrown);
  team.all([&](std::size_t i) { counts[i] = 1; });
  CHECK(counts == std::vector<int>(team.size(), 1));
}

void where_the_memory_of_astar_ends_ida_goes_on() {
  const Task task = tasks::tiles(3, 3, {0, 8, 7, 6, 5, 4, 3, 2, 1});
  const PackedCost cost = *task.search(false).cost;
  const Problem problem = task.problem();
  const CostTable costs = task.costs();
  Hints hints;
  hints.groups = problem.exactly_one;
  for (auto patterns : {UsePatterns::never, UsePatterns::always})
    for (std::size_t memory : {std::size_t{0}, std::size_t{50'000}, std::size_t{1'000'000}}) {
      const Found star =
          astar(problem, costs, hints, {.memory = memory}, {.patterns = patterns});
      CHECK(star.cost == cost && star.lower_bound == cost && task.replays(star));
      CHECK(star.bytes <= memory);
      CHECK(star.patterns.empty() == (patterns == UsePatterns::never || memory == 0));
    }
}

// Some of the searches run in both directions, on two threads, with walks that have a cost, or with little memory.
void local_pdbs_change_no_minimum_of_random_rooms() {
  std::mt19937 random(9);
  int num_solved = 0, num_used = 0;
  for (int i = 0; i < 300; ++i) {
    const auto [walk, push] = kCosts[random() % 2 ? 0 : random() % std::size(kCosts)];
    Task task = random_room(random, walk, push, 6);
    if (random() % 4 == 0) task.forbid({task.num_facts / 2 + static_cast<FactId>(random() % 20)});
    const Outcome expected = task.search(false);
    const Problem problem = task.problem();
    const CostTable costs = task.costs();
    const bool has_both_ends = random() % 2;
    const int most_in_local_pdb = 2 + static_cast<int>(random() % 7);
    for (std::size_t threads : {1, 2}) {
      const Stages informed{.patterns = random() % 2 ? UsePatterns::always : UsePatterns::if_they_pay,
                                     .has_both_ends = has_both_ends,
                                     .share_from = 0,
                                     .has_local_pdbs = true,
                                     .local_pdbs_from = 2,
                                     .before_both_ends = random() % 20,
                                     .most_in_local_pdb = most_in_local_pdb};
      const Options options{.threads = threads};
      const Found found = astar(problem, costs, hints_of(task), options, informed);
      CHECK(found.status == expected.status && found.cost == expected.cost);
      CHECK(are_alike(found, astar(problem, costs, hints_of(task), options, informed)));
      num_used += found.num_local_pdbs > 0;
      if (!found.cost) continue;
      CHECK(task.replays(found));
      ++num_solved;
      const Found little = astar(problem, costs, hints_of(task), {.memory = 1 << 15}, informed);
      CHECK(little.cost == expected.cost && task.replays(little));
    }
  }
  CHECK(num_solved > 200 && num_used > 200);
}

// A search in many small steps gives the same results and counts as a search in a single call, and its bound rises to
// the minimum.
void a_search_that_pauses_often_finds_and_counts_the_same() {
  std::mt19937 random(12);
  int num_pauses = 0;
  for (int i = 0; i < 200; ++i) {
    const auto [walk, push] = kCosts[random() % 2 ? 0 : random() % std::size(kCosts)];
    const Task task = random_room(random, walk, push, 4);
    const Outcome expected = task.search(false);
    const Problem problem = task.problem();
    const CostTable costs = task.costs();
    const InformedProblem informed(problem, costs, hints_of(task));
    for (const Algorithm algorithm : {Algorithm::astar, Algorithm::ida_star, Algorithm::both_ends}) {
      if (algorithm == Algorithm::both_ends && !informed.can_begin_at_goals()) continue;
      SearchOptions options;
      options.algorithm = algorithm;
      options.memory = 1 << 22;
      options.threads = algorithm == Algorithm::ida_star ? 1 : 1 + random() % 2;
      Control control{Options{}};
      const auto whole = make_search(informed, hints_of(task), options);
      whole->advance(control, {});
      const auto paused = make_search(informed, hints_of(task), options);
      PackedCost bound = 0;
      while (paused->advance(control, {.work = paused->work() + 1}) == Status::running) {
        ++num_pauses;
        CHECK(bound <= paused->bound());
        bound = paused->bound();
        if (expected.cost) CHECK(bound <= *expected.cost);
        CHECK(!paused->outcome().cost);
      }
      const InformedOutcome a = whole->outcome(), b = paused->outcome();
      CHECK(a.status == expected.status && a.cost == expected.cost && b.status == a.status && b.cost == a.cost);
      CHECK(a.plan == b.plan && a.num_expanded == b.num_expanded && a.num_generated == b.num_generated);
      CHECK(paused->advance(control, {}) == b.status && paused->outcome().plan == b.plan);
      if (a.cost) CHECK(paused->bound() == *a.cost && task.replays(b));
    }
  }
  CHECK(num_pauses > 2000);
}

// The plan of a weighted search costs at most the weight times the minimum, and its bound is a lower bound.
void a_weighted_search_keeps_its_guarantee() {
  std::mt19937 random(13);
  int num_dearer = 0, num_fewer = 0, num_solved = 0;
  for (int i = 0; i < 300; ++i) {
    const auto [walk, push] = kCosts[random() % std::size(kCosts)];
    const Task task = random_room(random, walk, push, 5);
    const Outcome expected = task.search(false);
    const Problem problem = task.problem();
    const CostTable costs = task.costs();
    const Found plain = astar(problem, costs, hints_of(task), {});
    for (const Weight weight : {Weight{3, 2}, Weight{2, 1}, Weight{5, 1}, Weight{100, 1}}) {
      const Found found = astar(problem, costs, hints_of(task), {}, {.weight = weight});
      CHECK(found.status == expected.status && found.cost.has_value() == expected.cost.has_value());
      if (!expected.cost) continue;
      ++num_solved;
      CHECK(task.replays(found) && found.lower_bound <= *expected.cost && *expected.cost <= *found.cost);
      CHECK(*found.cost * weight.denominator <= found.lower_bound * weight.numerator);
      num_dearer += *found.cost > *expected.cost;
      num_fewer += found.num_expanded < plain.num_expanded;
    }
  }
  CHECK(num_solved > 500 && num_dearer > 50 && num_fewer > 200);
}

void what_does_not_apply_is_refused() {
  const Task task = tasks::tiles(3, 3, {0, 8, 7, 6, 5, 4, 3, 2, 1});
  const Problem problem = task.problem();
  const CostTable costs = task.costs();
  const InformedProblem informed(problem, costs, {});
  const auto is_refused = [&](const SearchOptions& options) {
    try {
      make_search(informed, {}, options);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  CHECK(!is_refused({.weight = {3, 2}}));
  CHECK(is_refused({.weight = {2, 3}}));
  CHECK(is_refused({.weight = {1, 0}}));
  CHECK(is_refused({.threads = 2, .weight = {3, 2}}));
  CHECK(is_refused({.algorithm = Algorithm::ida_star, .weight = {3, 2}}));
  CHECK(is_refused({.algorithm = Algorithm::both_ends}));
}

void a_limit_with_local_pdbs_leaves_a_lower_bound() {
  std::mt19937 random(11);
  for (int i = 0; i < 50; ++i) {
    const Task task = random_room(random, 0, 1, 4);
    const Outcome expected = task.search(false);
    if (!expected.cost) continue;
    const Found found = astar(task.problem(), task.costs(), hints_of(task), {.seconds = 0},
                                     {.has_both_ends = true, .has_local_pdbs = true, .local_pdbs_from = 0});
    CHECK(found.status == Status::time && found.lower_bound <= *expected.cost);
  }
}

const check::Suite suite("informed", [] {
  where_the_memory_of_astar_ends_ida_goes_on();
  deadlocks_of_few_pieces_are_found_and_change_no_minimum();
  threads_find_the_minimum_and_the_same_plan_each_time();
  threads_share_patterns_and_memory();
  a_checkpoint_resumes_with_any_number_of_parts();
  changed_checkpoints_are_refused();
  a_team_finishes_each_step_and_rethrows_exceptions();
  informed_searches_find_the_minimum_of_random_rooms();
  both_ends_find_the_minimum_of_random_rooms();
  a_limit_of_both_ends_leaves_a_lower_bound();
  both_ends_are_not_begun_at_where_that_cannot_be();
  a_search_that_pauses_often_finds_and_counts_the_same();
  a_weighted_search_keeps_its_guarantee();
  what_does_not_apply_is_refused();
  local_pdbs_change_no_minimum_of_random_rooms();
  a_limit_with_local_pdbs_leaves_a_lower_bound();
});

}  // namespace
