// The batch functions, which compute the successors of rows of states, store sets of rows, and analyse graphs of
// states.
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <vector>

#include "blind/graph.hpp"
#include "blind/search.hpp"
#include "python/inputs.hpp"

namespace fewest::python {

namespace {

// Several threads may use the same set, since each call is atomic.
class BoundStateSet {
 public:
  explicit BoundStateSet(int words) : words_(words) {
    if (words < 1) throw std::invalid_argument("a state has at least one word");
    set_ = make_state_set(words);
    if (set_ == nullptr) throw std::invalid_argument("a state has too many words");
  }

  Output<bool> insert(Input<Word> states) {
    const std::size_t rows = rows_in(states, words_);
    Output<bool> is_new = new_array<bool>(rows);
    nb::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    if (!set_->insert(states.data(), rows, is_new.data())) throw std::bad_alloc();
    return is_new;
  }

  Output<bool> contains(Input<Word> states) {
    const std::size_t rows = rows_in(states, words_);
    Output<bool> is_in = new_array<bool>(rows);
    nb::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    set_->contains(states.data(), rows, is_in.data());
    return is_in;
  }

  Output<std::int64_t> find(Input<Word> states) {
    const std::size_t rows = rows_in(states, words_);
    Output<std::int64_t> places = new_array<std::int64_t>(rows);
    nb::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    set_->find(states.data(), rows, places.data());
    return places;
  }

  std::size_t size() {
    nb::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    return set_->size();
  }

  Output<Word> states() {
    std::vector<Word> words;
    {
      nb::gil_scoped_release released;
      const std::scoped_lock lock(mutex_);
      words.resize(set_->size() * words_);
      set_->copy_to(words.data());
    }
    return to_array(std::move(words));
  }

  int words() const { return words_; }

  template <class Use>
  void use(Use with) {
    const std::scoped_lock lock(mutex_);
    with(*set_);
  }

 private:
  int words_;
  std::unique_ptr<StateSet> set_;
  std::mutex mutex_;
};

class BoundExpander {
 public:
  explicit BoundExpander(const BoundProblem& bound) : words_(bound.problem.words), expander_(make_expander(bound.problem)) {
    if (expander_ == nullptr) throw std::invalid_argument("a state has too many words");
  }

  nb::tuple expand(Input<Word> states) const {
    const std::size_t rows = rows_in(states, words_);
    std::vector<Word> successors;
    std::vector<std::int64_t> parents;
    std::vector<OperatorId> operators;
    {
      nb::gil_scoped_release released;
      expander_->expand(states.data(), rows, successors, parents, operators);
    }
    return nb::make_tuple(to_array(std::move(successors)), to_array(std::move(parents)),
                          to_array(std::move(operators)));
  }

  // Returns (places, counts, operators): for each successor, its place in the set (-1: not in the set); the number of
  // successors of each row; and the operator of each successor.
  nb::tuple find_successors(BoundStateSet& set, Input<Word> states) const {
    const std::size_t rows = rows_in(states, words_);
    if (set.words() != words_) throw std::invalid_argument("the set has states with a different number of words");
    Output<std::int64_t> counts = new_array<std::int64_t>(rows);
    std::vector<std::int32_t> places;
    std::vector<OperatorId> operators;
    {
      nb::gil_scoped_release released;
      set.use([&](const StateSet& states_in) {
        expander_->find_successors(states_in, states.data(), rows, counts.data(), places, operators);
      });
    }
    return nb::make_tuple(to_array(std::move(places)), counts, to_array(std::move(operators)));
  }

 private:
  int words_;
  std::unique_ptr<BatchExpander> expander_;
};

// Several threads may use the same object, since each call is atomic.
class BoundComponents {
 public:
  explicit BoundComponents(std::uint32_t size) : components_(size) {}

  void link(Input<std::int32_t> sources, Input<std::int32_t> targets) {
    if (sources.ndim() != 1 || targets.ndim() != 1 || sources.shape(0) != targets.shape(0))
      throw std::invalid_argument("sources and targets must have the same shape (n,)");
    nb::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    components_.link(sources.data(), targets.data(), sources.shape(0));
  }

  Output<std::int32_t> labels() {
    Output<std::int32_t> found = new_array<std::int32_t>(components_.size());
    nb::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    components_.labels(found.data());
    return found;
  }

 private:
  Components components_;
  std::mutex mutex_;
};

Output<std::int16_t> measured_graph(Input<std::int64_t> first, Input<std::int32_t> target, Input<std::int32_t> label,
                                    Input<std::int8_t> cost, Input<bool> is_start) {
  if (first.ndim() != 1 || target.ndim() != 1 || label.ndim() != 1 || cost.ndim() != 1 || is_start.ndim() != 1 ||
      first.shape(0) != is_start.shape(0) + 1 || target.shape(0) != label.shape(0))
    throw std::invalid_argument("the lengths of the arrays of a graph do not match");
  const LabelledGraph graph{is_start.shape(0), target.shape(0), cost.shape(0),
                            first.data(),      target.data(),   label.data()};
  Output<std::int16_t> distance = new_array<std::int16_t>(graph.num_nodes);
  nb::gil_scoped_release released;
  check_graph(graph);
  measure_graph(graph, cost.data(), is_start.data(), distance.data());
  return distance;
}

}  // namespace

void bind_batches(nb::module_& module) {
  nb::class_<BoundExpander>(module, "Expander")
      .def(nb::init<const BoundProblem&>(), nb::keep_alive<1, 2>(), nb::arg("problem"))
      .def("expand", &BoundExpander::expand, nb::arg("states"))
      .def("find_successors", &BoundExpander::find_successors, nb::arg("set"), nb::arg("states"));
  nb::class_<BoundStateSet>(module, "StateSet")
      .def(nb::init<int>(), nb::arg("words"))
      .def("insert", &BoundStateSet::insert, nb::arg("states"))
      .def("contains", &BoundStateSet::contains, nb::arg("states"))
      .def("find", &BoundStateSet::find, nb::arg("states"))
      .def("__len__", &BoundStateSet::size)
      .def("states", &BoundStateSet::states);
  nb::class_<BoundComponents>(module, "Components")
      .def(nb::init<std::uint32_t>(), nb::arg("size"))
      .def("link", &BoundComponents::link, nb::arg("sources"), nb::arg("targets"))
      .def("labels", &BoundComponents::labels);
  module.def("measure_graph", &measured_graph, nb::arg("first"), nb::arg("target"), nb::arg("label"),
             nb::arg("cost"), nb::arg("is_start"));
}

}  // namespace fewest::python
