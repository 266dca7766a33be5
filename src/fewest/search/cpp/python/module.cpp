// The Python module fewest.search._native; only the C++ code in this folder uses Python. Most calls of the bindings are
// in native*.py and informed.py; _native.pyi lists the bindings.
#include "python/inputs.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace {

// The tables of a small search take one or two megabytes. If their pages were returned to the system after each search,
// the next search would have to request new pages, which the system would have to clear. In a search that takes one
// millisecond, this would take a fifth of the time.
void keep_pages() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
#endif
}

}  // namespace

NB_MODULE(_native, module) {
  keep_pages();
  nanobind::set_leak_warnings(false);  // the command line exits without freeing reference cycles
  module.attr("MAX_WORDS") = fewest::kMaxWords;
  fewest::python::bind_inputs(module);
  fewest::python::bind_outcomes(module);
  fewest::python::bind_batches(module);
  fewest::python::bind_searches(module);
  fewest::python::bind_informed(module);
  fewest::python::bind_shards(module);
  fewest::python::bind_index_parts(module);
  fewest::python::bind_blind_searches(module);
}
