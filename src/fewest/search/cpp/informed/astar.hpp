// Informed search for a proven minimum: what is outside this folder calls `astar`.
#pragma once

#include <string>

#include "state/control.hpp"
#include "informed/dead_table.hpp"
#include "informed/pieces.hpp"

namespace fewest {

// What the search may use besides the problem itself; all of it may be left empty.
struct Hints {
  FactGroups groups;                         // in each the number of true facts never changes
  std::vector<int> numbers;                  // per fact: the number of its cell
  std::vector<std::vector<FactId>> images;   // symmetries of problem and costs: per fact its image
  std::vector<DeadCube> dead;                // from which no goal is reached
  std::uint64_t look_from = 8192;            // expansions: then sets of pieces that are lost are looked for
};

// Whether pattern databases are built.
enum class UsePatterns { never, if_they_pay, always };

struct InformedOptions {
  bool is_deepening = false;  // IDA* from the beginning
  UsePatterns patterns = UsePatterns::if_they_pay;
  bool has_both_ends = false;  // A* begins at the goals as well, where backward.hpp says that it can
  PackedCost at_least = 0;  // no plan costs less, it is known
  std::uint64_t share_from = 20000;  // expansions: then A* begins anew on several threads, if it may
  bool has_zones = false;  // tables of zones.hpp are filled where there can be any, and the search is long
  std::uint64_t zones_from = 20000;  // expansions: then it is; after twice as many more they are chosen anew, and larger
  std::uint64_t before_both_ends = 40000;  // expansions with zones, from the start alone
  int most_in_zone = 56;  // spots
  // Where the states of A* are kept, and gone on with, at most once in so many seconds; none: they are not.
  std::string file;
  double keep_every = 60;
};

// Of a search that deepens: what was done up to a limit.
struct Iteration {
  PackedCost limit = 0;
  std::uint64_t num_states = 0, num_expanded = 0;
};

struct InformedOutcome : Outcome {
  PackedCost initial_bound = 0;
  std::uint64_t num_dead = 0;  // successors that were seen to be dead ends
  bool has_agent = false;
  std::vector<Iteration> iterations;  // the last one may be unfinished
};

// Of iterations the states expanded under each limit are counted.
struct AStarOutcome : InformedOutcome {
  std::uint64_t num_corrals = 0;  // states of which only the moves into a corral were made
  std::uint64_t num_lost_sets = 0;  // of pieces, found on the way
  bool merges_regions = false;
  std::size_t num_images = 1;
  std::vector<std::vector<FactId>> patterns;  // of each, one fact of each piece; none: not used
  std::size_t pattern_entries = 0, pattern_bytes = 0;
  int num_zones = 0;
  std::size_t zone_bytes = 0;
};

// Whether A* can begin at the goals as well. Throws as `astar`.
bool can_begin_at_goals(const Problem& problem, const CostTable& costs, const Hints& hints);

// The cheapest way to a goal state, by A*; where its memory ends, or from the beginning if asked to, by
// iterative deepening, which needs little: a status `memory` is never the answer.
// Throws std::invalid_argument if there are too many facts, and for runs as run_moves.hpp says, std::overflow_error if a cost does not fit; FileError and
// Damage of the file, which must be of the same question.
AStarOutcome astar(const Problem& problem, const CostTable& costs, const Hints& hints,
                   const Options& options, const InformedOptions& informed = {});

}  // namespace fewest
