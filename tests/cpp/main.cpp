// core_tests [SUITE...]: runs the named suites or, without arguments, all suites.
#include <string_view>

#include "check.hpp"

int main(int argc, char** argv) {
  bool any = false;
  for (const check::Suite* suite : check::Suite::all()) {
    bool is_wanted = argc == 1;
    for (int i = 1; i < argc; ++i) is_wanted = is_wanted || std::string_view(argv[i]) == suite->name;
    if (is_wanted) suite->run();
    any = any || is_wanted;
  }
  std::printf("%d checks, %d failed\n", check::checks.load(), check::failures.load());
  return any && check::failures == 0 ? 0 : 1;
}
