#include "informed/searches_impl.hpp"

FEWEST_COMPILE_WIDTHS(2, 4)
FEWEST_COMPILE_WIDTHS(4, 1)
