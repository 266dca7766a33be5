// The batch primitives: successors of rows of states, and sets of rows.
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <vector>

#include "blind/search.hpp"
#include "python/inputs.hpp"

namespace fewest::python {

namespace {

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

 private:
  int words_;
  std::unique_ptr<BatchExpander> expander_;
};

// Two threads may use one set: each call is atomic.
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

 private:
  int words_;
  std::unique_ptr<StateSet> set_;
  std::mutex mutex_;
};

// Sets of numbers 0 .. size - 1 that links join; each set is named by its least member.
class BoundComponents {
 public:
  explicit BoundComponents(std::uint32_t size) : parents_(size) {
    for (std::uint32_t number = 0; number < size; ++number) parents_[number] = number;
  }

  void link(Input<std::int32_t> sources, Input<std::int32_t> targets) {
    if (sources.ndim() != 1 || targets.ndim() != 1 || sources.shape(0) != targets.shape(0))
      throw std::invalid_argument("sources and targets must be of one shape (n,)");
    const std::size_t count = sources.shape(0);
    const std::int32_t* from = sources.data();
    const std::int32_t* to = targets.data();
    nb::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < count; ++i) join(checked(from[i]), checked(to[i]));
  }

  Output<std::int32_t> labels() {
    Output<std::int32_t> found = new_array<std::int32_t>(parents_.size());
    nb::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    for (std::uint32_t number = 0; number < parents_.size(); ++number)
      found.data()[number] = static_cast<std::int32_t>(root(number));
    return found;
  }

 private:
  std::uint32_t checked(std::int32_t number) const {
    if (number < 0 || static_cast<std::size_t>(number) >= parents_.size())
      throw std::invalid_argument("a link names a number that is not there");
    return static_cast<std::uint32_t>(number);
  }

  // Halves the path to the root.
  std::uint32_t root(std::uint32_t number) {
    while (parents_[number] != number) {
      parents_[number] = parents_[parents_[number]];
      number = parents_[number];
    }
    return number;
  }

  void join(std::uint32_t one, std::uint32_t other) {
    one = root(one);
    other = root(other);
    if (one < other) parents_[other] = one;
    if (other < one) parents_[one] = other;
  }

  std::vector<std::uint32_t> parents_;
  std::mutex mutex_;
};

}  // namespace

void bind_batches(nb::module_& module) {
  nb::class_<BoundExpander>(module, "Expander")
      .def(nb::init<const BoundProblem&>(), nb::keep_alive<1, 2>(), nb::arg("problem"))
      .def("expand", &BoundExpander::expand, nb::arg("states"));
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
}

}  // namespace fewest::python
