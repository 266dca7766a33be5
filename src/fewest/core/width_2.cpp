#include "width_impl.hpp"

namespace fewest {

template Outcome search_width<2>(const Compiler&, const CostTable&, const Options&);
template std::unique_ptr<Expander> make_expander<2>(const Problem&);
template std::unique_ptr<StateSet> make_state_set<2>(int);

}  // namespace fewest
