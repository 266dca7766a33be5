// The expanders that a search in layers may use; expanders_impl.hpp makes them, once per width.
#pragma once

#include "expand/expander.hpp"

namespace fewest {

// If all operators cost the same (costs.hpp): by merged moves if the metric merges, else by single steps. With a
// symmetry, one state of every orbit.
template <int P>
std::unique_ptr<Expander<P, Plain<P>>> equal_cost_expander(const Compiler& compiler,
                                                          const CostTable& costs,
                                                          const Symmetry* symmetry = nullptr);

// The exactly-one group that all free operators move in, if the task is of this kind; else -1.
int agent_group(const Compiler& compiler, const CostTable& costs);

// If the task has an agent; nullptr otherwise.
template <int P>
std::unique_ptr<Expander<P, RegionSize>> region_expander(const Compiler& compiler,
                                                         const CostTable& costs,
                                                         const Symmetry* symmetry = nullptr);

// For any search in layers, with entries without extras; nullptr otherwise.
template <int P>
std::unique_ptr<Expander<P, Plain<P>>> layered_expander(const Compiler& compiler, const CostTable& costs,
                                                       const Symmetry* symmetry = nullptr);

}  // namespace fewest
