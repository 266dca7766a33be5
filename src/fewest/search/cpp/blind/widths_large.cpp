#include "blind/width_impl.hpp"

FEWEST_COMPILE_WIDTH(16)
