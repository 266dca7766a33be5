#include "store/shards_impl.hpp"

FEWEST_COMPILE_SHARDS(16)
