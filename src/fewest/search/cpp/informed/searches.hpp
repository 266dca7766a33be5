// The code that is compiled for each pair of widths in words: P for a stored state, Q for a set of places.
//
// Only a few pairs are compiled for wide tasks. `make_search` (searches.cpp) chooses the smallest pair that fits the
// task.
#pragma once

#include "informed/exchange.hpp"
#include "informed/informed_problem.hpp"

namespace fewest {

template <int P, int Q>
struct OfWidths {
  // `away`: the heuristic of the search in the other direction, or null.
  static std::unique_ptr<SearchSpace> space(const PieceProblem& problem, const Hints& hints, const PieceHeuristic& bound,
                                            const PieceHeuristic* away, std::size_t memory, std::uint64_t expanded_before);
  // The exchange for part `number` of an A* search on several threads.
  static std::unique_ptr<Exchange> exchange(const PieceProblem& problem, const Hints& hints, std::size_t memory,
                                            std::uint64_t expanded_before, std::size_t number, std::size_t num_parts);
  static std::unique_ptr<InformedSearch> ida_star(const PieceProblem& problem, const Hints& hints,
                                                  const SearchOptions& options);
};

}  // namespace fewest
