// The entry points of the blind searches, for code outside this folder.
#pragma once

#include "blind/bidirectional.hpp"
#include "blind/width.hpp"

namespace fewest {

// Makes a search for a cheapest plan to a goal state or, with options.exhaust, a search of the whole reachable set. If
// all operators cost the same, the algorithm is breadth-first search (over merged moves if the metric merges moves). If
// the free operators only move a single agent and all other operators cost the same, it is breadth-first search over
// regions. Otherwise, it is Dijkstra's algorithm. With a symmetry, the search stores one state per orbit, so a plan may
// begin at an image of the initial state. Throws std::invalid_argument if packed states are wider than kMaxWords.
// Throws std::invalid_argument for permutations, unless every operator costs the same, no moves merge and no symmetry
// is given. Throws std::invalid_argument for effects if every operator costs the same, and moves merge or a symmetry is
// given. Throws UnusedSymmetry if a symmetry is given and the search is not breadth-first, and std::overflow_error if a
// cost does not fit. The problem, its costs and the symmetry must outlive the search. Limits and budgets are arguments
// of `advance`.
std::unique_ptr<LayeredSearch> make_search(const Problem& problem, const CostTable& costs, const Options& options,
                                           const Symmetry* symmetry = nullptr);
// Makes a search, runs it until it ends, and returns its outcome.
Outcome search(const Problem& problem, const CostTable& costs, const Options& options,
               const Symmetry* symmetry = nullptr);

// Makes a bidirectional search for a cheapest plan to any of the goal states. `reversed` contains the inverses of the
// operators of `problem`; the caller must record the inverse of each operator. The cubes of `reversed` must
// preserve the groups of `problem`: a fact that they exclude before an operator is also excluded after the operator's
// inverse. `reversed_costs` contains the reversed merged moves. goals: [num_goals, words], states that satisfy the
// groups and are not forbidden. The algorithm is chosen as in `make_search`. In addition, Dijkstra's algorithm is used
// if merged moves of the reversed problem are not tied to facts, or if the two problems do not have the same agent.
// Throws std::invalid_argument for permutations and effects; otherwise, the exceptions are the same.
std::unique_ptr<SteppedSearch<Meeting>> make_bidirectional(const Problem& problem, const CostTable& costs,
                                                           const Problem& reversed, const CostTable& reversed_costs,
                                                           const Word* goals, std::size_t num_goals,
                                                           const Options& options);
Meeting bidirectional(const Problem& problem, const CostTable& costs, const Problem& reversed,
                      const CostTable& reversed_costs, const Word* goals, std::size_t num_goals,
                      const Options& options);

// Computes the goal distance of every reachable state, and returns the number of states at each distance. If
// `counts_plans`, also returns the number of optimal plans; if `lists_states` as well, also returns the states on these
// plans. Returns nullopt if the costs are not supported. All operators and permutations must have the same weight.
// Merged moves must be tied to facts in both directions (`are_runs_tied`), and cannot be combined with permutations.
// The other arguments are the same as those of `make_bidirectional`. The initial state must not be forbidden. Throws
// std::invalid_argument for effects, and if packed states are wider than kMaxWords.
std::optional<GoalDistanceResult> measure(const Problem& problem, const CostTable& costs,
                                    const Problem& reversed, const CostTable& reversed_costs,
                                    bool counts_plans, bool lists_states, const Options& options);

// Searches for a cheapest plan to a goal state by A*, with the distances of abstractions as its heuristic. Returns
// nullopt if the operators of the problem differ in weight, or if no abstraction has the properties that `measure`
// requires. Throws std::invalid_argument for permutations and effects, and the same exceptions as `search`. The initial
// states of the problem and of the abstractions must not be forbidden.
std::optional<GuidedOutcome> guided(const Problem& problem, const CostTable& costs,
                                    std::vector<Abstraction> abstractions, const Options& options);

// Whether `search` uses breadth-first search, over states or regions. Otherwise it uses Dijkstra's algorithm.
bool is_layered(const Problem& problem, const CostTable& costs);

// The number of words of a packed state; states with more than kMaxWords words cannot be searched.
int packed_words(const Problem& problem);

// These functions return nullptr if the states, which are not packed, have more than kMaxWords words.
std::unique_ptr<BatchExpander> make_expander(const Problem& problem);
std::unique_ptr<StateSet> make_state_set(int words);

}  // namespace fewest
