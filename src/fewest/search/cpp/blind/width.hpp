// Declares the code that is compiled once per width of states: the searches and the batch functions.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "blind/stepped_search.hpp"
#include "state/control.hpp"
#include "state/problem.hpp"

namespace fewest {

// The search for one compiled width of packed states; `search` in search.hpp selects the width.
class Compiler;
template <int P>
std::unique_ptr<LayeredSearch> search_width(const Compiler& compiler, const CostTable& costs, const Options& options,
                                            const Symmetry* symmetry);

// A bidirectional search; `make_bidirectional` in search.hpp selects the width.
struct Meeting;
template <int P>
std::unique_ptr<SteppedSearch<Meeting>> bidirectional_width(const Compiler& forward, const CostTable& costs,
                            const Compiler& backward, const CostTable& reversed, const Word* goals,
                            std::size_t num_goals, const Options& options);

// The number of reachable states at each goal distance, the hardest of these states, and the optimal plans
// (goal_distances.hpp); `measure` in search.hpp selects the width.
struct GoalDistanceResult {
  Status status = Status::running;  // Exhausted, or the reason why the search stopped.
  // Pairs (distance, number of states) in ascending order; complete unless the search was stopped.
  std::vector<std::pair<PackedCost, std::uint64_t>> layers;
  std::uint64_t num_states = 0, num_goal_states = 0, num_solvable = 0;
  std::optional<PackedCost> from_start;
  std::vector<Word> hardest;    // the smallest of the farthest states, as a set of facts
  std::vector<Word> num_plans;  // The number of optimal plans, lowest word first; empty if they were not counted.
  // The states on the optimal plans, each listed once, as sets of facts: first the initial state, then the states after
  // the first move, and so on. The list is empty if it was not requested.
  std::vector<Word> plan_states;
  double seconds = 0;
  std::uint64_t bytes = 0;
};
template <int P>
GoalDistanceResult measure_width(const Compiler& forward, const CostTable& costs, const Compiler& backward,
                           const CostTable& reversed, bool counts_plans, bool lists_states, const Options& options);

// A smaller problem, and the same problem with its operators inverted. The states of the smaller problem are images of
// the states of the original problem. `image` maps facts to facts (kNoFact: the fact has no image). The image of a move
// costs at most as much as the move.
struct Abstraction {
  const Problem* problem;
  const CostTable* costs;
  const Problem* reversed;
  const CostTable* reversed_costs;
  const FactId* image;
};
struct GuidedOutcome : Outcome {
  PackedCost initial_bound = 0;
  std::uint64_t num_abstractions = 0, abstract_bytes = 0;  // counts only abstractions that have distances
};
// A* with the distances of abstractions (abstraction_astar.hpp); `guided` in search.hpp selects the width.
template <int P>
GuidedOutcome guided_width(const Compiler& compiler, const CostTable& costs,
                           const std::vector<Abstraction>& abstractions, const Options& options);

// A set of states in insertion order; each state is a row of an array.
class StateSet {
 public:
  virtual ~StateSet() = default;
  // Inserts rows. Sets is_new[i] to whether row i is new to the set. Returns false if there was not enough memory; in
  // that case, only a first part of the rows has been inserted.
  virtual bool insert(const Word* states, std::size_t count, bool* is_new) = 0;
  virtual void contains(const Word* states, std::size_t count, bool* is_in) const = 0;
  // Sets places[i] to the number of states that were inserted before the state of row i, or to -1 if the set does not
  // contain this state.
  virtual void find(const Word* states, std::size_t count, std::int64_t* places) const = 0;
  virtual std::size_t size() const = 0;
  virtual void copy_to(Word* states) const = 0;
};

// Computes all successors of states, which need not be reachable.
class BatchExpander {
 public:
  virtual ~BatchExpander() = default;
  // Appends, for every successor, its state, the row of its parent in `states`, and its operator. `states` has the
  // shape [count, words].
  virtual void expand(const Word* states, std::size_t count, std::vector<Word>& successors,
                      std::vector<std::int64_t>& parents,
                      std::vector<OperatorId>& operators) const = 0;
  // Appends, for every successor, its operator and its place in a set of states with the same number of words. The
  // place is -1 if the successor is not in the set. The successors of each row follow those of the previous row.
  // counts[i]: the number of successors of row i.
  virtual void find_successors(const StateSet& set, const Word* states, std::size_t count, std::int64_t* counts,
                               std::vector<std::int32_t>& places, std::vector<OperatorId>& operators) const = 0;
};

template <int P>
std::unique_ptr<BatchExpander> make_expander(const Problem& problem);
template <int P>
std::unique_ptr<StateSet> make_state_set(int words);

}  // namespace fewest
