#include "store/shards_impl.hpp"

#ifndef FEWEST_FEW_WIDTHS
FEWEST_COMPILE_SHARDS(8)
#endif
FEWEST_COMPILE_SHARDS(16)
