// Definitions of searches.hpp; each widths_*.cpp instantiates them for some pairs of widths.
#pragma once

#include "informed/bidirectional_astar.hpp"
#include "informed/ida_star.hpp"
#include "informed/searches.hpp"
#include "informed/shared_astar.hpp"

namespace fewest {

template <int P, int Q>
std::unique_ptr<InformedSearch> make_search_of(const InformedProblem& problem, const Hints& hints,
                                               const SearchOptions& options) {
  const PieceProblem& pieces = problem.pieces();
  if (options.algorithm == Algorithm::ida_star)
    return std::make_unique<IdaStar<P, Q>>(pieces, hints, options, *pieces.bound);
  if (options.algorithm == Algorithm::both_ends) {
    std::optional<PieceBound> beside;
    if (problem.has_zones()) beside.emplace(*pieces.bound);
    return std::make_unique<BidirectionalAStar<P, Q>>(pieces, problem.from_goals(), hints, options, std::move(beside));
  }
  if (options.threads > 1 || !options.file.empty()) return std::make_unique<SharedAStar<P, Q>>(pieces, hints, options);
  return std::make_unique<AStar<P, Q>>(pieces, hints, options, *pieces.bound);
}

}  // namespace fewest

#define FEWEST_COMPILE_WIDTHS(P, Q)                                                                          \
  namespace fewest {                                                                                         \
  template std::unique_ptr<InformedSearch> make_search_of<P, Q>(const InformedProblem&, const Hints&,        \
                                                                const SearchOptions&);                       \
  }
