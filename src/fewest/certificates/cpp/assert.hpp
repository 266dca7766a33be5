// Assertions: invariants that the program checks while it runs, in builds for tests only.
//
// Without FEWEST_ASSERTIONS (a CMake option), an assertion compiles to nothing: the compiler checks that the condition
// is well formed and generates no code. With this option, a false condition aborts the process. An assertion must have
// no side effects. It is no substitute for validating input, which must happen in every build. The search has its own
// copy of this file (search/cpp/state/assert.hpp), because the checkers share no code with it.
// Usage:
//   FEWEST_ASSERT(i < size(), "an index is less than the size");
//   FEWEST_ASSERT_SAMPLED(is_sorted(all), "...");    // expensive: on a sample of the calls
//   if constexpr (kHasAssertions) {...}              // several statements
#pragma once

#ifdef FEWEST_ASSERTIONS

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace fewest::checkers {

inline constexpr bool kHasAssertions = true;

[[noreturn, gnu::cold, gnu::noinline]] inline void assertion_failed(const char* condition, const char* message,
                                                                    const char* file, int line) {
  std::fprintf(stderr, "%s:%d: assertion failed: %s (%s)\n", file, line, message, condition);
  std::fflush(stderr);
  std::abort();
}

// Chooses the calls on which an expensive assertion is evaluated: the first 256 calls, and then one call in 251. The
// choice is not random. 251 is prime, so the same calls are not always skipped if the calls repeat in a pattern.
class Sample {
 public:
  bool next() {
    const std::uint64_t call = calls_.fetch_add(1, std::memory_order_relaxed);
    return call < 256 || call % 251 == 0;
  }

 private:
  std::atomic<std::uint64_t> calls_ = 0;
};

}  // namespace fewest::checkers

#define FEWEST_ASSERT(condition, message) \
  ((condition) ? static_cast<void>(0) : ::fewest::checkers::assertion_failed(#condition, message, __FILE__, __LINE__))

// Whether this call is part of the assertion's sample.
#define FEWEST_IS_SAMPLED()               \
  ([]() {                                 \
    static ::fewest::checkers::Sample fewest_calls; \
    return fewest_calls.next();           \
  }())
#define FEWEST_ASSERT_SAMPLED(condition, message) \
  (FEWEST_IS_SAMPLED() ? FEWEST_ASSERT(condition, message) : static_cast<void>(0))

#else

namespace fewest::checkers {
inline constexpr bool kHasAssertions = false;
}

// The condition is not evaluated, but a variable that only an assertion reads counts as used.
#define FEWEST_ASSERT(condition, message) static_cast<void>(sizeof(static_cast<bool>(condition)))
#define FEWEST_IS_SAMPLED() false
#define FEWEST_ASSERT_SAMPLED(condition, message) FEWEST_ASSERT(condition, message)

#endif
