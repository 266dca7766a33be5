// Shards of a search on disk. The GIL is released while they work, so that other threads can run.
#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "python/inputs.hpp"
#include "store/shards.hpp"

namespace fewest::python {

namespace {

// Returns nullptr if the search could not be breadth-first, or if a backward search could miss paths.
std::unique_ptr<Shards> make(const BoundProblem& bound, const BoundCosts& costs, const BoundSymmetry* symmetry,
                             std::string folder, std::uint32_t num_shards, std::uint32_t owner,
                             std::uint32_t num_owners, std::size_t workers, std::size_t memory, bool is_reversible,
                             const BoundProblem* back, const BoundCosts* back_costs, std::vector<std::uint32_t> ends) {
  check_costs(bound, costs);
  if (symmetry != nullptr) check_fits(bound, *symmetry);
  if ((back == nullptr) != (back_costs == nullptr))
    throw std::invalid_argument("back and back_costs must be given together");
  if (num_shards < 1 || num_owners < 1 || owner >= num_owners || workers < 1)
    throw std::invalid_argument(
        "num_shards, num_owners and workers must be at least 1, and owner must be less than num_owners");
  if (num_owners > num_shards)
    throw std::invalid_argument("there are " + std::to_string(num_shards) +
                                " shards, so there must be at most as many owners");
  const bool is_strictly_ascending = std::adjacent_find(ends.begin(), ends.end(), std::greater_equal<>()) == ends.end();
  if (!ends.empty() && (ends.size() != num_owners || ends.front() < 1 || ends.back() != num_shards || !is_strictly_ascending))
    throw std::invalid_argument("ends must give each owner at least one shard, and the last end must be num_shards");
  std::optional<Backwards> backwards;
  if (back != nullptr) {
    check_costs(*back, *back_costs);
    check_reversed(bound, *back);
  }
  if (back != nullptr && back_costs != nullptr) backwards.emplace(back->problem, back_costs->table);
  return make_shards(bound.problem, costs.table, symmetry == nullptr ? nullptr : &symmetry->symmetry,
                     {std::move(folder), num_shards, owner, num_owners, workers, memory, is_reversible,
                      std::move(ends)},
                     backwards ? &*backwards : nullptr);
}

const Word* packed(const Shards& shards, const FactSet& state) {
  if (state.size() != static_cast<std::size_t>(shards.words()))
    throw std::invalid_argument("a packed state must have as many words as the states of the shards");
  return state.data();
}

std::vector<OperatorId> plan(Shards& shards, std::size_t layer, const FactSet& goal, nb::object layer_has) {
  // If `layer_has` is given, other owners or an object store hold the layers.
  const bool has_layer = !layer_has.is_none() || layer < shards.num_layers();
  if (goal.size() != static_cast<std::size_t>(shards.words()) || !has_layer)
    throw std::invalid_argument("goal must be a packed state of an existing layer");
  return shards.plan(layer, goal, [&](std::size_t number, const Word* state) {
    if (layer_has.is_none()) return shards.contains(number, state);
    return nb::cast<bool>(layer_has(number, FactSet(state, state + shards.words())));
  });
}

void translate(const std::exception_ptr& thrown, void* damage) {
  try {
    std::rethrow_exception(thrown);
  } catch (const FileError& error) {
    errno = error.number;
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, error.path.c_str());
  } catch (const Damage& error) {
    PyErr_SetString(static_cast<PyObject*>(damage), (error.path + ": " + error.about).c_str());
  }
}

}  // namespace

void bind_shards(nb::module_& module) {
  nb::object damage = nb::steal(PyErr_NewException("fewest.search._native.DamageError", PyExc_ValueError, nullptr));
  module.attr("DamageError") = damage;
  nb::register_exception_translator(translate, damage.ptr());
  nb::class_<LayerCounts>(module, "LayerCounts")
      .def_ro("entries", &LayerCounts::entries)
      .def_ro("states", &LayerCounts::states)
      .def_ro("goals", &LayerCounts::goals)
      .def_ro("canonical", &LayerCounts::canonical)
      .def_ro("in_orbits", &LayerCounts::in_orbits)
      .def_ro("goal", &LayerCounts::goal);
  const auto released = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<Shards>(module, "Shards")
      .def("begin", &Shards::begin, released)
      .def("search_within", &Shards::search_within, nb::arg("reached"), nb::keep_alive<1, 2>())
      .def("begin_at_goals", &Shards::begin_at_goals, released)
      .def("least", &Shards::least, nb::arg("layer"), released)
      .def("open", &Shards::open, nb::arg("num_layers"), released)
      .def("expand", &Shards::expand, nb::arg("worker"), released)
      .def("merge", &Shards::merge, nb::arg("worker"), released)
      .def("close_layer", &Shards::close_layer, released)
      .def("keep", &Shards::keep, released)
      .def("write_to", &Shards::write_to, nb::arg("folder"))
      .def("abandon", &Shards::abandon, released)
      .def("outgoing",
           [](Shards& shards, std::uint32_t owner, std::size_t begin, std::size_t most) {
             std::pair<std::vector<unsigned char>, std::size_t> piece;
             {
               nb::gil_scoped_release without;
               piece = shards.outgoing(owner, begin, most);
             }
             return nb::make_tuple(to_array(std::move(piece.first)), piece.second);
           },
           nb::arg("owner"), nb::arg("begin"), nb::arg("most"))
      .def("forget_sent", &Shards::forget_sent)
      .def("receive",
           [](Shards& shards, Bytes bytes) {
             nb::gil_scoped_release without;
             shards.receive(bytes.data(), bytes.size());
           },
           nb::arg("sent"))
      .def("num_waiting", &Shards::num_waiting, nb::arg("owner"), nb::arg("begin"))
      .def("has_doubts", &Shards::has_doubts)
      .def("set_doubts", &Shards::set_doubts, nb::arg("doubts"))
      .def("give_away", &Shards::give_away)
      .def("expand_other", &Shards::expand_other, nb::arg("file"), nb::arg("shard"), released)
      .def("take_over", &Shards::take_over, nb::arg("files"), nb::arg("num_shards"), released)
      .def("among",
           [](Shards& shards, std::size_t layer, Input<Word> states) {
             const std::size_t rows = rows_in(states, shards.fact_words());
             Output<bool> is_in = new_array<bool>(rows);
             nb::gil_scoped_release without;
             shards.among(layer, states.data(), rows, is_in.data());
             return is_in;
           },
           nb::arg("layer"), nb::arg("states"))
      .def("contains",
           [](Shards& shards, std::size_t layer, const FactSet& state) {
             return shards.contains(layer, packed(shards, state));
           },
           nb::arg("layer"), nb::arg("state"))
      .def("shard_of", [](Shards& shards, const FactSet& state) { return shards.shard_of(packed(shards, state)); },
           nb::arg("state"))
      .def("file_contains",
           [](Shards& shards, const std::string& file, const FactSet& state) {
             return shards.file_contains(file, packed(shards, state));
           },
           nb::arg("file"), nb::arg("state"))
      .def("plan", &plan, nb::arg("layer"), nb::arg("goal"), nb::arg("layer_has").none())
      .def("cancel", &Shards::cancel)
      .def_prop_ro("num_layers", &Shards::num_layers)
      .def_prop_ro("num_expanded", &Shards::num_expanded)
      .def_prop_ro("num_generated", &Shards::num_generated)
      .def_prop_ro("num_merged", &Shards::num_merged)
      .def_prop_ro("bytes_in_memory", &Shards::bytes_in_memory)
      .def_prop_ro("bytes_spooled", &Shards::bytes_spooled)
      .def_prop_ro("algorithm", &Shards::algorithm)
      .def_prop_ro("packing", &Shards::packing);
  module.def("make_shards", &make, nb::arg("problem"), nb::arg("costs"), nb::arg("symmetry").none(),
             nb::arg("folder"), nb::arg("num_shards"), nb::arg("owner"), nb::arg("num_owners"), nb::arg("workers"),
             nb::arg("memory"), nb::arg("is_reversible"), nb::arg("back").none(), nb::arg("back_costs").none(),
             nb::arg("ends"),
             nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>(), nb::keep_alive<0, 11>(),
             nb::keep_alive<0, 12>());
}

}  // namespace fewest::python
