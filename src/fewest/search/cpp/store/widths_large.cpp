#include "store/shards_asked.hpp"
#include "store/shards_exchange.hpp"
#include "store/shards_impl.hpp"

FEWEST_COMPILE_SHARDS(16)
