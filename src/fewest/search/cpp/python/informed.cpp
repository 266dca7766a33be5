// Informed searches, as objects that Python advances by quotas of work. The GIL is released while they run.
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "python/inputs.hpp"

#include <nanobind/stl/tuple.h>

namespace fewest::python {

namespace {

// States from a search, which are used to choose local PDBs.
struct Samples {
  std::vector<PieceCube> states;
};

// The new object contains references to `bound` and `costs`; Python keeps them alive.
InformedProblem* make_informed_problem(const BoundProblem& bound, const BoundCosts& costs, const Hints& hints) {
  check_costs(bound, costs);
  check_fits(bound.problem, hints);
  nb::gil_scoped_release released;
  return new InformedProblem(bound.problem, costs.table, hints);
}

// Runs a step under these limits. Returns `running`, or the reason why the step stopped.
template <class Run>
const char* run_within(const Limits& limits, Run run) {
  PythonHost host(limits);
  const Options options = host.options();
  Control control(options);
  nb::gil_scoped_release released;
  return name_of(run(control, options));
}

std::vector<PieceCube> states_of(const Samples* samples) {
  return samples == nullptr ? std::vector<PieceCube>() : samples->states;
}

Algorithm algorithm_of(const std::string& name) {
  if (name == "a*") return Algorithm::astar;
  if (name == "ida*") return Algorithm::ida_star;
  if (name == "bidirectional a*") return Algorithm::both_ends;
  throw std::invalid_argument("there is no informed search with the name " + name);
}

std::unique_ptr<InformedSearch> make_informed_search(const InformedProblem& problem, const Hints& hints, const std::string& algorithm,
                                     std::size_t memory, std::size_t threads,
                                     std::pair<std::uint32_t, std::uint32_t> weight, PackedCost at_least,
                                     std::uint64_t expanded_before, std::size_t most_in_table, std::string file,
                                     double save_every) {
  check_fits(problem.problem(), hints);
  SearchOptions options;
  options.algorithm = algorithm_of(algorithm);
  options.memory = memory;
  options.threads = std::max<std::size_t>(1, threads);
  options.weight = {weight.first, weight.second};
  options.at_least = at_least;
  options.expanded_before = expanded_before;
  options.most_in_table = most_in_table;
  options.file = std::move(file);
  options.save_every = save_every;
  nb::gil_scoped_release released;
  return make_search(problem, hints, options);
}

const char* advance_informed(InformedSearch& search, const Limits& limits, std::uint64_t work, std::size_t bytes) {
  return run_within(limits, [&](Control& control, const Options&) { return search.advance(control, {work, bytes}); });
}

}  // namespace

void bind_informed(nb::module_& module) {
  nb::class_<Samples>(module, "Samples").def("__len__", [](const Samples& samples) { return samples.states.size(); });
  nb::class_<LocalPdbLimits>(module, "LocalPdbLimits")
      .def("__init__",
           [](LocalPdbLimits* self, int spots, std::size_t states, std::size_t filled, std::size_t memory) {
             if (spots < 1 || spots > 56) throw std::invalid_argument("a local PDB has 1 to 56 spots");
             new (self) LocalPdbLimits{spots, states, filled, memory};
           },
           nb::kw_only(), nb::arg("spots"), nb::arg("states"), nb::arg("filled"), nb::arg("memory"));
  nb::class_<InformedProblem>(module, "InformedProblem")
      .def(nb::new_(&make_informed_problem), nb::arg("problem"), nb::arg("costs"), nb::arg("hints"), nb::keep_alive<0, 2>(),
           nb::keep_alive<0, 3>())  // argument 1 of a `new_` function is the class
      .def_prop_ro("has_agent", &InformedProblem::has_agent)
      .def_prop_ro("can_begin_at_goals", &InformedProblem::can_begin_at_goals)
      .def_prop_ro("can_have_local_pdbs", &InformedProblem::can_have_local_pdbs)
      .def_prop_ro("has_pattern_choice", &InformedProblem::has_pattern_choice)
      .def_prop_ro("do_patterns_pay", &InformedProblem::do_patterns_pay)
      .def_prop_ro("num_pattern_entries", &InformedProblem::num_pattern_entries)
      .def_prop_ro("patterns", &InformedProblem::patterns)
      .def_prop_ro("pattern_bytes", &InformedProblem::pattern_bytes)
      .def_prop_ro("has_local_pdbs", &InformedProblem::has_local_pdbs)
      .def_prop_ro("num_local_pdbs", &InformedProblem::num_local_pdbs)
      .def_prop_ro("local_pdb_bytes", &InformedProblem::local_pdb_bytes)
      .def("choose_patterns",
           [](InformedProblem& problem, const Limits& limits) {
             if (problem.has_agent())
               throw std::invalid_argument("pattern databases do not support tasks with an agent");
             return run_within(limits, [&](Control& control, const Options& options) {
               return problem.choose_patterns(control, options.memory);
             });
           },
           nb::arg("limits"))
      .def("build_patterns",
           [](InformedProblem& problem, const Limits& limits, std::size_t threads) {
             if (!problem.has_pattern_choice())
               throw std::invalid_argument("patterns must be chosen before they are built");
             return run_within(limits, [&](Control& control, const Options&) {
               return problem.build_patterns(control, std::max<std::size_t>(1, threads));
             });
           },
           nb::arg("limits"), nb::arg("threads"))
      .def("build_local_pdbs",
           [](InformedProblem& problem, const Limits& limits, const LocalPdbLimits& pdb_limits, const Samples* samples) {
             if (!problem.can_have_local_pdbs()) throw std::invalid_argument("this task does not support local PDBs");
             return run_within(limits, [&](Control& control, const Options&) {
               return problem.build_local_pdbs(control, pdb_limits, states_of(samples));
             });
           },
           nb::arg("limits"), nb::arg("pdb_limits"), nb::arg("samples").none())
      .def("build_local_pdbs_from_goals",
           [](InformedProblem& problem, const Limits& limits, const LocalPdbLimits& pdb_limits) {
             if (!problem.can_begin_at_goals())
               throw std::invalid_argument("this task cannot be searched from its goals");
             return run_within(limits, [&](Control& control, const Options&) {
               return problem.build_local_pdbs_from_goals(control, pdb_limits);
             });
           },
           nb::arg("limits"), nb::arg("pdb_limits"));
  nb::class_<InformedSearch>(module, "InformedSearch")
      .def(nb::new_(&make_informed_search), nb::arg("problem"), nb::arg("hints"), nb::kw_only(), nb::arg("algorithm"),
           nb::arg("memory"), nb::arg("threads"), nb::arg("weight"), nb::arg("at_least"), nb::arg("expanded_before"),
           nb::arg("most_in_table"), nb::arg("file"), nb::arg("save_every"), nb::keep_alive<0, 2>())
      .def("advance", &advance_informed, nb::arg("limits"), nb::arg("work"), nb::arg("bytes"))
      .def_prop_ro("work", &InformedSearch::work)
      .def_prop_ro("bound", &InformedSearch::bound)
      .def_prop_ro("bytes", &InformedSearch::bytes)
      .def("samples", [](InformedSearch& search, std::size_t count) { return Samples{search.samples(count)}; },
           nb::arg("count"))
      .def("outcome", &InformedSearch::outcome);
}

}  // namespace fewest::python
