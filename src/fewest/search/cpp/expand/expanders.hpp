// Creates the expanders for searches in layers. expanders_impl.hpp has the definitions, for each width.
#pragma once

#include "expand/expander.hpp"

namespace fewest {

// The expander if all operators cost the same (costs.hpp): by merged moves if the metric merges moves, else by single
// steps. With a symmetry, one state represents every orbit.
template <int P>
std::unique_ptr<Expander<P, Plain<P>>> equal_cost_expander(const Compiler& compiler,
                                                          const CostTable& costs,
                                                          const Symmetry* symmetry = nullptr);

// The exactly-one group that contains the facts of all free operators, if the task has an agent; else -1.
int agent_group(const Compiler& compiler, const CostTable& costs);

// The expander by regions if the task has an agent; nullptr otherwise.
template <int P>
std::unique_ptr<Expander<P, RegionSize>> region_expander(const Compiler& compiler,
                                                         const CostTable& costs,
                                                         const Symmetry* symmetry = nullptr);

// The expander for a search in layers that stores entries without extras; nullptr if the task needs another search.
template <int P>
std::unique_ptr<Expander<P, Plain<P>>> layered_expander(const Compiler& compiler, const CostTable& costs,
                                                       const Symmetry* symmetry = nullptr);

}  // namespace fewest
