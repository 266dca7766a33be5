// A test framework of one macro: CHECK counts, prints what fails, and `finish` is main's result.
#pragma once

#include <cstdio>

namespace check {

inline int failures = 0, checks = 0;

inline void report(bool holds, const char* what, const char* file, int line) {
  ++checks;
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
}

inline int finish() {
  std::printf("%d checks, %d failed\n", checks, failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace check

#define CHECK(...) check::report(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
