// All compiler attributes beyond the standard.
#pragma once

// clang-cl has these attributes too, but does not define GNU's macro.
#if defined(__GNUC__) || defined(__clang__)
#define FEWEST_HAS_GNU 1
#else
#define FEWEST_HAS_GNU 0
#endif

// This attribute marks a member without data. Some compilers reserve the standard attribute for a later ABI and provide
// their own instead.
#if defined(_MSC_VER)
#define FEWEST_NO_ADDRESS [[msvc::no_unique_address]]
#else
#define FEWEST_NO_ADDRESS [[no_unique_address]]
#endif

// Inlines all functions that the marked function calls. Inlining makes the innermost loop 5 to 15 % faster, but
// compilation takes twice as long. The attribute is used for states of one word, which nearly all tasks have. It is not
// used under a sanitizer or with assertions, because compilation would then take minutes.
#if FEWEST_HAS_GNU && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(FEWEST_ASSERTIONS)
#define FEWEST_FLATTEN [[gnu::flatten]]
#else
#define FEWEST_FLATTEN
#endif

// This attribute marks small functions that the compiler would otherwise not inline.
#if FEWEST_HAS_GNU
#define FEWEST_INLINE [[gnu::always_inline]] inline
#else
#define FEWEST_INLINE inline
#endif

// This attribute marks code that runs rarely, for instance once per search. Such code is optimised for size, which
// halves the compilation time.
#if FEWEST_HAS_GNU
#define FEWEST_COLD [[gnu::noinline, gnu::cold]]
#else
#define FEWEST_COLD
#endif

// This pragma unrolls a loop over the words of a state. The number of words is known at compile time.
#if defined(__clang__)
#define FEWEST_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define FEWEST_UNROLL _Pragma("GCC unroll 8")
#else
#define FEWEST_UNROLL
#endif
