#include "informed/searches_impl.hpp"

FEWEST_COMPILE_WIDTHS(4, 8)
FEWEST_COMPILE_WIDTHS(16, 16)
