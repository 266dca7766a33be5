// Parts of a search in an index. The GIL is released while they search, send and receive, so that other threads can
// run.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "index/part.hpp"
#include "python/inputs.hpp"

namespace fewest::python {

namespace {

std::unique_ptr<IndexPart> bound_part(const BoundProblem& bound, const BoundCosts& costs, const BoundNumbering& numbering,
                                const BoundNumbering& levels, std::vector<Number> ends, std::size_t part,
                                std::size_t threads, std::size_t memory, std::size_t outbox,
                                std::size_t states_per_thread) {
  check_costs(bound, costs);
  nb::gil_scoped_release released;
  return make_part(bound.problem, costs.table, numbering.numbering, levels.numbering,
                   {std::move(ends), part, std::max<std::size_t>(1, threads), memory, outbox, states_per_thread});
}

}  // namespace

void bind_index_parts(nb::module_& module) {
  const auto released = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<IndexPart>(module, "IndexPart")
      .def("start", &IndexPart::start)
      .def("begin", &IndexPart::begin, nb::arg("number"), released)
      .def("begin_at_goals", &IndexPart::begin_at_goals, released)
      .def("move", &IndexPart::move, nb::arg("backward"), nb::arg("within"), released)
      .def("receive",
           [](IndexPart& part, Bytes bytes, bool within) {
             nb::gil_scoped_release without;
             part.receive(bytes.data(), bytes.size(), within);
           },
           nb::arg("words"), nb::arg("within"))
      .def("take",
           [](IndexPart& part, std::size_t other, std::size_t most) {
             PackedWords words;
             {
               nb::gil_scoped_release without;
               part.take(other, most, words);
             }
             return to_array(std::move(words));
           },
           nb::arg("part"), nb::arg("most"))
      .def("num_waiting", &IndexPart::num_waiting, nb::arg("part"))
      .def("cancel", &IndexPart::cancel)
      .def("advance", &IndexPart::advance, nb::arg("within"), released)
      .def("goals",
           [](IndexPart& part) {
             nb::gil_scoped_release without;
             const GoalCount found = part.goals();
             return std::pair{found.count, found.first};
           })
      .def("mark_goals", &IndexPart::mark_goals, released)
      .def("num_generated", &IndexPart::num_generated, released)
      .def("num_counted", &IndexPart::num_counted)
      .def("least", &IndexPart::least, released)
      .def("fewest_facts", &IndexPart::fewest_facts, released)
      .def("remember", &IndexPart::list, released)
      .def("meet", &IndexPart::meet, released)
      .def("state", &IndexPart::state, nb::arg("number"))
      .def("operators", &IndexPart::operators, nb::arg("origin"), nb::arg("target"), released)
      .def("write", &IndexPart::write, nb::arg("path"), nb::arg("layer"), released)
      .def("read", &IndexPart::read, nb::arg("paths"), nb::arg("layer"), released)
      .def_prop_ro("num_marked", &IndexPart::num_marked)
      .def_prop_ro("bytes", &IndexPart::bytes);
  module.def("make_index_part", &bound_part, nb::arg("problem"), nb::arg("costs"), nb::arg("numbering"), nb::arg("levels"),
             nb::arg("ends"), nb::arg("part"), nb::arg("threads"), nb::arg("memory"), nb::arg("outbox"),
             nb::arg("states_per_thread"), nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>(),
             nb::keep_alive<0, 4>());
}

}  // namespace fewest::python
