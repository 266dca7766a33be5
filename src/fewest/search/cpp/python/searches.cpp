// Functions that run a search on a problem, given its costs and limits. The GIL is released while they run.
#include <nanobind/stl/string.h>

#include "blind/search.hpp"
#include "python/inputs.hpp"

#include <nanobind/stl/tuple.h>

namespace fewest::python {

namespace {

void check_pair(const BoundProblem& bound, const BoundCosts& costs, const BoundProblem& reversed,
                const BoundCosts& reversed_costs) {
  check_costs(bound, costs);
  check_costs(reversed, reversed_costs);
  check_reversed(bound, reversed);
}

IndexOutcome search_index(const BoundProblem& bound, const BoundCosts& costs,
                          const BoundNumbering& numbering, const BoundNumbering& levels, const Limits& limits,
                          bool exhaust, std::size_t threads, bool plan, bool goal_distances,
                          std::optional<std::uint64_t> depth, std::string file, double save_every, bool from_goals) {
  check_costs(bound, costs);
  PythonHost host(limits);
  IndexOptions options{host.options(), plan, goal_distances, depth, from_goals, std::move(file), save_every};
  options.limits.exhaust = exhaust;
  options.limits.threads = std::max<std::size_t>(1, threads);
  nb::gil_scoped_release released;
  return fewest::search_index(bound.problem, costs.table, numbering.numbering, levels.numbering, options);
}

// Returns nullopt if the costs are not supported.
std::optional<GoalDistanceResult> measure(const BoundProblem& bound, const BoundCosts& costs,
                                    const BoundProblem& reversed, const BoundCosts& reversed_costs,
                                    const Limits& limits, bool counts_plans, bool lists_states) {
  check_pair(bound, costs, reversed, reversed_costs);
  PythonHost host(limits);
  const Options options = host.options();
  nb::gil_scoped_release released;
  return fewest::measure(bound.problem, costs.table, reversed.problem, reversed_costs.table,
                         counts_plans, lists_states, options);
}

// An abstraction: its problem and costs, the inverses of both, and the image of each fact of the original problem (-1:
// none).
using BoundAbstraction =
    std::tuple<const BoundProblem*, const BoundCosts*, const BoundProblem*, const BoundCosts*, Input<FactId>>;

// Returns nullopt if the problem is not supported. Throws std::invalid_argument if costs do not fit their problems, if
// an abstraction is incomplete, or if an image is invalid.
std::optional<GuidedOutcome> guided(const BoundProblem& bound, const BoundCosts& costs,
                                    const std::vector<BoundAbstraction>& abstractions, const Limits& limits) {
  check_costs(bound, costs);
  std::vector<Abstraction> given;
  for (const auto& [problem, table, reversed, reversed_table, image] : abstractions) {
    if (problem == nullptr || table == nullptr || reversed == nullptr || reversed_table == nullptr)
      throw std::invalid_argument("an abstraction must have two problems and their costs");
    check_pair(*problem, *table, *reversed, *reversed_table);
    const auto is_fact = [facts = problem->problem.num_facts](FactId fact) { return fact >= -1 && fact < facts; };
    if (image.size() != static_cast<std::size_t>(bound.problem.num_facts) ||
        !std::all_of(image.data(), image.data() + image.size(), is_fact))
      throw std::invalid_argument("an image must have an entry for each fact");
    given.push_back({&problem->problem, &table->table, &reversed->problem, &reversed_table->table, image.data()});
  }
  PythonHost host(limits);
  const Options options = host.options();
  nb::gil_scoped_release released;
  return fewest::guided(bound.problem, costs.table, std::move(given), options);
}

}  // namespace

void bind_searches(nb::module_& module) {
  module.def("is_layered", [](const BoundProblem& bound, const BoundCosts& costs) {
    check_costs(bound, costs);
    return is_layered(bound.problem, costs.table);
  }, nb::arg("problem"), nb::arg("costs"));
  module.def("search_index", &search_index, nb::arg("problem"), nb::arg("costs"),
             nb::arg("numbering"), nb::arg("levels"), nb::arg("limits"), nb::kw_only(), nb::arg("exhaust"),
             nb::arg("threads"), nb::arg("plan"), nb::arg("goal_distances"), nb::arg("depth").none(),
             nb::arg("file"), nb::arg("save_every"), nb::arg("from_goals"));
  module.def("measure", &measure, nb::arg("problem"), nb::arg("costs"), nb::arg("reversed"),
             nb::arg("reversed_costs"), nb::arg("limits"), nb::kw_only(), nb::arg("counts_plans"),
             nb::arg("lists_states"));
  module.def("guided", &guided, nb::arg("problem"), nb::arg("costs"), nb::arg("abstractions"), nb::arg("limits"));
}

}  // namespace fewest::python
