// Converts buffers to inputs, and outputs to NumPy arrays. The Python callers (native.py and others) have already
// checked the types, and most shapes.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "state/problem.hpp"

namespace fewest::python {

namespace nb = nanobind;

// Consecutive rows from any object that supports the buffer protocol. The object may have one or more dimensions.
template <class T>
using Input = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
using Groups = std::vector<std::vector<FactId>>;
using Bytes = nb::ndarray<const unsigned char, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Returns the number of rows of `states`. Throws std::invalid_argument unless the shape of `states` is [n, words].
inline std::size_t rows_in(const Input<Word>& states, int words) {
  if (states.ndim() != 2 || states.shape(1) != static_cast<std::size_t>(words))
    throw std::invalid_argument("states must have the shape (n, " + std::to_string(words) + ")");
  return states.shape(0);
}

// An array that owns its data, passed to Python without a copy.
template <class T>
Output<T> to_array(std::vector<T>&& values) {
  auto* vector = new std::vector<T>(std::move(values));
  nb::capsule owner(vector, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Output<T>(vector->data(), {vector->size()}, owner);
}

template <class T>
Output<T> new_array(std::size_t size) {
  T* data = new T[size];
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return Output<T>(data, {size}, owner);
}

}  // namespace fewest::python
