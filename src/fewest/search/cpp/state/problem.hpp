// A problem and its costs, as plain arrays, and the result of a search: the C++ counterpart of interface.py.
//
// A state is a set of facts in `words` words; fact f is bit f % 64 of word f / 64. Arrays of cubes are row-major. The
// arrays belong to the caller.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "state/state.hpp"

namespace fewest {

using FactId = std::int32_t;
using OperatorId = std::int32_t;
using RunKey = std::int32_t;
inline constexpr FactId kNoFact = -1;
inline constexpr RunKey kNoRun = -1;

struct Cubes {
  std::size_t count = 0;
  const Word* mask = nullptr;   // [count, words]
  const Word* value = nullptr;  // [count, words].
  // [count], ascending: the list of each cube. A goal state is in some cube of every list. If the pointer is null,
  // there is one list.
  const std::int32_t* list = nullptr;

  bool has_several_lists() const { return list != nullptr && count > 0 && list[0] != list[count - 1]; }
};

// The effects that follow operators, in sweep order, that is, by stage and, within a stage, by place. An effect *fits*
// an intermediate state that is in its cube. When the effect applies, the state becomes (s & ~clear) ^ flip. The
// effects of a place are tested in order, and the first one that fits applies. In a stage that is `everywhere`, all
// fitting effects are marked first. Then the marked effects are applied in order, each one only if its second cube
// (need_...) still holds.
struct ConditionalEffects {
  std::size_t count = 0;
  const Word *mask = nullptr, *value = nullptr, *flip = nullptr, *clear = nullptr;  // [count, words]
  const Word *need_mask = nullptr, *need_value = nullptr;                           // [count, words]
  const std::int32_t *place = nullptr, *stage = nullptr;                            // [count], ascending
  std::vector<char> everywhere;                                                     // by stage
};

struct Problem {
  int num_facts = 0;
  int words = 1;
  const Word* initial = nullptr;  // [words]
  Cubes operators;
  const Word* flip = nullptr;          // [operators, words], a subset of the mask
  const FactId* index_fact = nullptr;  // [operators], a positive fact of the cube or kNoFact
  Cubes goals;
  Cubes forbidden;
  std::vector<std::vector<FactId>> exactly_one, at_most_one;
  // Permutations of facts: operators that apply in every state. Their ids follow those of the operators above.
  std::size_t num_permutations = 0;
  const FactId* permutations = nullptr;  // [permutations, num_facts]: the image of each fact
  ConditionalEffects conditional_effects;  // Empty if no effects follow operators.
  // Facts that are not true in any position. An operator that flips one of these facts flips no other fact. Then the
  // first fitting effect of each place applies, and all these effects apply simultaneously
  // (expand/parallel_assignment.hpp). If the pointer is null, no fact is pending.
  const Word* pending = nullptr;  // [words]
};

// A search that does not support permutations or effects calls one of the following functions, which throw
// std::invalid_argument if there are any.
inline void require_flips(const Problem& problem, const char* search) {
  if (problem.num_permutations > 0) throw std::invalid_argument(std::string(search) + " does not support permutations");
}
inline void require_whole_moves(const Problem& problem, const char* search) {
  if (problem.conditional_effects.count > 0)
    throw std::invalid_argument(std::string(search) + " does not support intermediate states");
}
inline void require_operators(const Problem& problem, const char* search) {
  require_flips(problem, search);
  require_whole_moves(problem, search);
}

struct CostTable {
  int components = 1;                   // 1 or 2
  const std::int64_t* weight = nullptr;  // [components, operators]; with one component, permutations follow
  const RunKey* run_in = nullptr;        // [components, operators]
  const RunKey* run_out = nullptr;       // [components, operators]
  std::vector<std::vector<FactId>> run_fact;  // [components][keys]: the fact to which the key is tied, or kNoFact
};

// A group of permutations of facts that leave the problem and its costs unchanged; the first is the identity.
struct Symmetry {
  std::size_t order = 1;
  const FactId* facts = nullptr;  // [order, num_facts]: the image of each fact
  bool fixes_initial = false;     // whether all permutations map the initial state to itself
};

// Thrown if a symmetry is given to a search that needs Dijkstra's algorithm.
struct UnusedSymmetry {};

// A move that is illegal because its consequences would never end: the operator, and the facts of the state before it.
struct EndlessMove {
  OperatorId op = -1;
  std::vector<Word> state;
};

// A cost as a single number, so that costs can be compared and added. A cost with two parts is packed as part 1 << 32 |
// part 2; a cost with one part is that part.
using PackedCost = std::uint64_t;

// `paused`: the time slice of the search is used up (TimeSlice in control.hpp). In the next slice, the search is
// `running` again.
enum class Status { running, goal, exhausted, time, memory, interrupted, depth, disk, paused };

struct Outcome {
  Status status = Status::running;
  std::optional<PackedCost> cost;
  PackedCost lower_bound = 0;
  std::vector<OperatorId> plan;
  // Whether all optimal plans differ only in the order of independent moves; nullopt: this is unknown.
  std::optional<bool> is_only_plan;
  std::vector<std::pair<PackedCost, std::uint64_t>> layers;
  std::uint64_t num_states = 0, num_goal_states = 0, num_expanded = 0, num_generated = 0;
  std::uint64_t num_resumed = 0;  // the number of states that were read from a file
  double seconds = 0;
  std::uint64_t bytes = 0;
  const char* algorithm = "";
  std::uint64_t canonical_states = 0, orbit_states = 0;  // counts of a search with symmetry
  std::optional<EndlessMove> endless;                        // an endless move, if the search found one
};

}  // namespace fewest
