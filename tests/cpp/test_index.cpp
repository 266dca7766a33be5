// Tests the numbers of states, marks, and searches in an index.
#include <chrono>
#include <cstdio>
#include <map>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "check.hpp"
#include "index/part.hpp"
#include "index/rangewise_image.hpp"
#include "numberings.hpp"
#include "state/threads.hpp"

using namespace fewest;
using tasks::Numbered;
using tasks::Task;

namespace {

IndexOptions exhaustive(bool goal_distances = false) {
  IndexOptions options;
  options.limits.exhaust = true;
  options.goal_distances = goal_distances;
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
    options.limits.threads = exhaust ? 2 : 1;
    options.limits.states_per_thread = 10;
    const IndexOutcome index = search_index(task, numbered, options);
    CHECK(index.cost == table.cost && index.lower_bound == task.search(exhaust).lower_bound);
    if (table.cost) CHECK(task.replays(index));
    if (!exhaust) continue;
    CHECK(index.status == Status::exhausted);
    CHECK(index.num_states == table.num_states);
  // The search with a table skips redundant runs, so it generates fewer states.
  CHECK(index.num_generated == table.num_generated ||
        (!task.run_fact.empty() && index.num_generated > table.num_generated));
    CHECK(index.num_goal_states == table.num_goal_states && index.layers == table.layers);
  }
}

// Applies every operator to every state, and compares the results with those of the transducer, which processes whole
// ranges.
void what_is_moved_is_what_operators_move(const Task& task, const Numbered& numbered) {
  const Problem problem = task.problem();
  const Numbering& numbering = numbered.numbering;
  std::map<FactSet, Number> number_of;
  for (std::size_t i = 0; i < numbered.states.size(); ++i) number_of[numbered.states[i]] = i;
  const Diagram diagram(numbering);
  for (const auto reading : {Reading::forward, Reading::backward}) {
    auto transducer = operators_as_transducer(problem, numbering, reading);
    CHECK(transducer.has_value());
    if (!transducer) return;
    Budget budget;
    MarkPlanes marks(budget), expected(budget);
    CHECK(marks.allocate(numbering.size) && expected.allocate(numbering.size));
    std::uint64_t marked = 0, generated = 0;
    for (Number n = 0; n < numbering.size; n += 1 + n % 3) {
      marks.mark(n, Mark::out), expected.mark(n, Mark::out);
    }
    marks.advance(), expected.advance();
    expected.for_each_now([&](Number n) {
      for (std::size_t op = 0; op < problem.operators.count; ++op) {
        FactSet s = numbered.states[n], after = s;
        bool holds = true;
        for (int i = 0; i < problem.words; ++i) {
          const std::size_t at = op * problem.words + i;
          const Word value = problem.operators.value[at] ^ (reading == Reading::forward ? 0 : problem.flip[at]);
          holds = holds && (s[i] & problem.operators.mask[at]) == value;
          after[i] ^= problem.flip[at];
        }
        const auto found = number_of.find(after);
        if (!holds || found == number_of.end()) continue;
        ++generated;
        marked += expected.mark(found->second, Mark::out);
      }
      return true;
    });
    RangewiseImage sweep(diagram, std::move(*transducer), {2, 1});
    CHECK(sweep.move(marks, Mark::out, Number{1} << 20, [](Number, double) { return true; }) == marked);
    std::size_t wrong = 0;
    for (Number n = 0; n < numbering.size; ++n) wrong += marks[n] != expected[n];
    CHECK(wrong == 0);
    marks.advance(), marks.advance(), expected.clear();
    for (Number n = 0; n < numbering.size; n += 1 + n % 3) expected.mark(n, Mark::out);
    expected.advance(), expected.advance();
    CHECK(sweep.num_generated(expected) == generated);
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
    what_is_moved_is_what_operators_move(small, numbered);
  }
  const IndexOutcome outcome = search_index(small, tasks::number(small), exhaustive(true));
  CHECK(outcome.cost == PackedCost{21} && outcome.num_states == 360);
  CHECK(outcome.has_distances && outcome.num_dead == 0);
  // All moves are reversible, so the distance from a state to a single goal state equals the distance from the goal
  // state to it.
  CHECK(outcome.goal_distances.size() == 22 && outcome.goal_distances[21].second == 1);
  CHECK(outcome.hardest == small.initial);
  const Task swapped = tasks::tiles(2, 3, {2, 1, 3, 4, 5, 0});
  const IndexOutcome none = search_index(swapped, tasks::number(swapped), exhaustive(true));
  CHECK(!none.cost && none.status == Status::exhausted && none.num_dead == 360);
  CHECK(none.has_distances && none.goal_distances.empty() && none.hardest.empty());
}

void towers_and_pieces_alike() {
  const Task towers = tasks::hanoi(5);
  check_all(towers, tasks::number(towers));
  check_all(towers, tasks::number(towers, -1, 3));
  what_is_moved_is_what_operators_move(towers, tasks::number(towers, -1, 2));
  for (const bool merges : {false, true}) {
    const Task few = tasks::path(12, {0, 1}, {10, 11}, merges);
    check_all(few, tasks::number(few, 2, 4));
    what_is_moved_is_what_operators_move(few, tasks::number(few, 2, 4));
    const Task wide = tasks::path(70, {0, 1}, {69}, merges);  // each state and each code takes two words
    check_all(wide, tasks::number(wide, 2, 1));
    const Task free = tasks::path(9, {0, 4}, {8}, merges);  // all reachable states have two pieces
    check_all(free, tasks::number(free));
    what_is_moved_is_what_operators_move(free, tasks::number(free));
  }
}

void a_box_that_cannot_come_back() {
  Task moves = tasks::warehouse(3, 4, 0, 5, 7, 1, 1);
  const Numbered numbered = tasks::number(moves, 1, 3);
  check_all(moves, numbered);
  what_is_moved_is_what_operators_move(moves, numbered);
  const IndexOutcome outcome = search_index(moves, numbered, exhaustive(true));
  CHECK(outcome.has_distances && outcome.num_dead > 0);
  std::uint64_t all = outcome.num_dead;
  for (const auto& [distance, states] : outcome.goal_distances) all += states;
  CHECK(all == outcome.num_states && outcome.goal_distances[0].second == outcome.num_goal_states);
  moves.forbid({12 + 6});  // the box must not be in the cell before its target
  check_all(moves, numbered);
}

// The layers are wide enough for two threads. The layers are computed by words and state by state, in both directions.
void threads_find_what_one_finds() {
  const Task tiles = tasks::tiles(2, 4), forbidding = [] {
    Task task = tasks::tiles(2, 4);
    task.forbid({0, 15});  // two pieces at opposite ends
    return task;
  }();
  for (const Task* task : {&tiles, &forbidding}) {
    const Numbered numbered = tasks::number(*task);
    IndexOptions one = exhaustive(true), two = one;
    two.limits.threads = 2;
    two.limits.states_per_thread = 10;
    const IndexOutcome alone = search_index(*task, numbered, one), both = search_index(*task, numbered, two);
    CHECK(alone.layers == both.layers && alone.num_generated == both.num_generated && alone.plan == both.plan);
    CHECK(alone.goal_distances == both.goal_distances && alone.num_dead == both.num_dead && alone.hardest == both.hardest);
    CHECK(alone.num_states > 1000);
  }
}

// Tile moves are reversible, so layer d of a search from the goals contains the states at goal distance d. A search
// that a limit interrupts in many places resumes from its file and finds the same layers. The limit grows until a layer
// is complete, so the number of rounds hardly depends on the speed of the machine.
void layers_from_all_goals() {
  const Task tiles = tasks::tiles(2, 4, {2, 1, 4, 3, 5, 6, 7, 0});
  const Numbered numbered = tasks::number(tiles);
  IndexOptions options = exhaustive();
  options.plan = false;
  options.from_goals = true;
  const IndexOutcome whole = search_index(tiles, numbered, options);
  CHECK(whole.layers == search_index(tiles, numbered, exhaustive(true)).goal_distances);
  CHECK(whole.status == Status::exhausted && whole.num_states == 20160 && whole.num_goal_states == 1);
  CHECK(whole.farthest.size() == whole.layers.back().second);
  options.file = "layers_from_all_goals.marks";
  std::remove(options.file.c_str());
  IndexOutcome part = whole;
  std::size_t rounds = 0, layers = 0;
  options.limits.seconds = 2e-5;
  do {
    part = search_index(tiles, numbered, options);
    CHECK(std::equal(part.layers.begin(), part.layers.end(), whole.layers.begin()));
    options.limits.seconds *= part.layers.size() > layers ? 0.8 : 1.25;
    layers = part.layers.size();
  } while (part.status == Status::time && ++rounds < 100000);
  CHECK(part.status == Status::exhausted && part.layers == whole.layers && part.farthest == whole.farthest);
  CHECK(rounds > 10);
  std::remove(options.file.c_str());
}

void pieces_are_each_done_once() {
  Pool pool;
  CHECK(!in_pieces(pool, 9, 1, [](std::size_t, std::size_t) {}, [](std::size_t begun) { return begun < 8; }));
  CHECK(in_pieces(pool, 0, 3, [](std::size_t, std::size_t) { CHECK(false); }, [](std::size_t) { return true; }));
  const auto on = [](std::size_t begun) {
    CHECK(begun < 100);
    return true;
  };
  for (const std::size_t threads : {1, 3, 2}) {
    std::vector<std::atomic<int>> done(100);
    const auto count = [&](std::size_t thread, std::size_t i) { done[i] += thread < threads ? 1 : 9; };
    CHECK(in_pieces(pool, 100, threads, count, on));
    CHECK(std::all_of(done.begin(), done.end(), [](const auto& times) { return times == 1; }));
    std::string said;
    try {
      const auto fail = [](std::size_t, std::size_t i) { if (i == 7) throw std::runtime_error("seven"); };
      in_pieces(pool, 100, threads, fail, on);
    } catch (const std::runtime_error& error) {
      said = error.what();
    }
    CHECK(said == "seven");
  }
}

// Most of these jobs end before all threads have started. During the pauses, the other threads sleep.
void a_pool_does_job_after_job() {
  Pool pool;
  std::uint64_t sum = 0;
  for (int job = 0; job < 20'000; ++job) {
    if (job % 4000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::vector<std::uint64_t> own(4);
    std::atomic<int> left = job % 3;
    pool.run(1 + job % 4, [&](std::size_t thread) {
      do ++own.at(thread);
      while (left-- > 0);
    });
    sum += std::accumulate(own.begin(), own.end(), std::uint64_t{0});
    CHECK(own[0] > 0);
  }
  CHECK(sum >= 20'000);
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
  MarkPlanes marks(budget);
  CHECK(marks.allocate(100000) && budget.used() >= 25000 && budget.used() < 26000);
  CHECK(marks.num_blocks() == 25);
  CHECK(!marks.advance());
  for (Number n : {0, 31, 32, 16383, 16384, 99999}) CHECK(marks.mark(n, Mark::out));
  CHECK(!marks.mark(31, Mark::out) && marks[31] == Mark::next);
  CHECK(marks.advance() && marks[31] == Mark::now && marks[30] == Mark::out);
  std::vector<Number> seen;
  marks.for_each_now([&](Number n) {
    seen.push_back(n);
    marks.mark(n == 99999 ? 5 : n + 1, Mark::out);
    return true;
  });
  CHECK(seen == std::vector<Number>{0, 31, 32, 16383, 16384, 99999});
  CHECK(marks.advance() && marks[31] == Mark::closed && marks[33] == Mark::now);
  CHECK(!marks.mark(31, Mark::out) && marks.mark(31, Mark::closed));
  CHECK(marks.advance(true) && marks[31] == Mark::now && marks[33] == Mark::out);
  CHECK(marks[0] == Mark::closed && !marks.advance(true));
  seen.clear();
  marks.for_each_closed([&](Number n) {
    seen.push_back(n);
    return seen.size() < 3;
  });
  CHECK(seen == std::vector<Number>{0, 32, 16383});
  marks.clear();
  CHECK(marks[0] == Mark::out && !marks.advance());
  // Tests words of marks, including words that cross a boundary.
  CHECK(marks.mark_all<Mark::out>(60, 0x8000000000000011u) == 3 && marks.mark_all<Mark::out>(60, 1) == 0);
  marks.advance();
  CHECK(marks.now(60, 64) == 0x8000000000000011u && marks.now(60, 5) == 0x11 && marks.now(64, 1) == 1);
  CHECK(marks.may_be_now(0, 61) && !marks.may_be_now(128, 4000) && !marks.may_be_now(8192, 99999));
  marks.advance();
  CHECK(marks.closed(61, 64) == 0x4000000000000008u && marks.mark_all<Mark::closed>(61, 8) == 1);
  CHECK(marks[64] == Mark::next && marks[60] == Mark::closed);
  CHECK(marks.may_be_closed(0, 61) && !marks.may_be_closed(8192, 99999));
  marks.clear();
  CHECK(marks[64] == Mark::out && marks[60] == Mark::out && !marks.may_be_closed(0, 99999));
}

// Returns the layers of a divided search, in which the parts work one after another.
std::vector<std::pair<PackedCost, std::uint64_t>> layers_by_parts(const Task& task, const Numbered& numbered,
                                                                  const std::vector<Number>& ends, bool backward) {
  const Problem problem = task.problem();
  const CostTable costs = task.costs();
  std::vector<std::unique_ptr<IndexPart>> parts;
  for (std::size_t i = 0; i < ends.size(); ++i)
    parts.push_back(make_part(problem, costs, numbered.numbering, numbered.numbering,
                              {.ends = ends, .part = i, .threads = 1 + i % 2, .memory = std::size_t{1} << 30,
                               .states_per_thread = 10}));
  for (const auto& part : parts) part->begin(parts[0]->start());
  std::vector<std::pair<PackedCost, std::uint64_t>> layers;
  for (;;) {
    Number width = 0;
    for (const auto& part : parts) width += part->advance(false);
    if (width == 0) return layers;
    layers.emplace_back(layers.size(), width);
    for (const auto& part : parts) CHECK(part->move(backward, false));
    for (std::size_t from = 0; from < parts.size(); ++from)
      for (std::size_t to = 0; to < parts.size(); ++to) {
        PackedWords bytes;
        parts[from]->take(to, ~std::size_t{0}, bytes);
        CHECK(parts[from]->num_waiting(to) == 0 && (from != to || bytes.empty()));
        parts[to]->receive(bytes.data(), bytes.size(), false);
      }
  }
}

void parts_find_what_the_whole_finds() {
  const Task tiles = tasks::tiles(2, 4);
  const Numbered numbered = tasks::number(tiles);
  const Number size = numbered.numbering.size;
  const auto layers = search_index(tiles, numbered, exhaustive()).layers;
  CHECK(size == 40320);
  for (const std::vector<Number>& ends :
       {std::vector<Number>{size}, {4096, size}, {0, 8192, 8192, 32768, size}, {36864, size, size}})
    for (const bool backward : {false, true}) CHECK(layers_by_parts(tiles, numbered, ends, backward) == layers);
  const auto is_refused = [&](std::vector<Number> ends, std::size_t part) {
    try {
      make_part(tiles.problem(), tiles.costs(), numbered.numbering, numbered.numbering,
                {.ends = std::move(ends), .part = part, .memory = std::size_t{1} << 30});
      return false;
    } catch (const std::invalid_argument&) {
      return true;
    }
  };
  CHECK(is_refused({4095, size}, 0) && is_refused({8192, 4096, size}, 0) && is_refused({4096}, 0));
  CHECK(is_refused({4096, size}, 2));
}

void words_are_packed_and_unpacked() {
  Outbox outbox({100, 200, 10000000}, 1 << 20);
  std::map<Number, Word> expected;
  Word bits = 1;
  for (Number word : {150, 199, 100, 199, 123456, 9999999, 150}) {
    bits = bits * 0x9E3779B97F4A7C15u + 1;
    outbox.add(word, bits);
    expected[word] |= bits;
  }
  outbox.flush();
  outbox.add(150, 8);
  expected[150] |= 8;
  outbox.flush();
  std::map<Number, Word> found;
  PackedWords bytes;
  outbox.take(0, 1000, bytes);
  CHECK(bytes.empty() && outbox.num_waiting(1) > 0);
  for (const std::size_t part : {1, 2}) {
    bytes.clear();
    outbox.take(part, 1000, bytes);
    for_each_word_in(bytes.data(), bytes.size(), [&](Number word, Word packed) {
      CHECK(part == (word < 200 ? 1u : 2u));
      found[word] |= packed;
    });
  }
  CHECK(found == expected);
  std::size_t refused = 0;
  for (std::size_t size = 1; size < bytes.size(); ++size) try {
      for_each_word_in(bytes.data(), size, [](Number, Word) {});
    } catch (const std::invalid_argument&) {
      ++refused;
    }
  CHECK(refused + 4 > bytes.size() && refused < bytes.size());  // only prefixes that end where a word ends are accepted
  const PackedWords endless(20, 255);
  try {
    for_each_word_in(endless.data(), endless.size(), [](Number, Word) {});
    CHECK(false);
  } catch (const std::invalid_argument&) {
  }
}

// A thread that adds words to a full outbox waits. The thread continues when words are taken or the outbox is
// cancelled.
void a_full_outbox_is_waited_for() {
  Outbox outbox({Number{1} << 40}, 1);
  std::atomic<Number> added = 0;
  std::thread adding([&] {
    for (; added < 1 << 18; ++added) outbox.add(added, 1);
  });
  const auto full = [&] {
    while (outbox.num_waiting(0) == 0) std::this_thread::yield();
  };
  full();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(added < 1 << 18);
  PackedWords bytes;
  outbox.take(0, 1, bytes);
  full();
  CHECK(added < 1 << 18);
  outbox.cancel();
  adding.join();
  CHECK(outbox.is_cancelled() && outbox.num_waiting(0) == 0);
}

const check::Suite suite("index", [] {
  tiles_of_all_orders();
  towers_and_pieces_alike();
  a_box_that_cannot_come_back();
  threads_find_what_one_finds();
  layers_from_all_goals();
  pieces_are_each_done_once();
  a_pool_does_job_after_job();
  refusals_and_limits();
  marks_go_from_layer_to_layer();
  parts_find_what_the_whole_finds();
  words_are_packed_and_unpacked();
  a_full_outbox_is_waited_for();
});

}  // namespace
