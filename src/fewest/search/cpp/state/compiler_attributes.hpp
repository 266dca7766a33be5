// All compiler attributes beyond the standard.
#pragma once

// clang-cl has these attributes too, but does not define GNU's macro.
#if defined(__GNUC__) || defined(__clang__)
#define FEWEST_HAS_GNU 1
#else
#define FEWEST_HAS_GNU 0
#endif

// For a member without data. Some compilers reserve the standard attribute for a later ABI and have an attribute of
// their own.
#if defined(_MSC_VER)
#define FEWEST_NO_ADDRESS [[msvc::no_unique_address]]
#else
#define FEWEST_NO_ADDRESS [[no_unique_address]]
#endif

// Inlines everything that the function calls: the innermost loop becomes 5 to 15 % faster, and compiling takes twice as
// long. Used for states of one word, which nearly all tasks have. Under a sanitizer, or with assertions, compiling
// would take minutes.
#if FEWEST_HAS_GNU && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(FEWEST_ASSERTIONS)
#define FEWEST_FLATTEN [[gnu::flatten]]
#else
#define FEWEST_FLATTEN
#endif

// For small functions that the compiler would not inline.
#if FEWEST_HAS_GNU
#define FEWEST_INLINE [[gnu::always_inline]] inline
#else
#define FEWEST_INLINE inline
#endif

// For code that runs rarely, such as once per search: it is compiled for size, which takes half the time.
#if FEWEST_HAS_GNU
#define FEWEST_COLD [[gnu::noinline, gnu::cold]]
#else
#define FEWEST_COLD
#endif

// For a loop over the words of a state: their number is known at compile time.
#if defined(__clang__)
#define FEWEST_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define FEWEST_UNROLL _Pragma("GCC unroll 8")
#else
#define FEWEST_UNROLL
#endif
