// The entry points: code outside of this folder calls these.
#pragma once

#include "blind/bidirectional.hpp"
#include "blind/width.hpp"

namespace fewest {

// The cheapest plan to a goal state, or (options.exhaust) the whole reachable set. It chooses breadth-first search if
// all operators cost the same (over merged moves if the metric merges), over regions if only free operators move a
// single agent, otherwise Dijkstra's algorithm. With a symmetry, it keeps one state of every orbit; a plan may then
// begin at an image of the initial state. Throws std::invalid_argument if packed states are wider than kMaxWords, and
// for permutations unless every operator costs the same, none merge and no symmetry is given; UnusedSymmetry if the
// search is not breadth-first, std::overflow_error if a cost does not fit. The problem, its costs and the symmetry
// must outlive the search; limits and budgets are those of its turns.
std::unique_ptr<LayeredSearch> make_search(const Problem& problem, const CostTable& costs, const Options& options,
                                           const Symmetry* symmetry = nullptr);
// Makes a search and runs it to its end.
Outcome search(const Problem& problem, const CostTable& costs, const Options& options,
               const Symmetry* symmetry = nullptr);

// The cheapest plan to any of the goal states, from both ends. `reversed` has the inverses of operators of `problem`
// (the caller knows the correspondence), with cubes that preserve the groups of `problem` (every fact that they
// exclude before the operator is excluded after its inverse), and `reversed_costs` its merged moves reversed. goals:
// [num_goals, words], states that satisfy the groups and are not forbidden. Chooses and throws as `search`.
std::unique_ptr<SteppedSearch<Meeting>> make_bidirectional(const Problem& problem, const CostTable& costs,
                                                           const Problem& reversed, const CostTable& reversed_costs,
                                                           const Word* goals, std::size_t num_goals,
                                                           const Options& options);
Meeting bidirectional(const Problem& problem, const CostTable& costs, const Problem& reversed,
                      const CostTable& reversed_costs, const Word* goals, std::size_t num_goals,
                      const Options& options);

// The distance to the goal of every reachable state, and the number of optimal plans on request; nullopt for
// unsupported costs. It supports one weight of all operators and permutations, and merged moves that are tied to
// facts in both directions (`are_runs_tied`), but not together with permutations. The rest as in `bidirectional`. The
// initial state must not be forbidden.
std::optional<GoalDistanceResult> measure(const Problem& problem, const CostTable& costs,
                                    const Problem& reversed, const CostTable& reversed_costs,
                                    bool counts_plans, const Options& options);

// The cheapest plan to a goal state, by A* with the distances of abstractions as heuristic; nullopt if `measure`
// returns it for the problem or all abstractions. Throws as `search`. No initial state may be forbidden.
std::optional<GuidedOutcome> guided(const Problem& problem, const CostTable& costs,
                                    std::vector<Abstraction> abstractions, const Options& options);

// Whether `search` goes layer by layer, over states or regions; else by Dijkstra's algorithm.
bool is_layered(const Problem& problem, const CostTable& costs);

// Words of a packed state; more than kMaxWords cannot be searched.
int packed_words(const Problem& problem);

// nullptr if there are too many words.
std::unique_ptr<BatchExpander> make_expander(const Problem& problem);
std::unique_ptr<StateSet> make_state_set(int words);

}  // namespace fewest
