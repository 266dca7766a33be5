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
  bool to_goal = false;  // distances of all reached states to the goal; only with limits.exhaust
  std::optional<std::uint64_t> depth;  // no state farther than so many moves
  // Where layers are kept, and gone on with, at most once in so many seconds; none: they are not.
  std::string file;
  double keep_every = 60;
};

struct IndexOutcome : Outcome {
  // Of the reached states: how many at each distance to the goal, as far as known; one of the
  // farthest, the least as a number; how many have none.
  bool has_distances = false;
  std::vector<std::pair<PackedCost, std::uint64_t>> to_goal;
  std::uint64_t num_dead = 0;
  FactSet hardest;
};

// The cheapest way to a goal state, or the whole reachable set, where every move costs the same: as
// `search` (search.hpp), in two bits for each of numbering.size states. What the file has is never less than it was: a
// smaller depth than it has come to changes nothing. Throws std::invalid_argument for
// other costs, and for a numbering that does not fit the problem; std::bad_alloc; FileError and Damage of the
// file, which must be of the same question. `levels`: the same numbers, read one variable at a step or so.
IndexOutcome search_index(const Problem& problem, const CostTable& costs, const Numbering& numbering,
                          const Numbering& levels, const IndexOptions& options);

// The state of a number and the number of a state, as the search has them; for tests.
FactSet unrank(const Problem& problem, const Numbering& numbering, Number number);
Number rank(const Problem& problem, const Numbering& numbering, const Word* state);

}  // namespace fewest
