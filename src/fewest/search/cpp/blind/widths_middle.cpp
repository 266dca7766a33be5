#include "blind/width_impl.hpp"

FEWEST_COMPILE_WIDTH(2)
FEWEST_COMPILE_WIDTH(4)
