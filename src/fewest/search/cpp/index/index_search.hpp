// Breadth-first search that needs two bits per state and no table of states.
//
// Problem: a state space of hundreds of millions of states is too large for a table. Once the consistent states are
// numbered, no table is needed: the number of a state is the address of its bits.
// Solution: the search expands a layer in one sweep over `MarkPlanes`, in the order of the numbers. If moves are single
// steps, the sweep processes ranges and words (rangewise_image.hpp); otherwise, and in sparse layers, it processes
// single states (statewise_image.hpp). Two bits cannot store distances, so a plan is found by divide and conquer. The
// search stores all states at half the plan's length from the start, as a delta-encoded list of their numbers. A
// backward search from the goal meets one of these states, and then both halves are divided again. Finding the plan
// takes less than twice the time of the search, and usually far less, since the searches for the two halves of a path
// reach fewer states than the search for the whole path. A backward search also finds the goal distances of all reached
// states.
#pragma once

#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "index/index.hpp"
#include "index/index_checkpoint.hpp"
#include "index/layer_images.hpp"
#include "index/number_list.hpp"
#include "state/compiler_attributes.hpp"

namespace fewest {

template <int P, int Q>
class IndexSearch {
 public:
  IndexSearch(const Compiler& compiler, const Numbers<P, Q>& numbers, LayerImages<P, Q>& movers,
              const IndexOptions& options, const char* algorithm)
      : layout_(compiler.layout()),
        numbers_(numbers),
        movers_(movers),
        options_(options),
        checkpoint_(options.file, options.save_every),
        algorithm_(algorithm),
        control_(options.limits),
        budget_(options.limits.memory),
        marks_(budget_) {}

  IndexOutcome run(const State<P>& initial) {
    if (budget_.take(numbers_.bytes()) && budget_.take(movers_.bytes()) && marks_.allocate(numbers_.size()))
      search(initial);
    else
      stop(Status::memory);
    return outcome(initial);
  }

 private:
  static constexpr std::size_t kNumKnown = 5;  // the number of words before the goal in a file (`save_checkpoint`)

  void search(const State<P>& initial) {
    if (take_up()) {
      saved_layers_ = layer_states_.size();
    } else if (options_.from_goals) {
      Number marked = 0;
      movers_.for_each_goal(marks_, [&](Number number, Word bits) {
        marked += marks_.template mark_all<Mark::out>(number, bits);
      });
      if (marked == 0) return stop(Status::exhausted);
      begin_layer(marked);
    } else {
      marks_.mark(numbers_.rank(movers_.start(initial)), Mark::out);
      begin_layer(1);
    }
    if (goal_ && !options_.limits.exhaust) stop(Status::goal);
    while (status_ == Status::running) {
      counted_ = movers_.forward().num_counted();
      if (options_.depth && layer_states_.size() > *options_.depth) {
        return stop(checkpoint_.is_wanted() && !save_checkpoint() ? Status::disk : Status::depth);
      }
      if (checkpoint_.is_due() && !save_checkpoint()) return stop(Status::disk);
      const Number marked = expand(movers_.forward(), Mark::out, layer_states_.back(), known());
      if (status_ != Status::running) return keep_last_layer();
      num_expanded_ += layer_states_.back();
      if (marked > 0) {
        begin_layer(marked);
      } else {
        if (options_.from_goals) farthest_ = fewest_facts_now(marks_, layout_, numbers_);
        advance(layer_states_.back());
        FEWEST_ASSERT(marks_.num_closed() == num_states_, "every state that was reached is closed");
        stop(Status::exhausted);
      }
    }
  }

  // The states marked `next` become the current layer. `states`: their number.
  void begin_layer(Number states) {
    FEWEST_ASSERT_SAMPLED(marks_.num_next() == states, "as many numbers have the mark `next` as were counted");
    advance(states);
    layer_states_.push_back(states);
    num_states_ += states;
    if (options_.from_goals && layer_states_.size() > 1) return;  // all goal states are in the first layer
    std::optional<Number> first;
    movers_.for_each_goal_now(marks_, [&](Number number, Word bits) {
      num_goals_ += num_bits(bits);
      if (!first) first = number + std::countr_zero(bits);
    });
    if (!first || goal_) return;
    goal_ = movers_.state(*first);
    goal_layer_ = layer_states_.size() - 1;
    if (!options_.limits.exhaust) stop(Status::goal);
  }

  // Called after the search was stopped within a layer. With `from_goals`, fills `farthest_`. Unless the file already
  // contains the complete layers, removes the marks `next` and saves these layers.
  void keep_last_layer() {
    if (options_.from_goals) farthest_ = fewest_facts_now(marks_, layout_, numbers_);
    if (!checkpoint_.is_wanted() || saved_layers_ == layer_states_.size()) return;
    marks_.undo_marks();
    if (!save_checkpoint()) status_ = Status::disk;
  }

  // Saves the search between two layers; the states of the newest layer have the mark `now`. Returns false if the disk
  // is full.
  [[nodiscard]] bool save_checkpoint() {
    saved_layers_ = layer_states_.size();
    const std::uint64_t generated = num_generated_ + counted_;
    std::vector<Word> known{num_goals_, num_expanded_, generated, goal_.has_value(), goal_layer_};
    if (goal_) known.insert(known.end(), goal_->w, goal_->w + P);
    known.insert(known.end(), layer_states_.begin(), layer_states_.end());
    return checkpoint_.write(known, marks_.words());
  }

  // Restores the data that `save_checkpoint` saved. Returns false if there is no file.
  bool take_up() {
    std::vector<Word> known;
    if (!checkpoint_.read(known, marks_.words())) return false;
    const std::size_t begin = kNumKnown + (known.at(3) != 0 ? P : 0);
    if (known.size() <= begin) throw Damage(options_.file, "it is not an index of this search");
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

  // Data for progress reports: the current layer, and the numbers of states that were reached and expanded before its
  // expansion.
  struct Known {
    PackedCost layer;
    std::uint64_t states, expanded;
  };
  Known known() const { return {layer_states_.size() - 1, num_states_, num_expanded_}; }

  // Expands a layer of `width` states. Returns how many states were marked. This number is too low if a limit stops the
  // search.
  Number expand(LayerImage& mover, Mark from, Number width, const Known& known) {
    return mover.move(marks_, from, width, [&](Number marked, double part) {
      const auto expanded = static_cast<std::uint64_t>(part * static_cast<double>(width));
      stop(control_.check(known.layer, known.states + marked, known.expanded + expanded,
                          [this] { return used(); }));
      return status_ == Status::running;
    });
  }

  std::size_t used() const { return numbers_.bytes() + movers_.bytes() + marks_.bytes(); }

  void advance(Number width, bool within = false) {
    const Team& team = movers_.team();
    marks_.advance(within, *team.pool, team.size(width));
  }

  // Finds the goal distances by a single backward search within the reached states. Its first layer contains all goal
  // states.
  void measure(IndexOutcome& result) {
    Number layer = 0, measured = 0;
    movers_.for_each_closed_goal(marks_, [&](Number number, Word bits) {
      layer += marks_.template mark_all<Mark::closed>(number, bits);
    });
    result.num_dead = num_states_;
    std::uint64_t distance = 0;
    while (status_ == Status::running && layer > 0) {
      result.goal_distances.emplace_back(distance++, layer);
      result.num_dead -= layer;
      advance(layer, true);
      measured += layer;
      layer = expand(movers_.backward(), Mark::closed, layer, {distance - 1, measured, num_states_ + measured - layer});
      if (layer == 0 && status_ == Status::running) result.hardest = least_now(marks_, layout_, numbers_);
    }
    result.has_distances = status_ == Status::running;
    FEWEST_ASSERT(result.num_dead <= num_states_, "no more states are measured than were reached");
    FEWEST_ASSERT(!result.has_distances || marks_.num_closed() == result.num_dead, "a state without a distance is still closed");
  }

  // Appends a path of exactly `length` moves; `length` must be the distance between the two states. The function
  // overwrites all marks.
  FEWEST_COLD void append_path(const State<P>& from, const State<P>& to, std::size_t length,
                  std::vector<OperatorId>& plan) {
    if (length == 0 || status_ != Status::running) return;
    if (length == 1) {
      if (!movers_.append_move(from, to, plan)) throw std::logic_error("no move leads to the next state of the plan");
      return;
    }
    State<P> middle = from;
    std::size_t half = length / 2;
    while (!list_layer(from, half)) {
      if (status_ != Status::running) return;
      half = half > 1 ? half / 2 : throw std::bad_alloc();
    }
    FEWEST_ASSERT(half > 0 && half < length, "both halves of a path are shorter than the path");
    const bool is_met = meet(to, length - half, middle);
    list_.clear();
    if (status_ != Status::running) return;
    if (!is_met) throw std::logic_error("the halves of the plan do not meet");
    append_path(from, middle, half, plan);
    append_path(middle, to, length - half, plan);
  }

  // Puts the states at this distance from `from` into list_. Returns false if the list becomes too large, or if a limit
  // stopped the search.
  bool list_layer(const State<P>& from, std::size_t distance) {
    marks_.clear();
    marks_.mark(numbers_.rank(from), Mark::out);
    marks_.advance();
    Number width = 1;
    for (std::size_t i = 0; i < distance && status_ == Status::running; ++i) {
      width = expand(movers_.forward(), Mark::out, width, known());
      advance(width);
    }
    return status_ == Status::running && list_.fill(marks_, budget_.left());
  }

  // Finds a state in list_ from which `to` can be reached in `distance` moves. Returns false if no such state exists.
  // No state of the list is nearer to `to`, so only the last layer of the search is compared with the list, and the
  // states in the list need no marks.
  bool meet(const State<P>& to, std::size_t distance, State<P>& middle) {
    marks_.clear();
    marks_.mark(numbers_.rank(to), Mark::out);
    marks_.advance();
    Number width = 1;
    for (std::size_t i = 0; i < distance && status_ == Status::running; ++i) {
      width = expand(movers_.backward(), Mark::out, width, known());
      advance(width);
    }
    if (status_ != Status::running) return false;
    const std::optional<Number> number = list_.first_now(marks_);
    if (number) middle = movers_.state(*number);
    return number.has_value();
  }

  // Finds a plan after a search that ended with the status `found`. Returns false if no plan was found because a limit
  // or an interruption stopped the search, during this call or before it.
  bool finds_plan(const State<P>& initial, Status found, std::vector<OperatorId>& plan) {
    if (found == Status::time || found == Status::interrupted) return goal_layer_ == 0;
    if (status_ != found && status_ != Status::running) return false;  // a limit ended the measurement of distances
    status_ = Status::running;
    append_path(initial, *goal_, goal_layer_, plan);
    if (status_ != Status::running) plan.clear();
    return status_ == Status::running;
  }

  FEWEST_COLD IndexOutcome outcome(const State<P>& initial) {
    IndexOutcome result;
    const Status found = status_;
    for (std::size_t d = 0; d < layer_states_.size(); ++d)
      if (layer_states_[d] != 0) result.layers.emplace_back(d, layer_states_[d]);
    result.num_states = num_states_;
    result.num_goal_states = num_goals_;
    result.num_expanded = num_expanded_;
    result.farthest = std::move(farthest_);
    if (!layer_states_.empty() && !options_.from_goals) {
      // Counting the moves afterwards takes as long as expanding a layer, so a search that a limit stopped does not
      // count them.
      const bool is_stopped = found == Status::time || found == Status::memory || found == Status::interrupted;
      result.num_generated = num_generated_ + (is_stopped ? counted_ : movers_.forward().num_generated(marks_));
    }
    if (found == Status::exhausted && options_.goal_distances) {
      status_ = Status::running;
      measure(result);
    }
    if (goal_) {
      result.lower_bound = goal_layer_;
      if (!options_.plan || finds_plan(initial, found, result.plan)) result.cost = goal_layer_;
    } else if (found == Status::exhausted) {
      result.lower_bound = result.layers.empty() ? 0 : result.layers.back().first;
    } else {
      // The current layer contains no goal state.
      result.lower_bound = layer_states_.size();
    }
    result.status = status_ == Status::running ? found : status_;
    result.seconds = control_.seconds();
    result.bytes = std::max(budget_.peak(), used());
    result.algorithm = algorithm_;
    return result;
  }

  const Layout& layout_;
  const Numbers<P, Q>& numbers_;
  LayerImages<P, Q>& movers_;
  IndexOptions options_;
  IndexCheckpoint checkpoint_;
  const char* algorithm_;
  Control control_;
  Budget budget_;
  MarkPlanes marks_;
  std::vector<std::uint64_t> layer_states_;
  Status status_ = Status::running;
  std::optional<State<P>> goal_;
  std::size_t goal_layer_ = 0;
  std::uint64_t num_states_ = 0, num_goals_ = 0, num_expanded_ = 0, num_generated_ = 0;
  std::uint64_t counted_ = 0;     // the number of moves of the expanded layers, if the images count them
  std::size_t saved_layers_ = 0;  // the number of layers in the file
  std::vector<FactSet> farthest_;
  NumberList list_;
};

}  // namespace fewest
