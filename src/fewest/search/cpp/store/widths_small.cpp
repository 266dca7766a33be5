#include "store/shards_lookup.hpp"
#include "store/shards_exchange.hpp"
#include "store/shards_impl.hpp"
#include "store/shards_merge.hpp"

FEWEST_COMPILE_SHARDS(1)
