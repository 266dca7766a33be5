#include "python/inputs.hpp"

#include "blind/search.hpp"

namespace fewest::python {

void bind_inputs(nb::module_& module) {
  nb::class_<BoundProblem>(module, "Problem")
      .def(nb::init<int, Input<Word, 1>, Input<Word, 2>, Input<Word, 2>, Input<Word, 2>,
                    Input<FactId, 1>, Input<Word, 2>, Input<Word, 2>, Input<Word, 2>,
                    Input<Word, 2>, Groups, Groups>(),
           nb::arg("num_facts"), nb::arg("initial"), nb::arg("mask"), nb::arg("value"),
           nb::arg("flip"), nb::arg("index_fact"), nb::arg("goal_mask"), nb::arg("goal_value"),
           nb::arg("forbid_mask"), nb::arg("forbid_value"), nb::arg("exactly_one"),
           nb::arg("at_most_one"))
      .def_prop_ro("packed_words",
                   [](const BoundProblem& bound) { return packed_words(bound.problem); });
  nb::class_<BoundCosts>(module, "CostTable")
      .def(nb::init<Input<std::int64_t, 2>, Input<RunKey, 2>, Input<RunKey, 2>, Groups>(),
           nb::arg("weight"), nb::arg("run_in"), nb::arg("run_out"), nb::arg("run_fact"));
  nb::class_<BoundSymmetry>(module, "Symmetry")
      .def(nb::init<Input<FactId, 2>, bool>(), nb::arg("facts"), nb::arg("fixes_initial"));
  nb::class_<BoundNumbering>(module, "Numbering")
      .def(nb::init<Number, Groups, std::vector<int>, std::vector<int>, std::vector<std::uint32_t>,
                    Input<Word, 1>>(),
           nb::arg("size"), nb::arg("variables"), nb::arg("may_be_none"), nb::arg("steps"),
           nb::arg("nodes"), nb::arg("entries"));
  nb::class_<Hints>(module, "Hints")
      .def(
          "__init__",
          [](Hints* self, Groups groups, std::vector<int> numbers, Groups images,
             std::vector<std::pair<std::vector<FactId>, std::vector<FactId>>> dead) {
            new (self) Hints{std::move(groups), std::move(numbers), std::move(images), {}};
            for (auto& [pieces, places] : dead)
              self->dead.push_back({std::move(pieces), std::move(places)});
          },
          nb::arg("groups"), nb::arg("numbers"), nb::arg("images"), nb::arg("dead"));
  nb::class_<Limits>(module, "Limits")
      .def(nb::init<double, std::size_t, nb::object>(), nb::arg("seconds"), nb::arg("memory"),
           nb::arg("progress").none());
}

}  // namespace fewest::python
