#include "informed/searches.hpp"

#include <stdexcept>

#include "expand/literal.hpp"
#include "informed/piece_states.hpp"
#include "state/costs.hpp"

namespace fewest {

namespace {

// What `make` answers in the smallest compiled widths that hold the task.
template <class Make>
auto with_widths(const PieceProblem& prepared, Make make) {
  const int p = words_of_key(*prepared.pieces);
  const int q = std::max(1, (prepared.numbers.num_bits + 63) / 64);
  if (p <= 1 && q <= 1) return make.template operator()<1, 1>();
#ifndef FEWEST_FEW_WIDTHS
  if (p <= 1 && q <= 2) return make.template operator()<1, 2>();
  if (p <= 2 && q <= 4) return make.template operator()<2, 4>();
  if (p <= 4 && q <= 8) return make.template operator()<4, 8>();
#endif
  if (p <= 16 && q <= 32) return make.template operator()<16, 32>();
#ifndef FEWEST_FEW_WIDTHS
  if (p <= 128 && q <= 128) return make.template operator()<128, 128>();
#endif
  throw std::invalid_argument("there are too many facts for an informed search");
}

[[maybe_unused]] bool has_right_plan(const InformedProblem& problem, const InformedOutcome& outcome, Weight weight) {
  if (!outcome.cost) return outcome.plan.empty();
  return outcome.initial_bound <= *outcome.cost && outcome.lower_bound <= *outcome.cost &&
         *outcome.cost * weight.denominator <= outcome.lower_bound * weight.numerator &&
         literal::is_plan(problem.problem(), problem.costs(), outcome.plan, *outcome.cost);
}

}  // namespace

InformedOutcome InformedSearch::outcome() {
  InformedOutcome outcome = found();
  FEWEST_ASSERT(has_right_plan(*problem_, outcome, weight_),
                "a plan leads to a goal at the cost that is claimed, and the bounds are no higher");
  return outcome;
}

std::unique_ptr<InformedSearch> make_search(const InformedProblem& problem, const Hints& hints,
                                            const SearchOptions& options) {
  if (options.algorithm == Algorithm::both_ends && !problem.can_begin_at_goals())
    throw std::invalid_argument("this task cannot be searched from its goals");
  const bool is_weighted = options.weight.numerator != options.weight.denominator;
  if (options.weight.denominator == 0 || options.weight.numerator < options.weight.denominator)
    throw std::invalid_argument("a weight is at least 1");
  if (is_weighted && (options.algorithm != Algorithm::astar || options.threads > 1 || !options.file.empty() ||
                      problem.pieces().num_components > 1))
    throw std::invalid_argument("only A* on one thread takes a weight, where costs are one number");
  std::unique_ptr<InformedSearch> search = with_widths(
      problem.pieces(), [&]<int P, int Q>() { return make_search_of<P, Q>(problem, hints, options); });
  search->problem_ = &problem;
  search->weight_ = options.weight;
  return search;
}

}  // namespace fewest
