#include "informed/searches.hpp"

#include <algorithm>
#include <stdexcept>

#include "expand/literal.hpp"
#include "informed/bidirectional_astar.hpp"
#include "informed/piece_states.hpp"
#include "informed/shared_astar.hpp"
#include "state/costs.hpp"

namespace fewest {

namespace {

// The functions of `OfWidths` that are compiled for one pair of widths.
struct Widths {
  template <int P, int Q>
  explicit Widths(OfWidths<P, Q>)
      : space(OfWidths<P, Q>::space), exchange(OfWidths<P, Q>::exchange), ida_star(OfWidths<P, Q>::ida_star) {}

  decltype(&OfWidths<1, 1>::space) space;
  decltype(&OfWidths<1, 1>::exchange) exchange;
  decltype(&OfWidths<1, 1>::ida_star) ida_star;
};

// The smallest compiled widths that fit the task. Throws std::invalid_argument if there are none.
Widths widths_for(const PieceProblem& prepared) {
  const int p = words_of_key(*prepared.pieces);
  const int q = std::max(1, (prepared.numbers.num_bits + 63) / 64);
  if (p <= 1 && q <= 1) return Widths(OfWidths<1, 1>());
#ifndef FEWEST_FEW_WIDTHS
  if (p <= 1 && q <= 2) return Widths(OfWidths<1, 2>());
  if (p <= 2 && q <= 4) return Widths(OfWidths<2, 4>());
  if (p <= 4 && q <= 8) return Widths(OfWidths<4, 8>());
#endif
  if (p <= 16 && q <= 32) return Widths(OfWidths<16, 32>());
#ifndef FEWEST_FEW_WIDTHS
  if (p <= 128 && q <= 128) return Widths(OfWidths<128, 128>());
#endif
  throw std::invalid_argument("there are too many facts for an informed search");
}

std::unique_ptr<InformedSearch> make_both_ends(const Widths& widths, const InformedProblem& problem,
                                               const Hints& hints, const SearchOptions& options) {
  const PieceProblem& forward = problem.pieces();
  const BackwardProblem& backward = problem.from_goals();
  // The searches from both ends use no symmetries, because a symmetry need not map the start to itself.
  const Hints ahead{hints.groups, hints.numbers, {}, hints.dead, hints.look_from};
  const Hints back{hints.groups, hints.numbers, {}, {}, hints.look_from};
  const bool has_third = problem.has_local_pdbs();
  const std::size_t memory = options.memory / (has_third ? 3 : 2);
  std::unique_ptr<AStar> third;
  if (has_third)
    third = std::make_unique<AStar>(widths.space(forward, hints, *forward.bound, nullptr, memory, 0), options);
  return std::make_unique<BidirectionalAStar>(
      widths.space(forward, ahead, *forward.bound, backward.problem->bound.get(), memory, options.expanded_before),
      PieceCube{forward.pieces->initial, {}, forward.pieces->initial_place},
      widths.space(*backward.problem, back, *backward.problem->bound, forward.bound.get(), memory, 0), backward.starts,
      std::move(third), options.threads, options.at_least);
}

std::unique_ptr<InformedSearch> make_of(const Widths& widths, const InformedProblem& problem, const Hints& hints,
                                        const SearchOptions& options) {
  const PieceProblem& pieces = problem.pieces();
  if (options.algorithm == Algorithm::ida_star) return widths.ida_star(pieces, hints, options);
  if (options.algorithm == Algorithm::both_ends) return make_both_ends(widths, problem, hints, options);
  if (options.threads > 1 || !options.file.empty())
    return std::make_unique<SharedAStar>(options, [&](std::size_t i, std::size_t n) {
      return widths.exchange(pieces, hints, options.memory / n, options.expanded_before, i, n);
    });
  return std::make_unique<AStar>(
      widths.space(pieces, hints, *pieces.bound, nullptr, options.memory, options.expanded_before), options);
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
  // The plan may cost less than the stored cost of its last state: if a state on the plan has become cheaper and has not
  // been expanded again, the stored costs of the later states are too high. This cannot occur if the cost is minimal.
  const bool is_minimal = outcome.status == Status::goal && weight_.numerator == weight_.denominator;
  if (outcome.cost && !is_minimal) {
    const Problem& problem = problem_->problem();
    const FactSet start(problem.initial, problem.initial + problem.words);
    const auto cost = literal::cost_of_plan(problem, problem_->costs(), start, outcome.plan);
    outcome.cost = std::min(*outcome.cost, cost.value_or(*outcome.cost));
  }
  FEWEST_ASSERT(has_right_plan(*problem_, outcome, weight_),
                "a plan leads to a goal state at the cost in the outcome, and the bounds are at most this cost");
  return outcome;
}

std::unique_ptr<InformedSearch> make_search(const InformedProblem& problem, const Hints& hints,
                                            const SearchOptions& options) {
  if (options.algorithm == Algorithm::both_ends && !problem.can_begin_at_goals())
    throw std::invalid_argument("this task cannot be searched from its goals");
  const bool is_weighted = options.weight.numerator != options.weight.denominator;
  if (options.weight.denominator == 0 || options.weight.numerator < options.weight.denominator)
    throw std::invalid_argument("a weight must be at least 1");
  if (is_weighted && (options.algorithm != Algorithm::astar || options.threads > 1 || !options.file.empty() ||
                      problem.pieces().num_components > 1))
    throw std::invalid_argument(
        "a weight is supported only for A* on one thread without a file, and for metrics with one part");
  std::unique_ptr<InformedSearch> search = make_of(widths_for(problem.pieces()), problem, hints, options);
  search->problem_ = &problem;
  search->weight_ = options.weight;
  return search;
}

}  // namespace fewest
