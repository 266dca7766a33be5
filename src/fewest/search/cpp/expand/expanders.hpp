// The expanders that a search in layers may use; expanders_impl.hpp makes them, once per width.
#pragma once

#include "expand/expander.hpp"

namespace fewest {

// Where all operators cost the same (costs.hpp): by runs if the metric merges, else by single steps. With
// a symmetry, one state of every orbit.
template <int P>
std::unique_ptr<Expander<P, Plain<P>>> equal_cost_expander(const Compiler& compiler,
                                                          const CostTable& costs,
                                                          const Symmetry* symmetry = nullptr);

// The exactly-one group that all free operators move in, if the task is of this kind; else -1.
int agent_group(const Compiler& compiler, const CostTable& costs);

// Where there is one; nullptr elsewhere.
template <int P>
std::unique_ptr<Expander<P, RegionSize>> region_expander(const Compiler& compiler,
                                                         const CostTable& costs,
                                                         const Symmetry* symmetry = nullptr);

// Of whatever is searched in layers, its entries without extras; nullptr where it is not.
template <int P>
std::unique_ptr<Expander<P, Plain<P>>> layered_expander(const Compiler& compiler, const CostTable& costs,
                                                       const Symmetry* symmetry = nullptr);

}  // namespace fewest
