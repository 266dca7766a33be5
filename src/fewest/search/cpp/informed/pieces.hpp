// A problem in the form that informed searches use: places of an agent, spots of pieces, and the operators that can
// apply.
//
// Problem: distances and deadlocks are about the places of the pieces and the agent, but a problem has only facts.
// Solution: the *agent* is an exactly-one group. Every operator requires a fact of this group, and some operators
// (*walks*) change no other facts. The facts of the group are the *places*. All walks must have the same cost. A walk
// must have an inverse, and must be possible if and only if no true fact excludes its target. All other facts that can
// change are *spots*; all other operators are *moves*. A task without such a group has no agent: it has no places and
// no walks. Constant facts are omitted, and so are operators that change nothing, or that cannot be reached from the
// start in a delete relaxation (after Bonet and Geffner, 2001).
// Usage:
//   Pieces pieces(compiler, costs, groups, is_dropped);
#pragma once

#include <optional>

#include "state/compiler.hpp"

namespace fewest {

// Groups of facts: in every reachable state, the same number of a group's facts are true.
using FactGroups = std::vector<std::vector<FactId>>;

struct PieceMove {
  OperatorId id = -1;
  std::vector<OperatorId> then;     // the later moves of a macro operator (macro_moves.hpp)
  int from = -1, to = -1;           // places; -1 if there is no agent
  FactSet true_spots, false_spots;  // the precondition
  std::vector<int> deleted, added;  // spots
  PackedCost cost = 0;
};

struct PieceCube {
  FactSet true_spots, false_spots;
  int place = -1;  // -1: the agent may be anywhere
};

struct PieceGroup {
  std::vector<int> spots;
  int count = 0;  // the number of true spots in every reachable state
};

struct Walk {
  int to;
  OperatorId id;
};

// Parts of the searches that bench/ablation.py can switch off to measure their effect.
struct Parts {
  bool has_areas = true;    // agent_regions.hpp
  bool has_corrals = true;  // corrals.hpp
};

class Pieces {
 public:
  // `groups`: a group is used only if it has a spot, if no move changes the number of its true facts, and if it is
  // disjoint from the groups before it. `is_dropped`: for each operator, whether it is omitted. Throws
  // std::overflow_error if a cost does not fit, and std::invalid_argument if `run_moves` does.
  Pieces(const Compiler& compiler, const CostTable& costs, const FactGroups& groups,
         const std::vector<char>& is_dropped);

  bool has_agent() const { return !places.empty(); }
  int num_places() const { return static_cast<int>(places.size()); }
  int num_spots() const { return static_cast<int>(spots.size()); }
  bool is_true_at_start(FactId fact) const { return has(problem_.initial, fact); }
  // The spots that the invariants show to be false in every reachable state in which `true_spots` are true and the
  // agent is at `place` (-1: at any place).
  std::vector<int> excluded_by(const FactSet& true_spots, int place) const;
  int words() const { return std::max(1, (num_spots() + 63) / 64); }  // the size of a set of spots

  std::vector<FactId> places;            // ascending
  std::vector<std::vector<Walk>> walks;  // per place
  PackedCost walk_cost = 0;              // of each walk
  int initial_place = -1;

  std::vector<FactId> spots;             // ascending
  FactSet initial;                       // spots
  std::vector<std::vector<int>> blocks;  // per spot: the places where the agent cannot be while the spot is true
  std::vector<PieceMove> moves;
  std::vector<PieceCube> goals, forbidden;  // without cubes that contradict constant facts
  // If the goal has several lists, each list of one cube is merged into the cubes of another list. `goals` is one of
  // the remaining lists, and `further_goals` contains the others: every goal state is in some cube of each of these
  // lists. The cubes of `further_goals` name no place. Code that uses only `goals` relaxes the goal: the distances that
  // it computes are lower bounds, and the states that it finds to be dead are dead.
  std::vector<std::vector<PieceCube>> further_goals;
  std::vector<PieceGroup> groups;           // disjoint
  Parts parts = {};

 private:
  struct Row;  // an operator, with constant facts removed
  bool are_sound() const;
  void check_costs(int num_components) const;
  int find_agent(const CostTable& costs) const;
  bool walks_alike(int agent, const CostTable& costs) const;
  bool cubes_fit(const Cubes& cubes, const FactSet& agent, bool may_name_place) const;
  std::vector<char> reachable_operators(std::vector<char> is_dropped, FactSet& facts) const;
  std::vector<char> reachable_without(const std::vector<char>& is_dropped, FactSet& facts) const;
  bool is_agent_in_one_list(const FactSet& agent) const;
  std::optional<PieceCube> cut_cube(const Cubes& cubes, std::size_t number) const;
  void collect_cubes(const Cubes& cubes, std::vector<PieceCube>& out) const;
  void collect_goals();
  void collect_groups(const FactGroups& all);

  const Compiler& compiler_;
  const Problem& problem_;
  int agent_ = -1;
  std::vector<int> spot_of_, place_of_;  // per fact; -1: none
  FactSet can_be_true_, changes_;
};

}  // namespace fewest
