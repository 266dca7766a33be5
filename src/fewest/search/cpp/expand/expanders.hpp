// Creates the expanders for searches in layers. expanders_impl.hpp has the definitions, for each width.
#pragma once

#include "expand/expander.hpp"

namespace fewest {

// Creates the expander for tasks in which all operators cost the same (costs.hpp): through intermediate states if the
// problem has effects, by merged moves if the metric merges moves, and otherwise by single steps. With a symmetry, each
// orbit is represented by one state. Throws std::invalid_argument if permutations or effects are combined with merged
// moves or a symmetry.
template <int P>
std::unique_ptr<Expander<P, Plain<P>>> equal_cost_expander(const Compiler& compiler,
                                                          const CostTable& costs,
                                                          const Symmetry* symmetry = nullptr);

// Returns the index of the exactly-one group that contains the facts that all free operators flip (the places of the
// agent), or -1 if a search by regions does not support the task.
int agent_group(const Compiler& compiler, const CostTable& costs);

// Creates the expander that works by regions; returns nullptr if `agent_group` returns -1.
template <int P>
std::unique_ptr<Expander<P, RegionSize>> region_expander(const Compiler& compiler,
                                                         const CostTable& costs,
                                                         const Symmetry* symmetry = nullptr);

// Creates the expander for a search in layers that stores entries without extras; returns nullptr if the task needs a
// different search.
template <int P>
std::unique_ptr<Expander<P, Plain<P>>> layered_expander(const Compiler& compiler, const CostTable& costs,
                                                       const Symmetry* symmetry = nullptr);

}  // namespace fewest
