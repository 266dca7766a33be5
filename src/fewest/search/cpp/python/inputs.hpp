// What a search is asked, as Python objects that keep alive the arrays they were made of.
#pragma once

#include <algorithm>

#include "index/index.hpp"
#include "informed/astar.hpp"
#include "python/arrays.hpp"
#include "state/control.hpp"

namespace fewest::python {

struct BoundProblem {
  BoundProblem(int num_facts, Input<Word, 1> initial_, Input<Word, 2> mask_, Input<Word, 2> value_,
               Input<Word, 2> flip_, Input<FactId, 1> index_fact_, Input<Word, 2> goal_mask_,
               Input<Word, 2> goal_value_, Input<Word, 2> forbid_mask_,
               Input<Word, 2> forbid_value_, Groups exactly_one, Groups at_most_one)
      : initial(initial_), mask(mask_), value(value_), flip(flip_), goal_mask(goal_mask_),
        goal_value(goal_value_), forbid_mask(forbid_mask_), forbid_value(forbid_value_),
        index_fact(index_fact_) {
    problem.num_facts = num_facts;
    problem.words = static_cast<int>(initial.shape(0));
    problem.initial = initial.data();
    problem.operators = {mask.shape(0), mask.data(), value.data()};
    problem.flip = flip.data();
    problem.index_fact = index_fact.data();
    problem.goals = {goal_mask.shape(0), goal_mask.data(), goal_value.data()};
    problem.forbidden = {forbid_mask.shape(0), forbid_mask.data(), forbid_value.data()};
    problem.exactly_one = std::move(exactly_one);
    problem.at_most_one = std::move(at_most_one);
  }

  Input<Word, 1> initial;
  Input<Word, 2> mask, value, flip, goal_mask, goal_value, forbid_mask, forbid_value;
  Input<FactId, 1> index_fact;
  Problem problem;
};

struct BoundCosts {
  BoundCosts(Input<std::int64_t, 2> weight_, Input<RunKey, 2> run_in_, Input<RunKey, 2> run_out_,
             Groups run_fact)
      : weight(weight_), run_in(run_in_), run_out(run_out_),
        table{static_cast<int>(weight.shape(0)), weight.data(), run_in.data(), run_out.data(),
              std::move(run_fact)} {}

  Input<std::int64_t, 2> weight;
  Input<RunKey, 2> run_in, run_out;
  CostTable table;
};

struct BoundSymmetry {
  BoundSymmetry(Input<FactId, 2> facts_, bool fixes_initial)
      : facts(facts_), symmetry{facts.shape(0), facts.data(), fixes_initial} {}

  Input<FactId, 2> facts;
  Symmetry symmetry;
};

struct BoundNumbering {
  BoundNumbering(Number size, Groups variables, std::vector<int> may_be_none, std::vector<int> steps,
                 std::vector<std::uint32_t> nodes, Input<Word, 1> entries_)
      : entries(entries_),
        numbering{size,             std::move(variables), std::move(may_be_none), std::move(steps),
                  std::move(nodes), entries.data(),       entries.shape(0)} {}

  Input<Word, 1> entries;
  Numbering numbering;
};

// When to stop, and whom to tell how far it is.
struct Limits {
  Limits(double seconds_, std::size_t memory_, nb::object progress_)
      : seconds(seconds_), memory(memory_), progress(std::move(progress_)) {}

  double seconds;
  std::size_t memory;  // bytes
  nb::object progress;
};

// Signals and the progress callback, called from a search while the GIL is released.
class PythonHost final : public Host {
 public:
  explicit PythonHost(const Limits& limits) : limits_(limits) {}

  Options options() {
    return {.seconds = limits_.seconds, .memory = limits_.memory, .host = this};
  }

  bool poll(const Snapshot& snapshot, bool report) override {
    nb::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (report && !limits_.progress.is_none())
        limits_.progress(snapshot.cost, snapshot.num_states, snapshot.num_expanded,
                         snapshot.seconds, snapshot.bytes);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      return true;
    }
    return false;
  }

 private:
  const Limits& limits_;
};

void bind_inputs(nb::module_& module);
void bind_outcomes(nb::module_& module);
void bind_batches(nb::module_& module);
void bind_searches(nb::module_& module);

}  // namespace fewest::python
