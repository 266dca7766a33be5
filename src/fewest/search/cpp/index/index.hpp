// The entrance to the search in an index (index_search.hpp).
#pragma once

#include <optional>
#include <string>

#include "state/bits.hpp"
#include "state/control.hpp"
#include "index/numbering.hpp"

namespace fewest {

struct IndexOptions {
  Options limits;
  bool plan = true;      // find one, if a goal is reached
  bool goal_distances = false;  // distances of all reached states to the goal; only with limits.exhaust
  std::optional<std::uint64_t> depth;  // the maximal distance of states
  // The first layer is the set of all goal states instead of the initial state; only with limits.exhaust, without plan
  // and goal_distances. The initial state only says which groups are invariants.
  bool from_goals = false;
  // The file of saved layers, from which the search resumes, and the least number of seconds between two saves;
  // empty: none.
  std::string file;
  double keep_every = 60;
};

struct IndexOutcome : Outcome {
  // For the reached states: the count per goal distance, as far as known; the lowest-numbered farthest state; the
  // number of dead states.
  bool has_distances = false;
  std::vector<std::pair<PackedCost, std::uint64_t>> goal_distances;
  std::uint64_t num_dead = 0;
  FactSet hardest;
  // With from_goals: states of the last complete layer, as facts; of the first ten million of them some with the
  // fewest facts, by their numbers.
  std::vector<FactSet> farthest;
};

// The cheapest plan to a goal state, or the whole reachable set, if every move costs the same: as `search`
// (search.hpp), with two bits for each of numbering.size states. The file never shrinks: a smaller depth than its own
// changes nothing. Throws std::invalid_argument for other costs, and for a numbering that does not fit the problem;
// std::bad_alloc; FileError and Damage for the file, which must belong to the same question. `levels`: the same
// numbers, read about one variable per step.
IndexOutcome search_index(const Problem& problem, const CostTable& costs, const Numbering& numbering,
                          const Numbering& levels, const IndexOptions& options);

// The state of a number and the number of a state, in the search's numbering; for tests.
FactSet unrank(const Problem& problem, const Numbering& numbering, Number number);
Number rank(const Problem& problem, const Numbering& numbering, const Word* state);

}  // namespace fewest
