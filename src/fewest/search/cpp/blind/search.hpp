// The entry points of the blind searches for code outside of this folder.
#pragma once

#include "blind/bidirectional.hpp"
#include "blind/width.hpp"

namespace fewest {

// Make a search for a cheapest plan to a goal state, or (options.exhaust) a search of the whole reachable set. This is
// breadth-first search if all operators cost the same (over merged moves if the metric merges moves), breadth-first
// search over regions if only free operators move a single agent, and otherwise Dijkstra's algorithm. With a symmetry,
// the search keeps one state of every orbit, and a plan may begin at an image of the initial state. Throws
// std::invalid_argument if packed states are wider than kMaxWords, and for permutations unless every operator costs the
// same, no moves merge and no symmetry is given; UnusedSymmetry if the search is not breadth-first; std::overflow_error
// if a cost does not fit. The problem, its costs and the symmetry must outlive the search. Limits and budgets are
// arguments of its turns.
std::unique_ptr<LayeredSearch> make_search(const Problem& problem, const CostTable& costs, const Options& options,
                                           const Symmetry* symmetry = nullptr);
// Make a search and run it to its end.
Outcome search(const Problem& problem, const CostTable& costs, const Options& options,
               const Symmetry* symmetry = nullptr);

// Make a bidirectional search for a cheapest plan to any of the goal states. `reversed` contains the inverses of the
// operators of `problem`; the caller must keep track of which operator has which inverse. Its cubes must preserve the
// groups of `problem`: a fact that they exclude before an operator is excluded after its inverse. `reversed_costs` has
// the reversed merged moves. goals: [num_goals, words], states that satisfy the groups and are not forbidden. Chooses
// and throws as `search`.
std::unique_ptr<SteppedSearch<Meeting>> make_bidirectional(const Problem& problem, const CostTable& costs,
                                                           const Problem& reversed, const CostTable& reversed_costs,
                                                           const Word* goals, std::size_t num_goals,
                                                           const Options& options);
Meeting bidirectional(const Problem& problem, const CostTable& costs, const Problem& reversed,
                      const CostTable& reversed_costs, const Word* goals, std::size_t num_goals,
                      const Options& options);

// The goal distance of every reachable state, and the number of optimal plans on request; nullopt for unsupported
// costs. Supported are operators and permutations that all have the same weight, and merged moves that are tied to
// facts in both directions (`are_runs_tied`), but not together with permutations. The other arguments are those of
// `make_bidirectional`. The initial state must not be forbidden.
std::optional<GoalDistanceResult> measure(const Problem& problem, const CostTable& costs,
                                    const Problem& reversed, const CostTable& reversed_costs,
                                    bool counts_plans, const Options& options);

// A cheapest plan to a goal state, by A* with the distances of abstractions as heuristic. nullopt if `measure` returns
// nullopt for the problem or for all abstractions. Throws as `search`. No initial state may be forbidden.
std::optional<GuidedOutcome> guided(const Problem& problem, const CostTable& costs,
                                    std::vector<Abstraction> abstractions, const Options& options);

// Whether `search` is breadth-first, over states or regions; otherwise it is Dijkstra's algorithm.
bool is_layered(const Problem& problem, const CostTable& costs);

// The words of a packed state; states with more than kMaxWords cannot be searched.
int packed_words(const Problem& problem);

// nullptr if packed states have too many words.
std::unique_ptr<BatchExpander> make_expander(const Problem& problem);
std::unique_ptr<StateSet> make_state_set(int words);

}  // namespace fewest
