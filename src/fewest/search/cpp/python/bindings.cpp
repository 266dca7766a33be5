// The Python module fewest.search._native; the only file that knows Python. native.py checks all
// arguments before they come here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <stdexcept>

#include "informed/astar.hpp"
#include "index/index.hpp"
#include "informed/iterative_deepening.hpp"
#include "blind/search.hpp"

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

nb::list to_list(const std::vector<std::pair<fewest::PackedCost, std::uint64_t>>& layers) {
  nb::list list;
  for (const auto& [cost, count] : layers) list.append(nb::make_tuple(cost, count));
  return list;
}

// What native.py makes an Outcome of.
nb::tuple to_tuple(const fewest::Outcome& outcome) {
  return nb::make_tuple(name_of(outcome.status),
                        outcome.cost ? nb::object(nb::int_(*outcome.cost)) : nb::none(),
                        outcome.lower_bound, outcome.plan, to_list(outcome.layers),
                        outcome.num_states, outcome.num_goal_states, outcome.num_expanded,
                        outcome.num_generated, outcome.seconds, outcome.bytes, outcome.algorithm,
                        outcome.canonical_states, outcome.orbit_states);
}

// None if this is not searched by symmetry.
nb::object search(const BoundProblem& bound, Input<std::int64_t, 2> weight, Input<RunKey, 2> run_in,
                 Input<RunKey, 2> run_out, Groups run_fact, bool exhaust, double seconds,
                 std::size_t memory, std::size_t threads, nb::object progress,
                 std::optional<Input<FactId, 2>> symmetry, bool fixes_initial) {
  const fewest::CostTable costs{static_cast<int>(weight.shape(0)), weight.data(), run_in.data(),
                                run_out.data(), std::move(run_fact)};
  PythonHost host(std::move(progress));
  fewest::Options options{exhaust, seconds, memory, &host};
  options.threads = std::max<std::size_t>(1, threads);
  fewest::Symmetry group;
  if (symmetry) group = {symmetry->shape(0), symmetry->data(), fixes_initial};
  fewest::Outcome outcome;
  bool is_served = true;
  {
    nb::gil_scoped_release released;
    try {
      outcome = fewest::search(bound.problem, costs, options, symmetry ? &group : nullptr);
    } catch (const fewest::UnservedSymmetry&) {
      is_served = false;
    }
  }
  if (!is_served) return nb::none();
  return to_tuple(outcome);
}

// In two bits a state; the numbering as `index.Tables` has it. What `search` answers, then the
// distances to the goal, how many states have none, and a farthest state, or None three times.
nb::tuple search_index(const BoundProblem& bound, Input<std::int64_t, 2> weight,
                       Input<RunKey, 2> run_in, Input<RunKey, 2> run_out, Groups run_fact,
                       fewest::Number size, Groups variables, std::vector<int> may_be_none,
                       std::vector<int> steps, std::vector<std::uint32_t> nodes,
                       Input<Word, 1> entries, bool exhaust, double seconds, std::size_t memory,
                       bool plan, bool to_goal, nb::object progress) {
  const fewest::CostTable costs{static_cast<int>(weight.shape(0)), weight.data(), run_in.data(),
                                run_out.data(), std::move(run_fact)};
  const fewest::Numbering numbering{size,           std::move(variables), std::move(may_be_none),
                                    std::move(steps), std::move(nodes),     entries.data(),
                                    entries.shape(0)};
  PythonHost host(std::move(progress));
  fewest::IndexOptions options;
  options.limits.exhaust = exhaust;
  options.limits.seconds = seconds;
  options.limits.memory = memory;
  options.limits.host = &host;
  options.plan = plan;
  options.to_goal = to_goal;
  fewest::IndexOutcome outcome;
  {
    nb::gil_scoped_release released;
    outcome = fewest::search_index(bound.problem, costs, numbering, options);
  }
  if (!outcome.has_distances)
    return nb::make_tuple(to_tuple(outcome), nb::none(), nb::none(), nb::none());
  return nb::make_tuple(to_tuple(outcome), to_list(outcome.to_goal), outcome.num_dead,
                        outcome.hardest);
}

// The same from both ends: what bidirectional.py makes an Outcome of.
nb::tuple bidirectional(const BoundProblem& bound, Input<std::int64_t, 2> weight,
                        Input<RunKey, 2> run_in, Input<RunKey, 2> run_out, Groups run_fact,
                        const BoundProblem& reversed, Input<std::int64_t, 2> reversed_weight,
                        Input<RunKey, 2> reversed_in, Input<RunKey, 2> reversed_out,
                        Input<Word, 2> goals, double seconds, std::size_t memory,
                        nb::object progress) {
  const fewest::CostTable costs{static_cast<int>(weight.shape(0)), weight.data(), run_in.data(),
                                run_out.data(), run_fact};
  const fewest::CostTable reversed_costs{static_cast<int>(weight.shape(0)), reversed_weight.data(),
                                         reversed_in.data(), reversed_out.data(),
                                         std::move(run_fact)};
  PythonHost host(std::move(progress));
  const fewest::Options options{.seconds = seconds, .memory = memory, .host = &host};
  fewest::Meeting meeting;
  {
    nb::gil_scoped_release released;
    meeting = fewest::bidirectional(bound.problem, costs, reversed.problem, reversed_costs,
                                    goals.data(), goals.shape(0), options);
  }
  const fewest::Outcome& outcome = meeting.outcome;
  return nb::make_tuple(name_of(outcome.status),
                        outcome.cost ? nb::object(nb::int_(*outcome.cost)) : nb::none(),
                        outcome.lower_bound, outcome.plan, meeting.backward_plan,
                        to_array(std::move(meeting.waypoints)),
                        nb::make_tuple(meeting.forward_states, meeting.backward_states),
                        nb::make_tuple(meeting.forward_cost, meeting.backward_cost),
                        outcome.num_expanded, outcome.num_generated, outcome.seconds,
                        outcome.bytes, outcome.algorithm);
}

// What astar.py makes an Outcome and statistics of.
nb::tuple astar(const BoundProblem& bound, Input<std::int64_t, 2> weight, Input<RunKey, 2> run_in,
                Input<RunKey, 2> run_out, Groups run_fact, Groups groups,
                std::vector<int> numbers, Groups images, Groups dead_pieces, Groups dead_places,
                double seconds, std::size_t memory, bool is_deepening, int patterns,
                nb::object progress) {
  const fewest::CostTable costs{static_cast<int>(weight.shape(0)), weight.data(), run_in.data(),
                                run_out.data(), std::move(run_fact)};
  fewest::Hints hints{std::move(groups), std::move(numbers), std::move(images), {}};
  for (std::size_t i = 0; i < dead_pieces.size(); ++i)
    hints.dead.push_back({std::move(dead_pieces[i]), std::move(dead_places[i])});
  PythonHost host(std::move(progress));
  const fewest::Options options{false, seconds, memory, &host};
  fewest::InformedOptions informed{.is_deepening = is_deepening};
  informed.patterns = patterns < 0   ? fewest::InformedOptions::never
                      : patterns > 0 ? fewest::InformedOptions::always
                                     : fewest::InformedOptions::if_they_pay;
  fewest::AStarOutcome outcome;
  {
    nb::gil_scoped_release released;
    outcome = fewest::astar(bound.problem, costs, hints, options, informed);
  }
  nb::dict facts;
  facts["states"] = outcome.num_states;
  facts["expanded"] = outcome.num_expanded;
  facts["generated"] = outcome.num_generated;
  facts["dead"] = outcome.num_dead;
  facts["corrals"] = outcome.num_corrals;
  facts["seconds"] = outcome.seconds;
  facts["bytes"] = outcome.bytes;
  facts["agent"] = outcome.has_agent;
  facts["regions"] = outcome.merges_regions;
  facts["symmetries"] = outcome.num_images;
  facts["algorithm"] = outcome.algorithm;
  if (!outcome.iterations.empty()) facts["iterations"] = to_list(outcome.iterations);
  if (!outcome.patterns.empty()) {
    nb::dict patterns;
    patterns["facts"] = outcome.patterns;
    patterns["entries"] = outcome.pattern_entries;
    patterns["bytes"] = outcome.pattern_bytes;
    facts["patterns"] = patterns;
  }
  return nb::make_tuple(name_of(outcome.status),
                        outcome.cost ? nb::object(nb::int_(*outcome.cost)) : nb::none(),
                        outcome.lower_bound, outcome.initial_bound, outcome.plan, facts);
}

// What informed.py makes an Outcome and statistics of.
nb::tuple iterative_deepening(const BoundProblem& bound, Input<std::int64_t, 2> weight,
                              Input<RunKey, 2> run_in, Input<RunKey, 2> run_out, Groups run_fact,
                              Groups groups, std::vector<int> numbers, double seconds,
                              std::size_t memory, nb::object progress) {
  const fewest::CostTable costs{static_cast<int>(weight.shape(0)), weight.data(), run_in.data(),
                                run_out.data(), std::move(run_fact)};
  const fewest::Hints hints{std::move(groups), std::move(numbers), {}, {}};
  PythonHost host(std::move(progress));
  const fewest::Options options{.seconds = seconds, .memory = memory, .host = &host};
  fewest::DeepeningOutcome outcome;
  {
    nb::gil_scoped_release released;
    outcome = fewest::iterative_deepening(bound.problem, costs, hints, options);
  }
  nb::list iterations;
  for (const fewest::Iteration& one : outcome.iterations)
    iterations.append(nb::make_tuple(one.limit, one.num_states, one.num_expanded));
  nb::dict facts;
  facts["states"] = outcome.num_states;
  facts["expanded"] = outcome.num_expanded;
  facts["generated"] = outcome.num_generated;
  facts["dead"] = outcome.num_dead;
  facts["cut"] = outcome.num_cut;
  facts["reopened"] = outcome.num_reopened;
  facts["seconds"] = outcome.seconds;
  facts["bytes"] = outcome.bytes;
  facts["agent"] = outcome.has_agent;
  facts["iterations"] = iterations;
  return nb::make_tuple(name_of(outcome.status),
                        outcome.cost ? nb::object(nb::int_(*outcome.cost)) : nb::none(),
                        outcome.lower_bound, outcome.initial_bound, outcome.plan, facts);
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
  std::unique_ptr<fewest::BatchExpander> expander_;
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
  module.def("astar", &astar, nb::arg("problem"), nb::arg("weight"), nb::arg("run_in"),
             nb::arg("run_out"), nb::arg("run_fact"), nb::arg("groups"), nb::arg("numbers"),
             nb::arg("images"), nb::arg("dead_pieces"), nb::arg("dead_places"), nb::arg("seconds"),
             nb::arg("memory"), nb::arg("is_deepening"), nb::arg("patterns"),
             nb::arg("progress").none());
  module.def("iterative_deepening", &iterative_deepening, nb::arg("problem"), nb::arg("weight"),
             nb::arg("run_in"), nb::arg("run_out"), nb::arg("run_fact"), nb::arg("groups"),
             nb::arg("numbers"), nb::arg("seconds"), nb::arg("memory"), nb::arg("progress").none());
  module.def("search", &search, nb::arg("problem"), nb::arg("weight"), nb::arg("run_in"),
             nb::arg("run_out"), nb::arg("run_fact"), nb::arg("exhaust"), nb::arg("seconds"),
             nb::arg("memory"), nb::arg("threads"), nb::arg("progress").none(),
             nb::arg("symmetry").none(), nb::arg("fixes_initial"));
  module.def("bidirectional", &bidirectional, nb::arg("problem"), nb::arg("weight"),
             nb::arg("run_in"), nb::arg("run_out"), nb::arg("run_fact"), nb::arg("reversed"),
             nb::arg("reversed_weight"), nb::arg("reversed_in"), nb::arg("reversed_out"),
             nb::arg("goals"), nb::arg("seconds"), nb::arg("memory"), nb::arg("progress").none());
  module.def("search_index", &search_index, nb::arg("problem"), nb::arg("weight"),
             nb::arg("run_in"), nb::arg("run_out"), nb::arg("run_fact"), nb::arg("size"),
             nb::arg("variables"), nb::arg("may_be_none"), nb::arg("steps"), nb::arg("nodes"),
             nb::arg("entries"), nb::arg("exhaust"), nb::arg("seconds"), nb::arg("memory"),
             nb::arg("plan"), nb::arg("to_goal"), nb::arg("progress").none());
}
