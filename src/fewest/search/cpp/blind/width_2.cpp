#include "blind/bidirectional_impl.hpp"
#include "blind/width_impl.hpp"

namespace fewest {

template Outcome search_width<2>(const Compiler&, const CostTable&, const Options&, const Symmetry*);
template Meeting bidirectional_width<2>(const Compiler&, const CostTable&, const Compiler&,
                                        const CostTable&, const Word*, std::size_t, const Options&);
template std::unique_ptr<BatchExpander> make_expander<2>(const Problem&);
template std::unique_ptr<StateSet> make_state_set<2>(int);

}  // namespace fewest
