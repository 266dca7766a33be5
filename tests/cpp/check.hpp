// A test framework of one macro and one class: CHECK counts the checks and prints the failed ones; main.cpp runs all
// suites, or only the suites that its arguments name.
#pragma once

#include <atomic>
#include <cstdio>
#include <vector>

namespace check {

inline std::atomic<int> failures = 0, checks = 0;  // several threads may run checks

inline void report(bool holds, const char* what, const char* file, int line) {
  ++checks;
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
}

struct Suite {
  Suite(const char* name, void (*run)()) : name(name), run(run) { all().push_back(this); }
  static std::vector<const Suite*>& all() {
    static std::vector<const Suite*> suites;
    return suites;
  }

  const char* name;
  void (*run)();
};

}  // namespace check

#define CHECK(...) check::report(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
