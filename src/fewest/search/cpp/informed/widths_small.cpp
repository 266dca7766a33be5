#include "informed/searches_impl.hpp"

FEWEST_COMPILE_WIDTHS(1, 1)
#ifndef FEWEST_FEW_WIDTHS
FEWEST_COMPILE_WIDTHS(1, 2)
#endif
