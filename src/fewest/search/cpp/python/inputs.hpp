// The inputs of a search, as Python objects that keep the underlying arrays alive.
#pragma once

#include <algorithm>

#include "index/index.hpp"
#include "informed/informed_problem.hpp"
#include "python/arrays.hpp"
#include "state/control.hpp"
#include "store/shards.hpp"

namespace fewest::python {

struct BoundEffects {
  // Throws std::invalid_argument if the arrays differ in size, or if a place or stage is invalid.
  BoundEffects(Input<Word> mask_, Input<Word> value_, Input<Word> flip_, Input<Word> clear_,
                Input<Word> need_mask_, Input<Word> need_value_, Input<std::int32_t> place_,
                Input<std::int32_t> stage_, std::vector<bool> everywhere);

  Input<Word> mask, value, flip, clear, need_mask, need_value;
  Input<std::int32_t> place, stage;
  ConditionalEffects conditional_effects;
};

struct BoundProblem {
  // Throws std::invalid_argument if the arrays have wrong sizes, if a bit has no fact, if a group names a fact that
  // does not exist, if `goal_list` does not ascend, or if an operator, an effect, a pending fact or a permutation is
  // invalid.
  BoundProblem(int num_facts, Input<Word> initial_, Input<Word> mask_, Input<Word> value_,
               Input<Word> flip_, Input<FactId> index_fact_, Input<Word> goal_mask_,
               Input<Word> goal_value_, Input<Word> forbid_mask_, Input<Word> forbid_value_,
               Groups exactly_one, Groups at_most_one, Input<FactId> permutations_,
               const BoundEffects* conditional_effects, Input<Word> pending_, Input<std::int32_t> goal_list_);

  Input<Word> initial, mask, value, flip, goal_mask, goal_value, forbid_mask, forbid_value, pending;
  Input<FactId> index_fact, permutations;
  Input<std::int32_t> goal_list;
  Problem problem;
  std::optional<BoundEffects> conditional_effects;  // keeps its arrays alive
};

struct BoundCosts {
  // Throws std::invalid_argument if there are not 1 or 2 parts, or if the arrays have wrong sizes.
  BoundCosts(int parts, Input<std::int64_t> weight_, Input<RunKey> run_in_, Input<RunKey> run_out_,
             Groups run_fact);

  Input<std::int64_t> weight;
  Input<RunKey> run_in, run_out;
  CostTable table;
};

// Throws std::invalid_argument if the costs have the wrong size for the problem, if a weight is negative, if a key or a
// fact does not exist, or if an operator continues merged moves of a fact that is not its `index_fact`.
void check_costs(const BoundProblem& bound, const BoundCosts& costs);

struct BoundSymmetry {
  // Throws std::invalid_argument if there are no rows, if a row is not a permutation of facts, or if the first row is
  // not the identity.
  BoundSymmetry(std::size_t order, Input<FactId> facts_, bool fixes_initial);

  Input<FactId> facts;
  Symmetry symmetry;
};

struct BoundNumbering {
  // Throws std::invalid_argument if the size, a step or an entry of `may_be_none` is out of range, or if there is not
  // one such entry per variable.
  BoundNumbering(Number size, Groups variables, std::vector<int> may_be_none, std::vector<int> steps,
                 std::vector<std::uint32_t> nodes, Input<Word> entries_);

  Input<Word> entries;
  Numbering numbering;
};

// These functions throw std::invalid_argument if the data belong to a different problem or name facts that do not
// exist.
void check_fits(const BoundProblem& bound, const BoundSymmetry& symmetry);
void check_fits(const Problem& problem, const Hints& hints);
void check_reversed(const BoundProblem& bound, const BoundProblem& reversed);

// The limits of a search, and the receiver of its progress reports.
struct Limits {
  Limits(double seconds_, std::size_t memory_, nb::object progress_)
      : seconds(seconds_), memory(memory_), progress(std::move(progress_)) {}

  double seconds;
  std::size_t memory;  // bytes
  nb::object progress;
};

// Handles signals, and calls the progress callback. A search calls this object while the GIL is released.
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

// The name of a status: both `running` and `paused` have the name "running".
const char* name_of(Status status);

void bind_inputs(nb::module_& module);
void bind_outcomes(nb::module_& module);
void bind_batches(nb::module_& module);
void bind_searches(nb::module_& module);
void bind_blind_searches(nb::module_& module);
void bind_informed(nb::module_& module);
void bind_shards(nb::module_& module);
void bind_index_parts(nb::module_& module);

}  // namespace fewest::python
