// The entry point for the search in an index (index_search.hpp).
#pragma once

#include <optional>
#include <string>

#include "state/bits.hpp"
#include "state/control.hpp"
#include "index/numbering.hpp"

namespace fewest {

struct IndexOptions {
  Options limits;
  bool plan = true;      // whether to find a plan if a goal state is reached
  bool goal_distances = false;  // whether to compute the goal distances of all reached states; only with limits.exhaust
  std::optional<std::uint64_t> depth;  // The distance from the start beyond which no states are searched.
  // Whether the search starts from the set of all goal states instead of the initial state. This option requires
  // limits.exhaust, and excludes `plan` and `goal_distances`. The initial state then only determines which groups are
  // invariants.
  bool from_goals = false;
  // The checkpoint file from which the search resumes (empty: none), and the minimum number of seconds between two
  // saves.
  std::string file;
  double save_every = 60;
};

struct IndexOutcome : Outcome {
  // Data about the reached states, if distances were computed: the number of states per goal distance, the number of
  // dead states, and the farthest state. If several states are equally far, the smallest is chosen, where fact sets are
  // compared as binary numbers.
  bool has_distances = false;
  std::vector<std::pair<PackedCost, std::uint64_t>> goal_distances;
  std::uint64_t num_dead = 0;
  FactSet hardest;
  // With `from_goals`: at most a thousand states of the last complete layer, in the order of their numbers. The states
  // in this list have the fewest facts among the first ten million states of the layer.
  std::vector<FactSet> farthest;
};

// Finds a cheapest plan to a goal state, or counts the reachable states, if every move costs the same. Works like
// `search` (search.hpp), but needs only two bits for each of the numbering.size states. `levels`: a numbering that
// gives the same numbers, but has about one variable per step. The file must belong to the same search. The search
// resumes from all layers of the file: if the file has more layers than `depth`, `depth` has no effect. Throws
// std::invalid_argument if moves differ in cost, if the numbering does not fit the problem, if packed states have more
// than four words, or for permutations and effects. Throws std::bad_alloc, and throws FileError and Damage for problems
// with the file.
IndexOutcome search_index(const Problem& problem, const CostTable& costs, const Numbering& numbering,
                          const Numbering& levels, const IndexOptions& options);

// Convert a number to its state, and a state to its number, in the numbering of the search. For tests.
FactSet unrank(const Problem& problem, const Numbering& numbering, Number number);
Number rank(const Problem& problem, const Numbering& numbering, const Word* state);

}  // namespace fewest
