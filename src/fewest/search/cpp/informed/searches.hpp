// What is compiled once per pair of widths, in words: P of a stored state, Q of a set of places.
//
// Wider tasks are rounded up to one of a few pairs; `with_widths` chooses it.
#pragma once

#include <stdexcept>

#include "informed/piece_problem.hpp"

namespace fewest {

template <int P, int Q>
AStarOutcome astar_widths(const Problem& problem, const PieceProblem& prepared, const Hints& hints,
                          const Options& options, const InformedOptions& informed,
                          Control& control);

// What `run` answers in the smallest compiled widths that hold the task. Throws std::invalid_argument if
// there are too many facts.
template <class Run>
auto with_widths(const PieceProblem& prepared, Run run) {
  const int p = PieceStates<1, 1>::words_of_key(*prepared.pieces);
  const int q = std::max(1, (prepared.numbers.num_bits + 63) / 64);
  if (p <= 1 && q <= 1) return run.template operator()<1, 1>();
#ifndef FEWEST_FEW_WIDTHS
  if (p <= 1 && q <= 2) return run.template operator()<1, 2>();
  if (p <= 2 && q <= 2) return run.template operator()<2, 2>();
  if (p <= 2 && q <= 4) return run.template operator()<2, 4>();
  if (p <= 4 && q <= 8) return run.template operator()<4, 8>();
#endif
  if (p <= 16 && q <= 32) return run.template operator()<16, 32>();
#ifndef FEWEST_FEW_WIDTHS
  if (p <= 128 && q <= 128) return run.template operator()<128, 128>();
#endif
  throw std::invalid_argument("there are too many facts for an informed search");
}

}  // namespace fewest
