// The Python module fewest.search._native; this folder alone knows Python. native.py, informed.py and
// bidirectional.py check all arguments before they come here; _native.pyi says what is bound.
#include "python/inputs.hpp"

NB_MODULE(_native, module) {
  module.attr("MAX_WORDS") = fewest::kMaxWords;
  fewest::python::bind_inputs(module);
  fewest::python::bind_outcomes(module);
  fewest::python::bind_batches(module);
  fewest::python::bind_searches(module);
}
