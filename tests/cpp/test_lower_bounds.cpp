// Tests the parts of a lower bound on random rooms and random variables: areas, local PDBs, and PDBs for goals with
// several lists.
#include <algorithm>
#include <random>

#include "check.hpp"
#include "informed/local_pdb_heuristic.hpp"
#include "informed_stages.hpp"
#include "rooms.hpp"
#include "tasks.hpp"

using namespace fewest;
using stages::astar;
using stages::Found;
using tasks::Facts;
using tasks::hints_of;
using tasks::random_room;
using tasks::Task;

namespace {

// After any moves of pieces, the regions of the agent equal the results of a simple search.
void areas_are_what_can_be_walked_to() {
  std::mt19937 random(11);
  int num_areas = 0, num_looked_at = 0;
  for (int i = 0; i < 100; ++i) {
    const Task task = random_room(random, 0, 1, 6);
    const Problem problem = task.problem();
    const PieceProblem prepared(problem, task.costs(), hints_of(task));
    const Pieces& pieces = *prepared.pieces;
    if (!pieces.has_agent()) continue;
    const std::vector<int>& bit_of = prepared.numbers.bit_of;
    num_areas += prepared.numbers.num_bits < pieces.num_places();
    const PlaceGraph<4> graph(pieces, prepared.numbers);
    FactSet spots = pieces.initial;
    for (int moved = 0; moved < 10; ++moved) {
      std::vector<char> is_open(pieces.num_places(), 1);
      PlaceSet<4> open = graph.all();
      for_each_fact(spots.data(), pieces.words(), [&](FactId spot) {
        for (int place : pieces.blocks[spot]) {
          is_open[place] = 0;
          PlaceSet<4> one = zero_state<4>();
          insert(one, bit_of[place]);
          open = without(open, one);
        }
      });
      for (int from = 0; from < pieces.num_places(); ++from) {
        if (!is_open[from]) continue;
        std::vector<char> reached(pieces.num_places(), 0);
        std::vector<int> queue{from};
        reached[from] = 1;
        for (std::size_t at = 0; at < queue.size(); ++at)
          for (const Walk& walk : pieces.walks[queue[at]])
            if (is_open[walk.to] && !reached[walk.to]) reached[walk.to] = 1, queue.push_back(walk.to);
        const PlaceSet<4> region = graph.reach(bit_of[from], open);
        for (int to = 0; to < pieces.num_places(); ++to)
          CHECK(contains(region, bit_of[to]) == (reached[to] != 0));
        ++num_looked_at;
      }
      if (pieces.moves.empty()) break;
      const PieceMove& move = pieces.moves[random() % pieces.moves.size()];
      if (!has(spots.data(), move.deleted[0]) || has(spots.data(), move.added[0])) continue;
      remove(spots.data(), move.deleted[0]);
      add(spots.data(), move.added[0]);
    }
  }
  CHECK(num_areas > 20 && num_looked_at > 1000);
}

// On random walks, a move lowers the bound by at most the cost of the move, the bound is at most 0 in goal states, and
// the incrementally updated bound equals the recomputed bound.
void local_pdbs_are_consistent() {
  std::mt19937 random(10);
  int num_moves = 0, num_goals = 0, num_higher = 0, num_even = 0;
  for (int i = 0; i < 200; ++i) {
    const int push = 1 + random() % 2;
    const Task task = random_room(random, 0, push, 4);
    const Problem problem = task.problem();
    const PieceProblem prepared(problem, task.costs(), hints_of(task));
    const Pieces& pieces = *prepared.pieces;
    const PieceCube start{pieces.initial, {}, pieces.initial_place};
    const auto made = std::make_shared<LocalPdbs>(
        pieces, prepared.bound->table(0), 1, start,
        LocalPdbLimits{.spots = 2 + static_cast<int>(random() % 12), .states = 20 + random() % 400});
    LocalPdbs& local_pdbs = *made;
    if (!local_pdbs.apply()) continue;
    Control control{Options{}};
    CHECK(local_pdbs.build(control, {}) == Status::running);
    if (!local_pdbs.exist()) continue;
    LocalPdbHeuristic bound(local_pdbs), other(local_pdbs);
    PieceHeuristic with = *prepared.bound;
    with.use(made);
    for (int walk = 0; walk < 20; ++walk) {
      FactSet spots = pieces.initial;
      int place = pieces.initial_place;
      for (int step = 0; step < 20; ++step) {
        std::vector<int> now;
        for_each_fact(spots.data(), pieces.words(), [&](FactId spot) { now.push_back(spot); });
        const int before = bound.set(now, place);
        const PackedCost pieces_alone = prepared.bound->set(now, place), together = with.set(now, place);
        num_higher += together > pieces_alone;
        const auto is_in = [&](const PieceCube& goal) {
          return is_subset(goal.true_spots, spots) && (goal.place < 0 || goal.place == place);
        };
        if (is_in(pieces.goals[0])) CHECK(before <= 0 && ++num_goals > 0);
        const auto is_blocked = [&](int at) {
          return std::any_of(now.begin(), now.end(), [&](int spot) {
            return std::count(pieces.blocks[spot].begin(), pieces.blocks[spot].end(), at) > 0;
          });
        };
        std::vector<const PieceMove*> moves;
        for (const PieceMove& move : pieces.moves)
          if (move.from == place && is_subset(move.true_spots, spots) &&
              !intersects(move.false_spots.data(), spots.data(), pieces.words()))
            moves.push_back(&move);
        if (!moves.empty() && random() % 2) {
          const PieceMove& move = *moves[random() % moves.size()];
          const int after = bound.after(move.deleted[0], move.added[0], move.to);
          for (int spot : move.deleted) remove(spots.data(), spot);
          for (int spot : move.added) add(spots.data(), spot);
          place = move.to;
          now.clear();
          for_each_fact(spots.data(), pieces.words(), [&](FactId spot) { now.push_back(spot); });
          CHECK(after == other.set(now, place));
          CHECK(before <= after + static_cast<int>(move.cost));
          // On a board, every push changes the parity of the distance, so a bound of the wrong parity can be raised by
          // one.
          if (push == 1 && after < LocalPdbs::kUnreachable / 2) CHECK((before - after) % 2 != 0 && ++num_even > 0);
          ++num_moves;
        } else if (const auto& walks = pieces.walks[place]; !walks.empty()) {
          const int to = walks[random() % walks.size()].to;
          if (is_blocked(to)) continue;
          CHECK(bound.set(now, to) == before);
          place = to;
        }
      }
    }
  }
  CHECK(num_moves > 1000 && num_goals > 50 && num_higher > 50 && num_even > 500);
}

// A task with variables that have few values, moves that set one to three variables, and a goal with two or three
// lists.
Task random_variables(std::mt19937& random) {
  const int num_variables = 4 + random() % 3, num_values = 2 + random() % 2;
  Task task(num_variables * num_values);
  const auto fact = [&](int variable, int value) { return variable * num_values + value; };
  const auto some = [&] {
    std::vector<int> variables;
    for (int variable = 0; variable < num_variables; ++variable) variables.push_back(variable);
    std::shuffle(variables.begin(), variables.end(), random);
    return variables;
  };
  for (int variable = 0; variable < num_variables; ++variable) {
    Facts group;
    for (int value = 0; value < num_values; ++value) group.push_back(fact(variable, value));
    task.exactly_one.push_back(group);
    task.start({fact(variable, 0)});
  }
  for (int move = 0; move < 8 * num_variables; ++move) {
    const std::vector<int> variables = some();
    Facts before, excluded, flips;
    const int num_changed = 1 + random() % 3;
    for (int i = 0; i < num_changed; ++i) {
      const int from = random() % num_values, to = (from + 1 + random() % (num_values - 1)) % num_values;
      before.push_back(fact(variables[i], from));
      excluded.push_back(fact(variables[i], to));
      flips.insert(flips.end(), {fact(variables[i], from), fact(variables[i], to)});
    }
    if (random() % 2) before.push_back(fact(variables[num_changed], random() % num_values));
    task.op(before, excluded, flips, random() % 4);
  }
  const std::vector<int> variables = some();
  for (int list = 0; list < 2 + static_cast<int>(random() % 2); ++list) {
    if (list > 0) task.begin_goal_list();
    for (int cube = 0; cube < 1 + static_cast<int>(random() % 3); ++cube) {
      Facts wanted{fact(variables[2 * list % num_variables], random() % num_values)};
      if (random() % 2) wanted.push_back(fact(variables[(2 * list + 1) % num_variables], random() % num_values));
      task.goal(wanted);
    }
  }
  return task;
}

// The assertions of heuristic.hpp and successor_generator.hpp check that the bound is consistent, and zero in goal
// states.
void goals_of_several_lists_have_bounds_of_their_own() {
  std::mt19937 random(12);
  int num_solved = 0, num_tables = 0, num_unsolvable = 0;
  for (int i = 0; i < 300; ++i) {
    const Task task = random_variables(random);
    const Outcome expected = task.search(false);
    const Problem problem = task.problem();
    const CostTable costs = task.costs();
    Hints hints;
    hints.groups = task.exactly_one;
    const PieceProblem prepared(problem, costs, hints);
    const VariablePdbs* pdbs = prepared.bound->variable_pdbs();
    num_tables += pdbs != nullptr && !pdbs->empty() && pdbs->are_complete();
    for (const Algorithm algorithm : {Algorithm::astar, Algorithm::ida_star}) {
      const Found found = astar(problem, costs, hints, {}, {.algorithm = algorithm});
      CHECK(found.status == expected.status && found.cost == expected.cost);
      if (!expected.cost) continue;
      CHECK(found.initial_bound <= *expected.cost);
      CHECK(task.replays(found));
    }
    ++(expected.cost ? num_solved : num_unsolvable);
  }
  CHECK(num_solved > 100 && num_tables > 100 && num_unsolvable > 0);
}

const check::Suite suite("lower_bounds", [] {
  areas_are_what_can_be_walked_to();
  local_pdbs_are_consistent();
  goals_of_several_lists_have_bounds_of_their_own();
});

}  // namespace
