#include "informed/searches_impl.hpp"

#ifndef FEWEST_FEW_WIDTHS
FEWEST_COMPILE_WIDTHS(4, 8)
#endif
FEWEST_COMPILE_WIDTHS(16, 32)
