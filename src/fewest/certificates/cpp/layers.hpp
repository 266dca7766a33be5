// The task checker: checks layers of positions, using the operators of a task. docs/certificates.md specifies the
// checks and proves that they are sufficient. rules_checker.py checks the same properties, using the puzzle's rules.
// This code uses no code of the search core.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fewest::checkers {

// Thrown if the certificate is rejected; the message gives the reason.
struct Rejected : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown if a limit is reached; the message is "time" or "memory".
struct GivenUp : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Words = std::string;  // little-endian words of 8 bytes, row after row

struct CubeRows {
  Words mask, value;
};

// The consequences of moves, in the order in which they are tried. Each effect has a place and a stage.
struct EffectRows {
  Words mask, value, flip, clear, need_mask, need_value;
  std::vector<int> place, stage;
  std::vector<int> is_everywhere;  // per stage
};

// A task as sets of facts; fact f is bit f % 64 of word f / 64 of its row of `words`.
struct TaskRows {
  int words = 1;
  Words initial;
  CubeRows operators;
  Words flip;
  std::vector<int> index_fact;  // per operator: a fact of its cube, or -1
  CubeRows goals, forbidden;
  std::vector<std::vector<int>> permutations;  // [permutation][fact]: the target of the fact
  EffectRows effects;

  bool has_flips_alone() const { return permutations.empty() && effects.stage.empty(); }
};

// One part of the metric. Each move has a weight, the run that it continues (`run_in`), and the run that is in
// progress after it (`run_out`); -1 means that there is no such run. Each run has a weight and the fact of its piece
// (-1: the run of a ring).
struct PartRows {
  std::vector<std::uint64_t> weight;
  std::vector<int> run_in, run_out;
  std::vector<std::uint64_t> run_weight;
  std::vector<int> run_fact;
};

// The numbering of positions. There is one entry for each place of a group, and for each value of a variable. The entry
// is a fact, or kNoFact if the task has no fact for this place or value; in that case, no position may use it. The
// entry kConstant represents a value that a variable has in all positions.
inline constexpr int kNoFact = -1, kConstant = -2;
struct GroupRows {
  std::vector<int> facts;
  int count;  // -1: any number
};

struct LayersInput {
  TaskRows task;
  std::vector<PartRows> parts;
  std::vector<GroupRows> groups;
  std::vector<std::vector<int>> variables;
  std::vector<std::vector<int>> runs;  // per part of the metric: the task's run for each run number, starting at 1
  std::optional<std::vector<std::uint64_t>> bound;
  std::vector<std::pair<std::vector<std::uint64_t>, std::uint64_t>> layers;  // The cost and the size of each layer.
  // The potential of each fact; empty if no potential is given. A position need not be listed if its cost plus its
  // potential reaches the bound. Other code checks that no operator lowers the potential by more than its cost, and
  // that the potential is at most 0 in every goal state.
  std::vector<std::int64_t> potential;
};

struct LayersCounts {
  std::uint64_t positions = 0, nodes = 0, moves = 0;

  std::vector<std::uint64_t> list() const { return {positions, nodes, moves}; }
};

// Checks the layers of a section. `body` is the part of the section that follows its head. Throws Rejected or GivenUp.
LayersCounts check_layers(const LayersInput& input, const std::string& body, double seconds,
                          std::uint64_t memory);

}  // namespace fewest::checkers
