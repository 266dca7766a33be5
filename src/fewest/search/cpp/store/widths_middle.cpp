#include "store/shards_lookup.hpp"
#include "store/shards_exchange.hpp"
#include "store/shards_impl.hpp"
#include "store/shards_merge.hpp"

#ifndef FEWEST_FEW_WIDTHS
FEWEST_COMPILE_SHARDS(2)
FEWEST_COMPILE_SHARDS(4)
#endif
