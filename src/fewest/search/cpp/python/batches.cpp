// The batch primitives: successors of rows of states, and sets of rows.
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>

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

}  // namespace

void bind_batches(nb::module_& module) {
  nb::class_<BoundExpander>(module, "Expander")
      .def(nb::init<const BoundProblem&>(), nb::keep_alive<1, 2>(), nb::arg("problem"))
      .def("expand", &BoundExpander::expand, nb::arg("states"));
  nb::class_<BoundStateSet>(module, "StateSet")
      .def(nb::init<int>(), nb::arg("words"))
      .def("insert", &BoundStateSet::insert, nb::arg("states"))
      .def("contains", &BoundStateSet::contains, nb::arg("states"))
      .def("__len__", &BoundStateSet::size)
      .def("states", &BoundStateSet::states);
}

}  // namespace fewest::python
