// The task checker: layers of positions against the operators of a task. docs/certificates.md says what is checked
// and why it suffices; rules_checker.py does the same by the rules. It stands alone: nothing of the search core is
// used.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fewest::checkers {

// The certificate proves nothing, and why.
struct Rejected : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A limit of time or memory was reached: "time" or "memory".
struct GivenUp : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Words = std::string;  // little-endian words of 8 bytes, row after row

struct CubeRows {
  Words mask, value;
};

// The consequences of moves, in the order in which they are tested: for each effect its place and its stage.
struct EffectRows {
  Words mask, value, flip, clear, need_mask, need_value;
  std::vector<int> place, stage;
  std::vector<int> is_everywhere;  // of each stage
};

// A task as sets of facts; fact f is bit f % 64 of word f / 64 of its row of `words`.
struct TaskRows {
  int words = 1;
  Words initial;
  CubeRows operators;
  Words flip;
  std::vector<int> index_fact;  // per operator: a fact of its cube, or -1
  CubeRows goals, forbidden;
  std::vector<std::vector<int>> permutations;  // per permutation and fact: its target; these moves follow the operators
  EffectRows effects;

  bool has_flips_alone() const { return permutations.empty() && effects.stage.empty(); }
};

// A part of the metric: for each move its weight, the run that it continues, that it leaves (-1: none); for each run
// its weight, and the fact of its piece (-1: a ring's).
struct PartRows {
  std::vector<std::uint64_t> weight;
  std::vector<int> run_in, run_out;
  std::vector<std::uint64_t> run_weight;
  std::vector<int> run_fact;
};

// The numbering of positions. `facts` of a group or variable: the fact of each place; kNoFact if the task has none,
// so that no position may have it, kConstant if it is the value of a variable that never changes.
inline constexpr int kNoFact = -1, kConstant = -2;
struct GroupRows {
  std::vector<int> facts;
  int count;  // -1: any number
};

struct LayersQuestion {
  TaskRows task;
  std::vector<PartRows> parts;
  std::vector<GroupRows> groups;
  std::vector<std::vector<int>> variables;
  std::vector<std::vector<int>> runs;  // per part: the task's run for each number, from 1
  std::optional<std::vector<std::uint64_t>> bound;
  std::vector<std::pair<std::vector<std::uint64_t>, std::uint64_t>> layers;  // cost, positions
  // Per fact, or empty: positions need not be listed if their cost and potential together reach the bound. Other code
  // checks that no operator lowers the potential by more than its cost, and that it is 0 in the goal.
  std::vector<std::int64_t> potential;
};

struct LayersCounts {
  std::uint64_t positions = 0, nodes = 0, moves = 0;

  std::vector<std::uint64_t> list() const { return {positions, nodes, moves}; }
};

// Throws Rejected, GivenUp. `body` is the section after its head.
LayersCounts check_layers(const LayersQuestion& question, const std::string& body, double seconds,
                          std::uint64_t memory);

}  // namespace fewest::checkers
