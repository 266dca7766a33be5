// What is asked of the compiler beyond the standard, in one place.
#pragma once

// Everything that the function calls becomes part of it. Under a sanitizer that takes minutes to compile.
#if defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FEWEST_FLATTEN [[gnu::flatten]]
#else
#define FEWEST_FLATTEN
#endif

#if defined(__GNUC__)
#define FEWEST_COLD [[gnu::noinline, gnu::cold]]
#else
#define FEWEST_COLD
#endif

namespace fewest {

template <class F>
FEWEST_FLATTEN inline void flattened(F f) {
  f();
}

// f(), as one function with all that it calls where a state has one word: 5 to 15 % faster. Nearly all
// tasks are such; at more words that gains less than it costs to compile.
template <int P, class F>
inline void in_one_piece(F f) {
  if constexpr (P == 1)
    flattened(f);
  else
    f();
}

}  // namespace fewest
