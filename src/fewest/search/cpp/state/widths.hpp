// Selects the compiled width for a given number of words.
#pragma once

#include "state/state.hpp"

namespace fewest {

// Calls f.operator()<P>() for the compiled width that has room for `words`. Returns `otherwise` if every width is too
// small.
template <class F, class R>
R with_width(int words, F f, R otherwise) {
  int width = rounded_width(words);
  if (kHasFewWidths && width > 1) width = kMaxWords;
  switch (width) {
    case 1: return f.template operator()<1>();
#ifndef FEWEST_FEW_WIDTHS
    case 2: return f.template operator()<2>();
    case 4: return f.template operator()<4>();
#endif
    case 16: return f.template operator()<16>();
    default: return otherwise;
  }
}

}  // namespace fewest
