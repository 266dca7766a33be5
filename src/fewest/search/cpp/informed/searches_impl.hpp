// Definitions of searches.hpp; each informed/widths_*.cpp instantiates them for some pairs of widths.
#pragma once

#include "informed/ida_star.hpp"
#include "informed/piece_exchange.hpp"
#include "informed/searches.hpp"

namespace fewest {

template <int P, int Q>
std::unique_ptr<SearchSpace> OfWidths<P, Q>::space(const PieceProblem& problem, const Hints& hints,
                                                   const PieceHeuristic& bound, const PieceHeuristic* away, std::size_t memory,
                                                   std::uint64_t expanded_before) {
  return std::make_unique<PieceSpace<P, Q>>(problem, hints, bound, away, memory, expanded_before);
}

template <int P, int Q>
std::unique_ptr<Exchange> OfWidths<P, Q>::exchange(const PieceProblem& problem, const Hints& hints, std::size_t memory,
                                                   std::uint64_t expanded_before, std::size_t number,
                                                   std::size_t num_parts) {
  auto space = std::make_unique<PieceSpace<P, Q>>(problem, hints, *problem.bound, nullptr, memory, expanded_before);
  return std::make_unique<PieceExchange<P, Q>>(std::move(space), number, num_parts);
}

template <int P, int Q>
std::unique_ptr<InformedSearch> OfWidths<P, Q>::ida_star(const PieceProblem& problem, const Hints& hints,
                                                         const SearchOptions& options) {
  return std::make_unique<IdaStar<P, Q>>(problem, hints, options);
}

}  // namespace fewest

#define FEWEST_COMPILE_WIDTHS(P, Q) \
  namespace fewest {                \
  template struct OfWidths<P, Q>;   \
  }
