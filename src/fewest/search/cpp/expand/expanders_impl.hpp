// Definitions of expanders.hpp; each blind/widths_*.cpp instantiates them for one or two widths.
#pragma once

#include <stdexcept>

#include "expand/expanders.hpp"
#include "expand/regions.hpp"
#include "expand/runs.hpp"
#include "expand/effect_steps.hpp"
#include "expand/single_steps.hpp"
#include "expand/symmetric.hpp"
#include "expand/without_extra.hpp"
#include "state/compiler_attributes.hpp"

namespace fewest {

template <int P>
FEWEST_COLD std::unique_ptr<Expander<P, Plain<P>>> equal_cost_expander(const Compiler& compiler,
                                                          const CostTable& costs,
                                                          const Symmetry* symmetry) {
  const Problem& problem = compiler.problem();
  FEWEST_ASSERT(has_equal_weights(problem, costs), "every operator costs the same");
  FEWEST_ASSERT(compiler.layout().words() <= P, "a state has room for the words of the layout");
  if (problem.num_permutations > 0 || problem.conditional_effects.count > 0) {
    if (symmetry != nullptr || has_runs(problem, costs))
      throw std::invalid_argument(
          "with permutations or intermediate states, symmetry and merged moves are not supported");
    if (problem.conditional_effects.count > 0) return std::make_unique<EffectSteps<P>>(compiler);
    return std::make_unique<SingleSteps<P>>(compiler);
  }
  std::unique_ptr<Expander<P, Plain<P>>> expander;
  if (has_runs(problem, costs))
    expander = std::make_unique<Runs<P>>(compiler, costs);
  else
    expander = std::make_unique<SingleSteps<P>>(compiler);
  if (symmetry == nullptr) return expander;
  return std::make_unique<Symmetric<P>>(std::move(expander), compiler, *symmetry);
}

template <int P>
FEWEST_COLD std::unique_ptr<Expander<P, RegionSize>> region_expander(const Compiler& compiler,
                                                         const CostTable& costs,
                                                         const Symmetry* symmetry) {
  const int agent = agent_group(compiler, costs);
  if (agent < 0) return nullptr;
  return std::make_unique<Regions<P>>(compiler, costs, agent, symmetry);
}

template <int P>
FEWEST_COLD std::unique_ptr<Expander<P, Plain<P>>> layered_expander(const Compiler& compiler, const CostTable& costs,
                                                       const Symmetry* symmetry) {
  if (has_equal_weights(compiler.problem(), costs)) return equal_cost_expander<P>(compiler, costs, symmetry);
  auto regions = region_expander<P>(compiler, costs, symmetry);
  if (regions == nullptr) return nullptr;
  return std::make_unique<WithoutExtra<P, RegionSize>>(std::move(regions));
}

}  // namespace fewest
