// What is asked of the compiler beyond the standard, in one place.
#pragma once

// clang-cl has these attributes too, and does not call itself GNU.
#if defined(__GNUC__) || defined(__clang__)
#define FEWEST_HAS_GNU 1
#else
#define FEWEST_HAS_GNU 0
#endif

// Of a member without data; where the standard's word for it is kept for a later ABI there is another.
#if defined(_MSC_VER)
#define FEWEST_NO_ADDRESS [[msvc::no_unique_address]]
#else
#define FEWEST_NO_ADDRESS [[no_unique_address]]
#endif

// Everything that the function calls becomes part of it: 5 to 15 % faster where it is the innermost loop, and
// twice the time to compile. Used where a state has one word, as nearly all tasks have; under a sanitizer, or with
// assertions, it would take minutes.
#if FEWEST_HAS_GNU && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(FEWEST_ASSERTIONS)
#define FEWEST_FLATTEN [[gnu::flatten]]
#else
#define FEWEST_FLATTEN
#endif

// Of a few small functions that the compiler would rather call.
#if FEWEST_HAS_GNU
#define FEWEST_INLINE [[gnu::always_inline]] inline
#else
#define FEWEST_INLINE inline
#endif

// Of what runs once a search, or is rare: compiled for size, which takes half the time.
#if FEWEST_HAS_GNU
#define FEWEST_COLD [[gnu::noinline, gnu::cold]]
#else
#define FEWEST_COLD
#endif

// Before a loop over the words of a state, which have been counted when it is compiled.
#if defined(__clang__)
#define FEWEST_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define FEWEST_UNROLL _Pragma("GCC unroll 8")
#else
#define FEWEST_UNROLL
#endif
