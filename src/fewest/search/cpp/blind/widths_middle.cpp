#include "blind/width_impl.hpp"

#ifndef FEWEST_FEW_WIDTHS
FEWEST_COMPILE_WIDTH(2)
FEWEST_COMPILE_WIDTH(4)
#endif
