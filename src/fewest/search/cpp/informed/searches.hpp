// The searches of one pair of widths, in words: P of a stored state, Q of a set of places.
//
// Wider tasks are rounded up to one of a few pairs; `make_search` chooses it.
#pragma once

#include "informed/informed_problem.hpp"

namespace fewest {

template <int P, int Q>
std::unique_ptr<InformedSearch> make_search_of(const InformedProblem& problem, const Hints& hints,
                                               const SearchOptions& options);

}  // namespace fewest
