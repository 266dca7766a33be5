// The Python module fewest.core._native; the only file that knows Python. native.py checks all
// arguments before they come here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <stdexcept>

#include "search.hpp"

namespace nb = nanobind;

namespace {

using fewest::FactId;
using fewest::OperatorId;
using fewest::RunKey;
using fewest::Word;

template <class T, std::size_t dimensions>
using Input = nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;
template <class T, std::size_t dimensions>
using Output = nb::ndarray<nb::numpy, T, nb::ndim<dimensions>, nb::c_contig>;
using Groups = std::vector<std::vector<FactId>>;

// An array that owns its data, handed to Python without a copy.
template <class T>
Output<T, 1> to_array(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Output<T, 1>(kept->data(), {kept->size()}, owner);
}

template <class T>
Output<T, 1> new_array(std::size_t size) {
  T* data = new T[size];
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return Output<T, 1>(data, {size}, owner);
}

// A problem whose arrays stay alive as long as this does.
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
  fewest::Problem problem;
};

// Signals and the progress callback, called from the search while the GIL is released.
class PythonHost final : public fewest::Host {
 public:
  explicit PythonHost(nb::object progress) : progress_(std::move(progress)) {}

  bool poll(const fewest::Snapshot& snapshot, bool report) override {
    nb::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (report && !progress_.is_none())
        progress_(snapshot.cost, snapshot.num_states, snapshot.num_expanded, snapshot.seconds,
                  snapshot.bytes);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      return true;
    }
    return false;
  }

 private:
  nb::object progress_;
};

const char* name_of(fewest::Status status) {
  switch (status) {
    case fewest::Status::goal: return "goal";
    case fewest::Status::exhausted: return "exhausted";
    case fewest::Status::time: return "time";
    case fewest::Status::memory: return "memory";
    default: return "interrupted";
  }
}

// What native.py makes an Outcome of.
nb::tuple search(const BoundProblem& bound, Input<std::int64_t, 2> weight, Input<RunKey, 2> run_in,
                 Input<RunKey, 2> run_out, Groups run_fact, bool exhaust, double seconds,
                 std::size_t memory, std::size_t threads, nb::object progress) {
  const fewest::CostTable costs{static_cast<int>(weight.shape(0)), weight.data(), run_in.data(),
                                run_out.data(), std::move(run_fact)};
  PythonHost host(std::move(progress));
  fewest::Options options{exhaust, seconds, memory, &host};
  options.threads = std::max<std::size_t>(1, threads);
  fewest::Outcome outcome;
  {
    nb::gil_scoped_release released;
    outcome = fewest::search(bound.problem, costs, options);
  }
  nb::list layers;
  for (const auto& [cost, count] : outcome.layers) layers.append(nb::make_tuple(cost, count));
  return nb::make_tuple(name_of(outcome.status),
                        outcome.cost ? nb::object(nb::int_(*outcome.cost)) : nb::none(),
                        outcome.lower_bound, outcome.plan, layers, outcome.num_states,
                        outcome.num_goal_states, outcome.num_expanded, outcome.num_generated,
                        outcome.seconds, outcome.bytes, outcome.algorithm);
}

class BoundExpander {
 public:
  explicit BoundExpander(const BoundProblem& bound)
      : words_(bound.problem.words), expander_(fewest::make_expander(bound.problem)) {
    if (expander_ == nullptr) throw std::invalid_argument("a state has too many words");
  }

  nb::tuple expand(Input<Word, 2> states) const {
    std::vector<Word> successors;
    std::vector<std::int64_t> parents;
    std::vector<OperatorId> operators;
    {
      nb::gil_scoped_release released;
      expander_->expand(states.data(), states.shape(0), successors, parents, operators);
    }
    return nb::make_tuple(to_array(std::move(successors)), to_array(std::move(parents)),
                          to_array(std::move(operators)));
  }

 private:
  int words_;
  std::unique_ptr<fewest::Expander> expander_;
};

// Two threads may use one set: each call is done as a whole.
class BoundStateSet {
 public:
  explicit BoundStateSet(int words) : words_(words), set_(fewest::make_state_set(words)) {
    if (set_ == nullptr) throw std::invalid_argument("a state has too many words");
  }

  Output<bool, 1> insert(Input<Word, 2> states) {
    Output<bool, 1> is_new = new_array<bool>(states.shape(0));
    nb::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    if (!set_->insert(states.data(), states.shape(0), is_new.data())) throw std::bad_alloc();
    return is_new;
  }

  Output<bool, 1> contains(Input<Word, 2> states) {
    Output<bool, 1> is_in = new_array<bool>(states.shape(0));
    nb::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    set_->contains(states.data(), states.shape(0), is_in.data());
    return is_in;
  }

  std::size_t size() {
    nb::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    return set_->size();
  }

  Output<Word, 1> states() {
    std::vector<Word> words;
    {
      nb::gil_scoped_release released;
      const std::scoped_lock lock(mutex_);
      words.resize(set_->size() * words_);
      set_->copy_to(words.data());
    }
    return to_array(std::move(words));
  }

 private:
  int words_;
  std::unique_ptr<fewest::StateSet> set_;
  std::mutex mutex_;
};

}  // namespace

NB_MODULE(_native, module) {
  module.attr("MAX_WORDS") = fewest::kMaxWords;
  nb::class_<BoundProblem>(module, "Problem")
      .def(nb::init<int, Input<Word, 1>, Input<Word, 2>, Input<Word, 2>, Input<Word, 2>,
                    Input<FactId, 1>, Input<Word, 2>, Input<Word, 2>, Input<Word, 2>,
                    Input<Word, 2>, Groups, Groups>())
      .def_prop_ro("packed_words",
                   [](const BoundProblem& bound) { return fewest::packed_words(bound.problem); });
  nb::class_<BoundExpander>(module, "Expander")
      .def(nb::init<const BoundProblem&>(), nb::keep_alive<1, 2>())
      .def("expand", &BoundExpander::expand);
  nb::class_<BoundStateSet>(module, "StateSet")
      .def(nb::init<int>())
      .def("insert", &BoundStateSet::insert)
      .def("contains", &BoundStateSet::contains)
      .def("__len__", &BoundStateSet::size)
      .def("states", &BoundStateSet::states);
  module.def("search", &search, nb::arg("problem"), nb::arg("weight"), nb::arg("run_in"),
             nb::arg("run_out"), nb::arg("run_fact"), nb::arg("exhaust"), nb::arg("seconds"),
             nb::arg("memory"), nb::arg("threads"), nb::arg("progress").none());
}
