#include "blind/width_impl.hpp"

#ifndef FEWEST_FEW_WIDTHS
FEWEST_COMPILE_WIDTH(8)
#endif
FEWEST_COMPILE_WIDTH(16)
