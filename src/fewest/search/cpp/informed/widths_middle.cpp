#include "informed/searches_impl.hpp"

#ifndef FEWEST_FEW_WIDTHS
FEWEST_COMPILE_WIDTHS(2, 4)
#endif
