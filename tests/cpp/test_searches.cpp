#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>

#include "blind/breadth_first.hpp"
#include "check.hpp"
#include "tasks.hpp"

using namespace fewest;
using tasks::Facts;
using tasks::Task;

namespace {

std::string name(const Outcome& outcome) { return outcome.algorithm; }

void eight_tiles_have_their_known_numbers() {
  // There are 9!/2 states, and the two farthest states are at distance 31.
  const Task task = tasks::tiles(3, 3, {0, 8, 7, 6, 5, 4, 3, 2, 1});
  const Outcome outcome = task.search(true);
  CHECK(outcome.status == Status::exhausted);
  CHECK(name(outcome) == "bfs");
  CHECK(outcome.num_states == 181440);
  CHECK(outcome.num_expanded == 181440);
  CHECK(outcome.layers.back() == (std::pair<PackedCost, std::uint64_t>{31, 2}));
  CHECK(outcome.layers[0].second == 1 && outcome.layers[1].second == 2);
  CHECK(outcome.num_goal_states == 1);
  CHECK(outcome.cost.has_value() && *outcome.cost == outcome.plan.size());
  CHECK(task.replays(outcome));
  const Outcome first = task.search(false);
  CHECK(first.status == Status::goal && first.cost == outcome.cost && task.replays(first));
}

void hanoi_takes_two_to_the_n_minus_one() {
  for (int discs : {1, 3, 8}) {
    const Task task = tasks::hanoi(discs);
    const Outcome outcome = task.search(true);
    CHECK(outcome.num_states == static_cast<std::uint64_t>(std::pow(3, discs)));
    CHECK(outcome.cost == (PackedCost{1} << discs) - 1);
    CHECK(task.replays(outcome));
  }
}

// The same task with three cost structures: only pushes cost, all steps cost the same, and pushes cost more than walks.
void a_box_is_pushed() {
  // On 3 x 4 cells, the agent is in a corner and the box in the middle, two pushes from the right edge.
  const Task pushes = tasks::warehouse(3, 4, 0, 5, 7, 0, 1);
  const Outcome regions = pushes.search(true);
  CHECK(name(regions) == "bfs over regions");
  CHECK(regions.cost == PackedCost{2});
  CHECK(pushes.replays(regions));
  CHECK(pushes.replays(pushes.search(false)));
  const Task moves = tasks::warehouse(3, 4, 0, 5, 7, 1, 1);
  const Outcome steps = moves.search(true);
  CHECK(name(steps) == "bfs");
  CHECK(steps.cost == PackedCost{3});  // down to cell 4, then twice right: 0 -> 4 -> 5 -> 6
  CHECK(moves.replays(steps));
  const Task weighted = tasks::warehouse(3, 4, 0, 5, 7, 1, 5);
  const Outcome dijkstra = weighted.search(true);
  CHECK(name(dijkstra) == "dijkstra");
  CHECK(dijkstra.cost == PackedCost{11});
  CHECK(weighted.replays(dijkstra));
  for (const Outcome* outcome : {&steps, &dijkstra}) {
    CHECK(outcome->num_states == regions.num_states);
    CHECK(outcome->num_goal_states == regions.num_goal_states);
  }
  // The agent must also reach a goal cell.
  Task home = tasks::warehouse(3, 4, 0, 5, 7, 0, 1);
  home.goal_mask.clear();
  home.goal_value.clear();
  home.goal({12 + 7, 0});
  const Outcome back = home.search(true);
  CHECK(back.cost == PackedCost{2} && home.replays(back) && back.num_goal_states == 1);
  // A wide task: its packed states take two words.
  const Task wide = tasks::warehouse(9, 11, 0, 13, 18, 0, 1);
  const Outcome far = wide.search(true);
  CHECK(name(far) == "bfs over regions" && wide.replays(far));
}

void pieces_walk_any_distance_for_one() {
  const Task steps = tasks::path(12, {0, 1}, {10, 11}, false);
  const Outcome single = steps.search(true);
  CHECK(single.cost == PackedCost{20} && steps.replays(single));
  CHECK(single.num_states == 66);
  const Task walks = tasks::path(12, {0, 1}, {10, 11}, true);
  const Outcome runs = walks.search(true);
  CHECK(name(runs) == "bfs over runs");
  CHECK(runs.cost == PackedCost{2} && walks.replays(runs));
  CHECK(runs.num_states == 66);
  const Task wide = tasks::path(80, {0, 1}, {79}, true);
  const Outcome far = wide.search(true);
  CHECK(far.cost == PackedCost{1} && wide.replays(far));
  CHECK(far.num_states == 80 * 79 / 2);
}

void a_key_of_no_fact_goes_on_from_anywhere() {
  // A counter modulo 7 with one run key: any number of steps is one run.
  Task task(7);
  for (int i = 0; i < 7; ++i) task.op({i}, {(i + 1) % 7}, {i, (i + 1) % 7}, 3, 0, 0);
  task.run_fact = {kNoFact};
  task.start({0});
  task.goal({5});
  const Outcome outcome = task.search(true);
  CHECK(outcome.num_states == 7);
  CHECK(outcome.layers.size() == 2 && outcome.layers[1].second == 6);
  CHECK(outcome.plan.size() == 5);
}

void limits_are_outcomes() {
  const Task task = tasks::tiles(3, 4);
  const Outcome memory = task.search(true, 3000000);
  CHECK(memory.status == Status::memory);
  CHECK(memory.bytes <= 3000000);
  CHECK(memory.num_states > 3000000 / 17);
  CHECK(memory.lower_bound > 15 && !memory.cost);
  CHECK(task.search(true, 1).status == Status::memory);
  const Outcome time = task.search(true, ~std::size_t{0}, 0.2);
  CHECK(time.status == Status::time);
  CHECK(time.seconds >= 0.2);
  CHECK(time.lower_bound + 1 >= time.layers.size());
  const Task weighted = tasks::warehouse(9, 11, 0, 13, 98, 1, 5);
  const Outcome small = weighted.search(true, 100000);
  CHECK(small.status == Status::memory && small.bytes <= 100000);
  CHECK(weighted.search(true, ~std::size_t{0}, 0).status == Status::time);
  const Task regions = tasks::warehouse(9, 11, 0, 13, 98, 0, 1);
  CHECK(regions.search(true, 100).status == Status::memory);
}

// On one or several threads, the table is divided from the first layer on or from a later layer on. The results equal
// those of an undivided table.
void a_search_in_parts_finds_the_same() {
  const Task regions = tasks::warehouse(6, 7, 0, 16, 41, 0, 1);
  Task runs = tasks::tiles(2, 4, {0, 7, 6, 5, 4, 3, 2, 1});  // a line of steps of one tile costs one
  for (std::size_t op = 0; op < runs.index_fact.size(); ++op) {
    runs.run_in[op] = runs.index_fact[op];
    for (FactId fact = 0; fact < runs.num_facts; ++fact)
      if (has(&runs.flip[op * runs.words], fact) && fact != runs.index_fact[op])
        runs.run_out[op] = fact;
  }
  for (FactId fact = 0; fact < runs.num_facts; ++fact) runs.run_fact.push_back(fact);
  // A search in parts does not skip redundant runs.
  const Task searched[] = {tasks::tiles(2, 4, {0, 7, 6, 5, 4, 3, 2, 1}), tasks::hanoi(7), regions, runs};
  for (const Task& task : searched) {
    const Outcome whole = task.search(true);
    CHECK(task.replays(whole));
    for (const auto& [split_from, threads] :
         std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}, {1000, 1}, {1, 2}, {1000, 3}}) {
      Options options;
      options.split_from = split_from;
      options.threads = threads;
      options.states_per_thread = 1;
      const Outcome first = task.search(options);
      CHECK(first.status == Status::goal && first.cost == whole.cost && task.replays(first));
      options.exhaust = true;
      const Outcome all = task.search(options);
      CHECK(all.status == Status::exhausted && all.cost == whole.cost && task.replays(all));
      CHECK(all.layers == whole.layers && all.num_states == whole.num_states);
      CHECK(all.num_goal_states == whole.num_goal_states);
      CHECK(all.num_expanded == whole.num_expanded);
      CHECK(all.num_generated == whole.num_generated || (&task == &searched[3] && all.num_generated > whole.num_generated));
      CHECK(all.plan == whole.plan);
    }
  }
}

// Pieces on a ring of cells with barriers. The key of each step depends on the cell, or on the cell and the direction,
// or is random. Some steps and some keys are missing.
Task random_runs(std::mt19937& random, int manner) {
  const auto chance = [&](int in) { return random() % in == 0; };
  const int cells = 5 + random() % 3, pieces = 2 + random() % 2;
  Task task(pieces * cells);
  const int kinds = manner == 0 ? 1 : 2;
  for (FactId fact = 0; fact < task.num_facts; ++fact)
    for (int kind = 0; kind < kinds; ++kind) task.run_fact.push_back(manner == 2 && chance(9) ? kNoFact : fact);
  for (int piece = 0; piece < pieces; ++piece)
    for (int a = 0; a < cells; ++a)
      for (int sense : {1, 2}) {
        if (chance(manner == 0 ? 7 : 12)) continue;
        const int b = (a + (sense == 1 ? 1 : cells - 1)) % cells, from = piece * cells + a, to = piece * cells + b;
        Facts is_true{from}, is_false;
        for (int other = 0; other < pieces; ++other)
          if (other != piece) is_false.push_back(other * cells + b);
        if (chance(5)) is_true.push_back((piece + 1) % pieces * cells + random() % cells);
        RunKey in = from * kinds + (sense - 1) % kinds, out = to * kinds + (sense - 1) % kinds;
        if (manner == 2 && chance(4)) in = chance(2) ? kNoRun : from * kinds + random() % kinds;
        if (manner == 2 && chance(4)) out = chance(2) ? kNoRun : random() % task.run_fact.size();
        task.op(is_true, is_false, {from, to}, 1, in, out);
      }
  for (int piece = 0; piece < pieces; ++piece) task.start({piece * cells + piece});
  if (chance(3)) task.forbid({static_cast<FactId>(random() % cells), static_cast<FactId>(cells + random() % cells)});
  return task;
}

void runs_that_are_covered_are_not_missed() {
  std::mt19937 random(3);
  int spared[3] = {};
  for (int number = 0; number < 900; ++number) {
    const int manner = number % 3;
    const Task task = random_runs(random, manner);
    Options all;
    all.exhaust = true;
    const Outcome outcome = task.search(all);
    all.split_from = 1;
    const Outcome unspared = task.search(all);
    CHECK(outcome.layers == unspared.layers);
    CHECK(outcome.num_generated <= unspared.num_generated);
    spared[manner] += outcome.num_generated < unspared.num_generated;
  }
  CHECK(spared[0] > 250);
  CHECK(spared[1] > 100);
  CHECK(spared[2] > 5);
}

void plans_pass_through_states_that_wait() {
  for (const FactId goal : {4, 40, 79}) {
    const Task task = tasks::path(80, {0, 1, 2}, {goal}, true);
    Options options;
    options.split_from = 1;
    const Outcome outcome = task.search(options);
    CHECK(outcome.status == Status::goal && task.replays(outcome));
  }
}

// `facts` contains the image of each fact. The group consists of this permutation and the identity.
void check_by_symmetry(const Task& task, Facts facts, std::uint64_t canonical_states) {
  Facts both(facts.size());
  std::iota(both.begin(), both.end(), 0);
  both.insert(both.end(), facts.begin(), facts.end());
  const Outcome plain = task.search(true);
  for (std::size_t split_from : {1, 1000000}) {
    Options options;
    options.split_from = split_from;
    const Symmetry mirror{2, both.data(), true};
    const Outcome first = task.search(options, &mirror);
    CHECK(first.cost == plain.cost && task.replays(first));
    options.exhaust = true;
    const Outcome all = task.search(options, &mirror);
    CHECK(all.cost == plain.cost && task.replays(all) && all.layers == plain.layers);
    CHECK(all.num_states == plain.num_states && all.num_goal_states == plain.num_goal_states);
    CHECK(all.canonical_states == canonical_states && all.orbit_states == plain.num_states);
  }
}

void orbits_count_as_many_as_they_are() {
  // Two pieces on a path of 12, from its ends to its middle: 66 states; 6 of them are their own mirror images.
  Facts turned;
  for (FactId cell = 0; cell < 12; ++cell) turned.push_back(11 - cell);
  for (bool runs : {false, true})
    check_by_symmetry(tasks::path(12, {0, 11}, {5, 6}, runs), turned, (66 + 6) / 2);
  // A box in the middle column of a room with five columns. Either all steps have a cost, or only pushes.
  Facts mirrored;
  for (FactId fact = 0; fact < 2 * 15; ++fact) mirrored.push_back(fact / 5 * 5 + 4 - fact % 5);
  const Task steps = tasks::warehouse(3, 5, 2, 7, 12, 1, 1);
  const std::uint64_t states = steps.search(true).num_states;
  // A state with the agent and the box in the middle column is its own image; 3 * 2 such states are reachable.
  check_by_symmetry(steps, mirrored, (states + 6) / 2);
  const Task pushes = tasks::warehouse(3, 5, 2, 7, 12, 0, 1);
  const Outcome plain = pushes.search(true);
  Options options;
  options.exhaust = true;
  Facts both(mirrored.size());
  std::iota(both.begin(), both.end(), 0);
  both.insert(both.end(), mirrored.begin(), mirrored.end());
  const Symmetry mirror{2, both.data(), true};
  const Outcome regions = pushes.search(options, &mirror);
  CHECK(name(regions) == "bfs over regions" && regions.layers == plain.layers);
  CHECK(regions.num_states == states && pushes.replays(regions));
  // Weighted moves need Dijkstra's algorithm, which does not support symmetry.
  const Task weighted = tasks::warehouse(3, 5, 2, 7, 12, 1, 5);
  bool is_refused = false;
  try {
    weighted.search(options, &mirror);
  } catch (const UnusedSymmetry&) {
    is_refused = true;
  }
  CHECK(is_refused);
}

void parts_share_the_memory() {
  const Task task = tasks::tiles(3, 4);
  Options options;
  options.exhaust = true;
  options.split_from = 5000;
  options.memory = 12000000;
  for (std::size_t threads : {1, 2}) {
    options.threads = threads;
    const Outcome outcome = task.search(options);
    CHECK(outcome.status == Status::memory);
    CHECK(outcome.bytes <= options.memory);
    CHECK(outcome.num_states > options.memory / 17);
    CHECK(outcome.lower_bound > 15 && !outcome.cost);
  }
}

void a_host_is_polled_and_may_stop_or_throw() {
  struct Counting final : Host {
    bool poll(const Snapshot& snapshot, bool report) override {
      ++polls;
      reports += report;
      grows = grows && snapshot.num_states >= states;
      states = snapshot.num_states;
      if (throws) throw std::runtime_error("from the host");
      return polls == 5;
    }
    int polls = 0, reports = 0;
    std::uint64_t states = 0;
    bool grows = true, throws = false;
  };
  const Task task = tasks::tiles(3, 4);
  Options options;
  options.exhaust = true;
  options.split_from = 5000;
  options.states_per_thread = 1;
  for (std::size_t threads : {1, 2}) {
    Counting host;
    options.host = &host;
    options.threads = threads;
    // The first report depends on when the search was constructed. On a busy machine, this can be long before the first
    // time slice, with which `outcome.seconds` begins.
    const auto before = std::chrono::steady_clock::now();
    const Outcome outcome = task.search(options);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - before;
    CHECK(outcome.status == Status::interrupted);
    CHECK(host.polls == 5 && host.grows);
    CHECK(host.reports * 0.1 <= seconds.count());
    host.throws = true;
    bool thrown = false;
    try {
      task.search(options);
    } catch (const std::runtime_error&) {
      thrown = true;
    }
    CHECK(thrown);
  }
}

void ends_of_the_range() {
  Task still(1);  // this task has no operators
  still.start({0});
  CHECK(still.search(true).num_states == 1);
  CHECK(still.search(false).status == Status::exhausted);
  still.goal({0});
  const Outcome at_once = still.search(false);
  CHECK(at_once.status == Status::goal && at_once.cost == PackedCost{0} && at_once.plan.empty());
  Task none(0);
  CHECK(none.search(true).num_states == 1);
  // Sums of these costs exceed the supported range.
  Task dear(2);
  dear.start({0});
  dear.op({0}, {1}, {0, 1}, std::numeric_limits<std::int64_t>::max());
  dear.op({1}, {0}, {0, 1}, std::numeric_limits<std::int64_t>::max() - 1);
  Task dearer = dear;
  dearer.num_facts = 3;
  dearer.op({0}, {2}, {2}, std::numeric_limits<std::int64_t>::max());
  CHECK(dear.search(true).num_states == 2);
  bool thrown = false;
  try {
    Task far(5);
    far.start({0});
    for (int i = 0; i < 4; ++i)
      far.op({i}, {i + 1}, {i, i + 1}, std::numeric_limits<std::int64_t>::max() - i);
    far.search(true);
  } catch (const std::overflow_error&) {
    thrown = true;
  }
  CHECK(thrown);
  // If the states of this task cannot be packed, they take more words than the compiled widths support.
  Task huge(2000);
  huge.start({0});
  bool refused = false;
  try {
    huge.search(true);
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
  tasks::Facts all;
  for (int i = 0; i < 2000; ++i) all.push_back(i);
  huge.exactly_one = {all};
  huge.op({0}, {1999}, {0, 1999});
  CHECK(huge.search(true).num_states == 2);
}

// A tree of states. Below some depth, the expansion of a state ends only at a limit. `endless` is set when such an
// expansion begins.
class EndlessExpansions final : public Expander<1, NoExtra> {
 public:
  EndlessExpansions(std::size_t bytes, std::atomic<bool>& endless) : bytes_(bytes), endless_(endless) {}
  const char* algorithm() const override { return "endless"; }
  std::unique_ptr<Expander<1, NoExtra>> copy() const override { return std::make_unique<EndlessExpansions>(*this); }
  State<1> start(const State<1>& initial, NoExtra&) override { return initial; }
  void expand(const State<1>& s, Successors<1, NoExtra>& out) override {
    while (s.w[0] > 1000) {
      endless_ = true;
      check_limit(bytes_);
    }
    for (Word child = 1; child <= 4; ++child) out.push({{4 * s.w[0] + child}}, {});
  }
  std::vector<OperatorId> plan(const Layers<1>&, const State<1>&, std::size_t) override { return {}; }

 private:
  Count weigh(const State<1>&, const NoExtra&) override { return {1, 0}; }

  std::size_t bytes_;
  std::atomic<bool>& endless_;
};

// Stops the search at the first poll during an endless expansion.
class InterruptingHost final : public Host {
 public:
  explicit InterruptingHost(const std::atomic<bool>& endless) : endless_(endless) {}
  bool poll(const Snapshot&, bool) override { return endless_; }

 private:
  const std::atomic<bool>& endless_;
};

void limits_hold_during_an_expansion() {
  for (const std::size_t threads : {1, 3}) {
    Options options;
    options.threads = threads;
    options.states_per_thread = 1;
    if (threads > 1) options.split_from = 1;
    std::atomic<bool> endless = false;
    const auto status = [&](std::size_t bytes, TimeSlice slice) {
      endless = false;
      auto expander = std::make_unique<EndlessExpansions>(bytes, endless);
      const std::unique_ptr<LayeredSearch> search =
          std::make_unique<BreadthFirst<1, NoExtra>>(std::move(expander), State<1>{{0}}, options);
      const Status found = search->advance(slice);
      const Outcome outcome = search->outcome();
      // 1 + 4 + ... + 4^5 states are reached before the first endless expansion.
      if (endless) CHECK(outcome.lower_bound == 6 && outcome.num_states >= 1365);
      return found;
    };
    // On a busy machine, a short time limit ends the search before the first endless expansion.
    for (double seconds = 0.05; !endless && seconds < 60; seconds *= 2)
      CHECK(status(0, {.seconds = seconds}) == Status::time);
    CHECK(endless);
    InterruptingHost host(endless);
    CHECK(status(0, {.host = &host}) == Status::interrupted);
    CHECK(endless);
    options.memory = std::size_t{1} << 30;
    CHECK(status(std::size_t{1} << 40, {}) == Status::memory);
    CHECK(endless);
  }
}

const check::Suite suite("searches", [] {
  eight_tiles_have_their_known_numbers();
  hanoi_takes_two_to_the_n_minus_one();
  a_box_is_pushed();
  pieces_walk_any_distance_for_one();
  a_key_of_no_fact_goes_on_from_anywhere();
  limits_are_outcomes();
  a_search_in_parts_finds_the_same();
  runs_that_are_covered_are_not_missed();
  plans_pass_through_states_that_wait();
  orbits_count_as_many_as_they_are();
  parts_share_the_memory();
  a_host_is_polled_and_may_stop_or_throw();
  ends_of_the_range();
  limits_hold_during_an_expansion();
});

}  // namespace
