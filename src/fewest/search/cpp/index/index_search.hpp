// Breadth-first search in two bits a state, without a table of states.
//
// Problem: a space of hundreds of millions of states fits no table, and a state that is known to be
// one of N needs none: its number says where its bits are.
// Solution: layers are sweeps over `Marks` in the order of the numbers. Each state is unranked (cheap,
// since it shares the beginning of its path with the one before), expanded by the expanders of
// breadth_first.hpp, its successors ranked and marked; the words that hold the marks are fetched
// some successors ahead. Two bits say nothing of distances, so a plan is found by halves: all states
// half-way from the start are listed (as differences of their numbers), a search backwards from
// the goal meets one of them, and each half is halved again. All in all that costs less than twice
// the search, mostly far less, since two halves of a way reach fewer states than the whole.
// Backwards it also gives the distances of all reached states to the goal.
#pragma once

#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "index/index.hpp"
#include "index/kept_marks.hpp"
#include "index/marks.hpp"
#include "expand/expander.hpp"
#include "index/undo.hpp"

namespace fewest {

template <int P, int Q>
class IndexSearch {
 public:
  IndexSearch(const Compiler& compiler, const CostTable& costs, Expander<P, Plain<P>>& expander,
              const Numbers<P, Q>& numbers, const IndexOptions& options,
              const char* algorithm)
      : layout_(compiler.layout()),
        expander_(expander),
        numbers_(numbers),
        options_(options),
        kept_(options.file, options.keep_every),
        algorithm_(algorithm),
        control_(options.limits),
        budget_(options.limits.memory),
        marks_(budget_),
        undo_(compiler, costs, numbers),
        goals_(compiler, compiler.problem().goals),
        batches_(numbers.num_steps()) {}

  IndexOutcome run(const State<P>& initial) {
    if (budget_.take(numbers_.bytes()) && marks_.allocate(numbers_.size()))
      search(initial);
    else
      stop(Status::memory);
    return outcome(initial);
  }

 private:
  static constexpr unsigned kBlock = 64, kBatch = 16;
  static constexpr std::size_t kNumKnown = 5;  // words before the goal (`keep`)
  static constexpr std::uint64_t kExpansionsPerCheck = 1024;

  struct Entry {
    Number number;
    State<P> state;
  };
  struct Block {
    unsigned size = 0;
    Entry successors[kBlock];
  };
  struct Batch {
    unsigned size = 0;
    typename Numbers<P, Q>::Reading readings[kBatch];
    Entry successors[kBatch];
  };

  void search(const State<P>& initial) {
    Plain<P> nothing{};
    const State<P> start = expander_.start(initial, nothing);
    bool is_advanced = take_up();
    if (!is_advanced) {
      layer_states_ = {0};
      marks_.call(numbers_.rank(start), Mark::out);
      settle(start);
    } else if (goal_ && !options_.limits.exhaust) {
      stop(Status::goal);
    }
    for (; status_ == Status::running; is_advanced = false) {
      if (!is_advanced && !marks_.advance()) return stop(Status::exhausted);
      if (kept_.is_due()) keep();
      layer_states_.push_back(0);
      expand_layer([this](const State<P>& s) { settle(s); });
    }
  }

  // Between two layers, the newest of which is `now`.
  void keep() {
    std::vector<Word> known{num_goals_, num_expanded_, num_generated_, goal_.has_value(), goal_layer_};
    if (goal_) known.insert(known.end(), goal_->w, goal_->w + P);
    known.insert(known.end(), layer_states_.begin(), layer_states_.end());
    kept_.write(known, marks_.words());
  }

  // As `keep` left it. False: there is nothing.
  bool take_up() {
    std::vector<Word> known;
    if (!kept_.read(known, marks_.words())) return false;
    const std::size_t begin = kNumKnown + (known.at(3) != 0 ? P : 0);
    if (known.size() <= begin) throw Damage(options_.file, "it is no such index");
    num_goals_ = known[0], num_expanded_ = known[1], num_generated_ = known[2], goal_layer_ = known[4];
    if (known[3] != 0) goal_ = state_from<P>(&known[kNumKnown], P);
    layer_states_.assign(known.begin() + static_cast<std::ptrdiff_t>(begin), known.end());
    num_states_ = std::accumulate(layer_states_.begin(), layer_states_.end(), std::uint64_t{0});
    marks_.written();
    return true;
  }

  void stop(Status status) {
    if (status_ == Status::running) status_ = status;
  }

  bool goes_on(std::uint64_t& count) {
    if (count++ % kExpansionsPerCheck == 0)
      stop(control_.check(layer_states_.size() - (layer_states_.size() > 1 ? 2 : 1), num_states_,
                          num_expanded_, [this] { return budget_.used(); }));
    return status_ == Status::running;
  }

  // Calls reached(state) for every new state.
  template <class Reached>
  void expand_layer(Reached reached) {
    Cursor<P, Q> cursor(numbers_);
    marks_.for_each_now([&](Number number) {
      if (!goes_on(num_expanded_)) return false;
      cursor.seek(number);
      expander_.expand(State<P>(cursor.state()), successors_.cleared());
      for (const auto& next : successors_) {
        const auto code = numbers_.code(next.state);
        const auto [step, before, row] = cursor.common(code);
        if (step == numbers_.num_steps()) continue;
        Batch& batch = batches_[step];
        batch.readings[batch.size] = {before, code, row};
        batch.successors[batch.size] = {0, next.state};
        if (++batch.size == kBatch) rank_batch(step, reached);
      }
      return true;
    });
    for (int step = 0; step < numbers_.num_steps(); ++step) rank_batch(step, reached);
    for (Block& block : blocks_) call(block, reached);
  }

  // Successors that differ from where they come from in the same step, and later ones.
  template <class Reached>
  void rank_batch(int step, Reached& reached) {
    Batch& batch = batches_[step];
    const unsigned size = std::exchange(batch.size, 0);
    numbers_.rank_all(batch.readings, size, step);
    for (unsigned i = 0; i < size; ++i) {
      const Number number = batch.readings[i].before;
      if (number >= numbers_.size()) throw std::logic_error("a successor breaks the invariants");
      marks_.prefetch(number);
      Block& block = blocks_[filling_];
      block.successors[block.size] = batch.successors[i];
      block.successors[block.size].number = number;
      if (++block.size < kBlock) continue;
      filling_ = 1 - filling_;
      call(blocks_[filling_], reached);
    }
  }

  template <class Reached>
  void call(Block& block, Reached& reached) {
    const unsigned size = std::exchange(block.size, 0);
    if (status_ != Status::running) return;
    num_generated_ += size;
    for (unsigned i = 0; i < size; ++i) {
      const Entry& next = block.successors[i];
      if (!marks_.call(next.number, Mark::out)) continue;
      reached(next.state);
      if (status_ != Status::running) return;
    }
  }

  void settle(const State<P>& s) {
    const Count count = expander_.count(s, {});
    num_states_ += count.states;
    layer_states_.back() += count.states;
    if (count.goals == 0) return;
    num_goals_ += count.goals;
    if (goal_) return;
    goal_ = s;
    goal_layer_ = layer_states_.size() - 1;
    if (!options_.limits.exhaust) stop(Status::goal);
  }

  // Distances to the goal: a search backwards within the reached states, from all goals at once.
  void measure(IndexOutcome& result) {
    std::uint64_t layer = 0, visited = 0;
    Cursor<P, Q> cursor(numbers_);
    marks_.for_each_kept([&](Number number) {
      if (!goes_on(visited)) return false;
      cursor.seek(number);
      if (goals_.contain(cursor.state())) marks_.call(number, Mark::kept), ++layer;
      return true;
    });
    result.num_dead = num_states_;
    std::uint64_t distance = 0;
    while (status_ == Status::running && layer > 0) {
      result.to_goal.emplace_back(distance++, layer);
      result.num_dead -= layer;
      marks_.advance(true);
      layer = 0;
      marks_.for_each_now([&](Number number) {
        if (!goes_on(visited)) return false;
        cursor.seek(number);
        undo_.before(cursor.state(), [&](Number n, const State<P>&) {
          layer += marks_.call(n, Mark::kept);
          return true;
        });
        return true;
      });
      if (layer == 0 && status_ == Status::running) result.hardest = least_now();
    }
    result.has_distances = status_ == Status::running;
  }

  // The least, as a number of its facts, of the states marked now.
  FactSet least_now() {
    FactSet least;
    Cursor<P, Q> cursor(numbers_);
    marks_.for_each_now([&](Number number) {
      cursor.seek(number);
      FactSet facts = layout_.unpack(cursor.state().w);
      if (least.empty() || std::lexicographical_compare(facts.rbegin(), facts.rend(),
                                                        least.rbegin(), least.rend()))
        least = std::move(facts);
      return true;
    });
    return least;
  }

  // Appends a way of exactly `length` moves; there is no shorter one. All marks are lost.
  void append_way(const State<P>& from, const State<P>& to, std::size_t length,
                  std::vector<OperatorId>& plan) {
    if (length == 0 || status_ != Status::running) return;
    if (length == 1) {
      if (!undo_.append_move(from, to, plan)) throw std::logic_error("no way back");
      return;
    }
    State<P> middle = from;
    std::size_t half = length / 2;
    while (!list_layer(from, half)) {
      if (status_ != Status::running) return;
      half = half > 1 ? half / 2 : throw std::bad_alloc();
    }
    const bool is_met = meet(to, length - half, middle);
    std::vector<unsigned char>().swap(list_);
    if (status_ != Status::running) return;
    if (!is_met) throw std::logic_error("no way between");
    append_way(from, middle, half, plan);
    append_way(middle, to, length - half, plan);
  }

  // Puts the states `distance` moves from `from` into list_; false if it becomes too large, or stopped.
  bool list_layer(const State<P>& from, std::size_t distance) {
    marks_.clear();
    marks_.call(numbers_.rank(from), Mark::out);
    marks_.advance();
    for (std::size_t i = 0; i < distance && status_ == Status::running; ++i) {
      expand_layer([](const State<P>&) {});
      marks_.advance();
    }
    list_.clear();
    Number last = 0;
    return status_ == Status::running && marks_.for_each_now([&](Number number) {
      Number difference = number - std::exchange(last, number);
      for (; difference >= 128; difference >>= 7)
        list_.push_back(static_cast<unsigned char>(difference | 128));
      list_.push_back(static_cast<unsigned char>(difference));
      return list_.size() <= std::max<std::size_t>(budget_.left(), 1 << 16);
    });
  }

  // A state of list_ from which `to` is `distance` moves away. No state before the list is nearer, so
  // none of the list is met too soon, and it needs no marks of its own.
  bool meet(const State<P>& to, std::size_t distance, State<P>& middle) {
    marks_.clear();
    marks_.call(numbers_.rank(to), Mark::out);
    marks_.advance();
    Cursor<P, Q> cursor(numbers_);
    for (std::size_t i = 0; i < distance && status_ == Status::running; ++i) {
      marks_.for_each_now([&](Number number) {
        if (!goes_on(num_undone_)) return false;
        cursor.seek(number);
        undo_.before(cursor.state(), [&](Number n, const State<P>&) {
          marks_.call(n, Mark::out);
          return true;
        });
        return true;
      });
      marks_.advance();
    }
    if (status_ != Status::running) return false;
    Number number = 0;
    for (std::size_t i = 0; i < list_.size();) {
      Number difference = 0;
      int shift = 0;
      for (bool more = true; more; shift += 7) {
        more = list_[i] & 128;
        difference |= static_cast<Number>(list_[i++] & 127) << shift;
      }
      number += difference;
      if (marks_[number] != Mark::now) continue;
      cursor.seek(number);
      middle = cursor.state();
      return true;
    }
    return false;
  }

  IndexOutcome outcome(const State<P>& initial) {
    IndexOutcome result;
    const Status found = status_;
    for (std::size_t d = 0; d < layer_states_.size(); ++d)
      if (layer_states_[d] != 0) result.layers.emplace_back(d, layer_states_[d]);
    result.num_states = num_states_;
    result.num_goal_states = num_goals_;
    result.num_expanded = num_expanded_;
    result.num_generated = num_generated_;
    if (found == Status::exhausted && options_.to_goal) {
      status_ = Status::running;
      measure(result);
    }
    if (goal_) {
      result.cost = result.lower_bound = goal_layer_;
      if (options_.plan && (status_ == found || status_ == Status::running)) {
        status_ = Status::running;
        append_way(initial, *goal_, goal_layer_, result.plan);
      }
      if (status_ != found && status_ != Status::running) result.cost.reset();
    } else if (found == Status::exhausted) {
      result.lower_bound = result.layers.back().first;
    } else {
      // Every state of the layer that was being expanded has been tested.
      result.lower_bound = layer_states_.empty() ? 0 : layer_states_.size() - 1;
    }
    result.status = status_ == Status::running ? found : status_;
    result.seconds = control_.seconds();
    result.bytes = budget_.peak();
    result.algorithm = algorithm_;
    return result;
  }

  const Layout& layout_;
  Expander<P, Plain<P>>& expander_;
  Successors<P, Plain<P>> successors_;  // of the state being expanded
  const Numbers<P, Q>& numbers_;
  IndexOptions options_;
  KeptMarks kept_;
  const char* algorithm_;
  Control control_;
  Budget budget_;
  Marks marks_;
  Undo<P, Q> undo_;
  CubeList<P> goals_;
  std::vector<std::uint64_t> layer_states_;
  Status status_ = Status::running;
  std::optional<State<P>> goal_;
  std::size_t goal_layer_ = 0;
  std::uint64_t num_states_ = 0, num_goals_ = 0, num_expanded_ = 0, num_generated_ = 0;
  std::uint64_t num_undone_ = 0;
  std::vector<unsigned char> list_;
  std::vector<Batch> batches_;  // per step
  Block blocks_[2];
  int filling_ = 0;
};

}  // namespace fewest
