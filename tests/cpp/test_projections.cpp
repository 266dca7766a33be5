// Tests the projections and the backward search over them. If a projection relaxes nothing, its costs are exact.
#include <deque>
#include <map>
#include <numeric>
#include <random>

#include "check.hpp"
#include "distances.hpp"
#include "informed/backward_search.hpp"
#include "informed/pattern_projection.hpp"
#include "informed/piece_problem.hpp"
#include "informed/local_pdb_projection.hpp"
#include "rooms.hpp"

using namespace fewest;
using tasks::hints_of;
using tasks::random_room;
using tasks::Task;

namespace {

// States are numbers. `into[s]` contains the predecessors of s, and the costs of the steps from each predecessor to s.
struct Graph {
  using AbstractState = int;
  static constexpr unsigned kNever = ~0u;

  template <class Push>
  void goals(Push push) {
    push(0, 0);
    push(0, 1);
  }
  template <class Push>
  bool expand(int state, unsigned cost, Push push) {
    CHECK(cost >= last);
    last = cost;
    if (distance[state] != kNever) return true;
    if (num_expanded == most) return false;
    ++num_expanded;
    distance[state] = cost;
    for (const auto& [before, step] : into[state]) push(cost + step, before);
    return true;
  }

  std::vector<std::vector<std::pair<int, unsigned>>> into;
  std::vector<unsigned> distance = std::vector<unsigned>(into.size(), kNever);
  int most = 1 << 20, num_expanded = 0;
  unsigned last = 0;
};

Graph random_graph(std::mt19937& random) {
  const int size = 2 + static_cast<int>(random() % 30);
  std::vector<std::vector<std::pair<int, unsigned>>> into(size);
  for (unsigned i = 0; i < size * (random() % 4); ++i)
    into[random() % size].emplace_back(random() % size, random() % 6);
  return {into};
}

// Relaxes all steps until no distance changes.
std::vector<unsigned> relaxed(const Graph& graph) {
  std::vector<unsigned> distance(graph.into.size(), Graph::kNever);
  distance[0] = distance[1] = 0;
  for (bool any = true; any;) {
    any = false;
    for (std::size_t state = 0; state < graph.into.size(); ++state)
      for (const auto& [before, step] : graph.into[state])
        if (distance[state] != Graph::kNever && distance[state] + step < distance[before])
          distance[before] = distance[state] + step, any = true;
  }
  return distance;
}

void both_queues_give_the_cheapest_costs_of_random_graphs() {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    Graph buckets = random_graph(random), heap = buckets;
    BucketQueue<int> bucket_queue;
    HeapQueue<int> heap_queue;
    CHECK(backward_search(buckets, bucket_queue) && backward_search(heap, heap_queue));
    CHECK(buckets.distance == relaxed(buckets));
    CHECK(heap.distance == buckets.distance);
  }
}

void a_projection_stops_the_search() {
  std::mt19937 random(2);
  int num_stopped = 0;
  for (int i = 0; i < 500; ++i) {
    Graph whole = random_graph(random), part = whole;
    part.most = 3;
    BucketQueue<int> queue, other;
    CHECK(backward_search(whole, queue));
    const bool is_complete = backward_search(part, other);
    CHECK(is_complete == (whole.num_expanded <= 3) && part.num_expanded <= 3);
    num_stopped += !is_complete;
  }
  CHECK(num_stopped > 20);
}

bool is_goal(const Task& task, const FactSet& state) {
  for (std::size_t goal = 0; goal < task.goal_mask.size(); goal += task.words) {
    bool holds = true;
    for (int i = 0; i < task.words; ++i)
      holds = holds && (state[i] & task.goal_mask[goal + i]) == task.goal_value[goal + i];
    if (holds) return true;
  }
  return false;
}

// Returns the exact goal cost of every reachable state, computed without a projection; the cost is kInfiniteCost if no
// goal state is reachable.
std::map<FactSet, PackedCost> costs_to_goal(const Task& task) {
  const auto expander = make_expander(task.problem());
  std::map<FactSet, PackedCost> cost;
  std::map<FactSet, std::vector<std::pair<FactSet, PackedCost>>> before;
  std::vector<FactSet> queue;
  for (const FactSet& state : tasks::reachable(task)) {
    cost[state] = is_goal(task, state) ? 0 : kInfiniteCost;
    if (cost[state] == 0) queue.push_back(state);
    std::vector<Word> successors;
    std::vector<std::int64_t> parents;
    std::vector<OperatorId> operators;
    expander->expand(state.data(), 1, successors, parents, operators);
    for (std::size_t i = 0; i < operators.size(); ++i) {
      const auto at = successors.begin() + static_cast<std::ptrdiff_t>(i) * task.words;
      before[FactSet(at, at + task.words)].emplace_back(state, task.weight[operators[i]]);
    }
  }
  while (!queue.empty()) {
    const FactSet state = queue.back();
    queue.pop_back();
    for (const auto& [earlier, step] : before[state])
      if (cost[state] + step < cost[earlier]) {
        cost[earlier] = cost[state] + step;
        queue.push_back(earlier);
      }
  }
  return cost;
}

// Finds the state of a room in the form of informed searches. Returns false if a piece is in a place from which no goal
// can be reached.
bool find_state(const Pieces& pieces, const FactSet& facts, PieceCube& state) {
  state = {FactSet(pieces.words()), {}, -1};
  std::size_t num_found = 0, num_true = 0;
  for (std::size_t i = 0; i < pieces.places.size(); ++i)
    if (has(facts.data(), pieces.places[i])) state.place = static_cast<int>(i), ++num_found;
  for (int spot = 0; spot < pieces.num_spots(); ++spot)
    if (has(facts.data(), pieces.spots[spot])) add(state.true_spots.data(), spot), ++num_found;
  for (Word word : facts) num_true += std::popcount(word);
  return num_found == num_true;
}

void distances_of_a_piece_that_is_alone_are_exact() {
  std::mt19937 random(3);
  int num_exact = 0, num_far = 0, num_dead = 0;
  for (int i = 0; i < 40; ++i) {
    const Task task = random_room(random, 0, 1 + random() % 3, 1);
    const Problem problem = task.problem();
    const CostTable costs = task.costs();
    const PieceProblem prepared(problem, costs, hints_of(task));
    const Pieces& pieces = *prepared.pieces;
    if (!pieces.has_agent() || pieces.goals.empty() || pieces.goals[0].place >= 0) continue;
    for (const auto& [facts, cost] : costs_to_goal(task)) {
      PieceCube state;
      if (!find_state(pieces, facts, state)) {
        CHECK(cost == kInfiniteCost && ++num_dead > 0);
        continue;
      }
      std::vector<int> spots;
      for_each_fact(state.true_spots.data(), pieces.words(), [&](FactId spot) { spots.push_back(spot); });
      CHECK(prepared.bound->set(spots, state.place) == cost);
      ++num_exact;
      num_far += cost != kInfiniteCost && cost > 4;
    }
  }
  CHECK(num_exact > 1000 && num_far > 200 && num_dead > 200);
}

// A local PDB of the whole room relaxes nothing: its table contains the number of remaining pushes, or marks the state
// as dead.
void a_local_pdb_of_all_spots_is_exact() {
  std::mt19937 random(4);
  int num_exact = 0, num_dead = 0, num_far = 0;
  for (int i = 0; i < 20; ++i) {
    const Task task = random_room(random, 0, 1, 2);
    const Problem problem = task.problem();
    const CostTable costs = task.costs();
    const PieceProblem prepared(problem, costs, hints_of(task));
    const Pieces& pieces = *prepared.pieces;
    if (!pieces.has_agent() || pieces.goals.empty()) continue;
    LocalPdbBoard board{pieces, prepared.bound->table(0), {}, {}, {}};
    board.near_places.resize(pieces.num_places());
    for (int place = 0; place < pieces.num_places(); ++place)
      for (const Walk& walk : pieces.walks[place]) board.near_places[place].push_back(walk.to);
    for (const PieceMove& move : pieces.moves) {
      board.remaining_cost.push_back(static_cast<int>(move.cost));
      board.near_places[move.from].push_back(move.to);
    }
    int num_boxes = 0;
    for_each_fact(pieces.initial.data(), pieces.words(), [&](FactId) { ++num_boxes; });
    board.reachable.assign(num_boxes, std::vector<char>(pieces.num_spots(), 1));
    std::vector<int> spots(pieces.num_spots());
    std::iota(spots.begin(), spots.end(), 0);
    std::size_t num_filled = 0;
    const auto local_pdb = LocalPdbProjection::filled(board, spots, 1 << 20, num_filled);
    CHECK(local_pdb && local_pdb->num_states() == num_filled);
    if (!local_pdb) continue;
    if (num_filled > 1) CHECK(!LocalPdbProjection::filled(board, spots, num_filled - 1, num_filled));
    for (const auto& [facts, cost] : costs_to_goal(task)) {
      PieceCube state;
      if (!find_state(pieces, facts, state)) {
        CHECK(cost == kInfiniteCost);
        continue;
      }
      const int expected = cost == kInfiniteCost ? LocalPdbTable::kDead : static_cast<int>(cost);
      CHECK(local_pdb->detours(state) == expected);
      ++(cost == kInfiniteCost ? num_dead : num_exact);
      num_far += cost != kInfiniteCost && cost > 4;
      state.place = -1;
      CHECK(local_pdb->detours(state) <= expected);
    }
  }
  CHECK(num_exact > 1000 && num_dead > 200 && num_far > 200);
}

constexpr int kCells = 6;

// The least cost of reaching each state from the start, if only moves of these tiles have a cost.
std::map<FactSet, unsigned> costs_from_start(const Task& task, const std::vector<int>& tiles) {
  const auto expander = make_expander(task.problem());
  std::map<FactSet, unsigned> cost{{task.initial, 0}};
  std::deque<FactSet> waiting{task.initial};
  while (!waiting.empty()) {
    const FactSet state = waiting.front();
    waiting.pop_front();
    const unsigned here = cost[state];
    std::vector<Word> successors;
    std::vector<std::int64_t> parents;
    std::vector<OperatorId> operators;
    expander->expand(state.data(), 1, successors, parents, operators);
    for (std::size_t i = 0; i < operators.size(); ++i) {
      const FactSet next{successors[i]};
      const int tile = task.index_fact[operators[i]] / kCells + 1;
      const unsigned step = std::count(tiles.begin(), tiles.end(), tile) > 0;
      const auto known = cost.find(next);
      if (known != cost.end() && known->second <= here + step) continue;
      cost[next] = here + step;
      step == 0 ? waiting.push_front(next) : waiting.push_back(next);
    }
  }
  return cost;
}

// The table of a pattern with the gap contains the minimum over all places of the other tiles.
void patterns_with_the_gap_are_exact_and_without_it_no_higher() {
  const Task task = tasks::tiles(2, 3, {1, 2, 3, 4, 5, 0});
  Hints hints;
  hints.groups = task.exactly_one;
  const Problem problem = task.problem();
  const CostTable task_costs = task.costs();
  const PieceProblem prepared(problem, task_costs, hints);
  const Pieces& pieces = *prepared.pieces;
  const Gap gap(pieces, problem);
  CHECK(gap.exists && std::popcount(gap.cells) == kCells && pieces.groups.size() == 5);
  Gap none = gap;
  none.exists = false;
  none.cells = 1;
  none.covers.assign(none.covers.size(), 0);
  none.steps.assign(none.steps.size(), {});
  const std::vector<std::uint32_t> costs(pieces.moves.size(), 1);
  const PatternProjection<1>::StopCheck stop_check = [] { return Status::running; };
  const auto table_of = [&](const std::vector<int>& groups, const Gap& with) {
    PatternTable table;
    PatternProjection<1> projection(pieces, with, groups, costs, stop_check, table);
    BucketQueue<PatternProjection<1>::AbstractState> queue;
    CHECK(backward_search(projection, queue) && projection.status() == Status::running && !table.is_cut);
    return table.distance;
  };
  int num_lower = 0;
  for (unsigned set = 1; set < 32; ++set) {
    std::vector<int> groups, tiles;
    for (int g = 0; g < 5; ++g)
      if (set >> g & 1) {
        groups.push_back(g);
        tiles.push_back(pieces.spots[pieces.groups[g].spots[0]] / kCells + 1);
      }
    const PatternCodes codes(pieces, gap, groups);
    std::vector<std::uint8_t> expected(codes.size, PatternTable::kTooFar);
    for (const auto& [state, cost] : costs_from_start(task, tiles)) {
      std::uint32_t code = 0;
      for (int spot = 0; spot < pieces.num_spots(); ++spot)
        if (has(state.data(), pieces.spots[spot]) && codes.local[spot] >= 0) code += codes.term[codes.local[spot]];
      expected[code] = std::min(expected[code], static_cast<std::uint8_t>(cost));
    }
    CHECK(table_of(groups, gap) == expected);
    const std::vector<std::uint8_t> plain = table_of(groups, none);
    for (std::uint32_t code = 0; code < codes.size; ++code) {
      CHECK(plain[code] <= expected[code]);
      num_lower += plain[code] < expected[code];
    }
  }
  CHECK(num_lower > 100);
}

// The projection calls `stop_check` once every 4,096 placements.
void a_pattern_stops_on_request() {
  const Task task = tasks::tiles(3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 0});
  Hints hints;
  hints.groups = task.exactly_one;
  const Problem problem = task.problem();
  const CostTable task_costs = task.costs();
  const PieceProblem prepared(problem, task_costs, hints);
  const Gap gap(*prepared.pieces, problem);
  const std::vector<std::uint32_t> costs(prepared.pieces->moves.size(), 1);
  const std::vector<int> groups{0, 1, 2, 3, 4};
  int num_checks = 0;
  const PatternProjection<1>::StopCheck stop_check = [&] { return ++num_checks == 2 ? Status::time : Status::running; };
  PatternTable table;
  PatternProjection<1> projection(*prepared.pieces, gap, groups, costs, stop_check, table);
  BucketQueue<PatternProjection<1>::AbstractState> queue;
  CHECK(!backward_search(projection, queue) && num_checks == 2 && projection.status() == Status::time);
}

// A gap is recognised only if exactly one cell is empty and no move changes the number of empty cells.
void a_gap_is_one_that_every_move_keeps() {
  const auto has_gap = [](const Task& task) {
    const Problem problem = task.problem();
    const CostTable task_costs = task.costs();
    const PieceProblem prepared(problem, task_costs, {});
    return Gap(*prepared.pieces, problem).exists;
  };
  CHECK(has_gap(tasks::tiles(2, 2, {1, 2, 3, 0})));
  CHECK(has_gap(tasks::tiles(3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 0})));
  Task two = tasks::tiles(2, 3, {1, 2, 3, 4, 0, 0});
  remove(two.initial.data(), 4 * kCells + 4);  // this call removes the last tile
  CHECK(!has_gap(two));
  Task growing = tasks::tiles(2, 2, {1, 2, 3, 0});
  growing.op({0}, {}, {0});  // this move removes a tile
  CHECK(!has_gap(growing));
  CHECK(!has_gap(tasks::hanoi(3)));
}

const check::Suite suite("projections", [] {
  both_queues_give_the_cheapest_costs_of_random_graphs();
  a_projection_stops_the_search();
  distances_of_a_piece_that_is_alone_are_exact();
  a_local_pdb_of_all_spots_is_exact();
  patterns_with_the_gap_are_exact_and_without_it_no_higher();
  a_pattern_stops_on_request();
  a_gap_is_one_that_every_move_keeps();
});

}  // namespace
