// Breadth-first search in layers, for any way of expanding a state ("expander").
//
// Problem: every successor is looked up at random in a table of gigabytes; waiting for the memory
// each time would take all the time.
// Solution: successors go through two small blocks in turn. When one is put into a block, its slot
// in the table is prefetched; when the block is full, the other one, whose slots have had time to
// arrive, is inserted. Layers are slices of the table. There are no parent pointers: the plan is
// found backwards by inverse operators, looking for predecessors in the slice before.
// An expander has
//   struct Extra {...}                      what it wants kept with a successor till it is inserted
//   State start(State initial, Extra&)      how the initial state is stored
//   void expand(const State&, push)         calls push(successor, extra)
//   Count count(const State&, const Extra&) how many states (goal states) a new entry stands for
//   plan(table, layer_begin, goal_index)    operator ids
//   algorithm                               its name
#pragma once

#include "control.hpp"
#include "generator.hpp"
#include "state_table.hpp"

namespace fewest {

struct Count {
  std::uint64_t states, goals;
};

// layer_begin[d]: first index of layer d; one more entry for the end of the last.
using LayerBegin = std::vector<std::size_t>;

inline bool is_in_layer(StateId index, const LayerBegin& layer_begin, std::size_t layer) {
  return index != kNoState && index >= layer_begin[layer] && index < layer_begin[layer + 1];
}

template <int P, class Expander>
class BreadthFirst {
 public:
  BreadthFirst(Expander& expander, const Options& options)
      : expander_(expander), options_(options), budget_(options.memory), table_(budget_) {}

  Outcome run(const State<P>& initial) {
    Control control(options_);
    search(initial, control);
    return outcome(control);
  }

 private:
  using Extra = typename Expander::Extra;
  static constexpr unsigned kBlock = 64;
  static constexpr std::uint64_t kExpansionsPerCheck = 1024;

  struct Block {
    unsigned size = 0;
    State<P> state[kBlock];
    Word hash[kBlock];
    Extra extra[kBlock];
  };

  void search(const State<P>& initial, Control& control) {
    if (!table_.reserve(kBlock)) {
      status_ = Status::memory;
      return;
    }
    Extra extra{};
    const State<P> first = expander_.start(initial, extra);
    layer_begin_ = {0};
    layer_states_ = {0};
    settle(table_.insert(first, hash(first)).index, extra);
    const auto push = [this](const State<P>& s, const Extra& e) { this->push(s, e); };
    while (status_ == Status::running) {
      const std::size_t begin = layer_begin_.back(), end = table_.size();
      layer_begin_.push_back(end);
      layer_states_.push_back(0);
      for (std::size_t i = begin; i < end; ++i) {
        if (num_expanded_ % kExpansionsPerCheck == 0)
          stop(control.check(layer_begin_.size() - 2, num_states_, num_expanded_, budget_));
        if (status_ != Status::running) return;
        ++num_expanded_;
        expander_.expand(State<P>(table_[i]), push);
      }
      flush();
      if (table_.size() == end) stop(Status::exhausted);
    }
  }

  void stop(Status status) {
    if (status_ == Status::running) status_ = status;
  }

  void push(const State<P>& s, const Extra& extra) {
    const Word h = hash(s);
    table_.prefetch(h);
    Block& block = blocks_[filling_];
    block.state[block.size] = s;
    block.hash[block.size] = h;
    block.extra[block.size] = extra;
    if (++block.size == kBlock) advance();
  }

  // The block filled before this one is inserted and filled next.
  void advance() {
    filling_ = 1 - filling_;
    insert(blocks_[filling_]);
  }

  void flush() {
    advance();
    advance();
  }

  void insert(Block& block) {
    const unsigned size = block.size;
    block.size = 0;
    if (size == 0 || status_ != Status::running) return;
    if (!table_.reserve(size)) {
      stop(Status::memory);
      return;
    }
    num_generated_ += size;
    for (unsigned i = 0; i < size; ++i) {
      const auto [index, is_new] = table_.insert(block.state[i], block.hash[i]);
      if (!is_new) continue;
      settle(index, block.extra[i]);
      if (status_ != Status::running) return;
    }
  }

  void settle(StateId index, const Extra& extra) {
    const Count count = expander_.count(table_[index], extra);
    num_states_ += count.states;
    layer_states_.back() += count.states;
    if (count.goals == 0) return;
    num_goals_ += count.goals;
    if (goal_ != kNoState) return;
    goal_ = index;
    goal_layer_ = layer_states_.size() - 1;
    if (!options_.exhaust) stop(Status::goal);
  }

  Outcome outcome(const Control& control) {
    Outcome result;
    result.status = status_;
    for (std::size_t d = 0; d < layer_states_.size(); ++d)
      if (layer_states_[d] != 0) result.layers.emplace_back(d, layer_states_[d]);
    if (goal_ != kNoState) {
      result.cost = result.lower_bound = goal_layer_;
      layer_begin_.push_back(table_.size());
      result.plan = expander_.plan(table_, layer_begin_, goal_, goal_layer_);
    } else if (status_ == Status::exhausted) {
      result.lower_bound = result.layers.back().first;
    } else {
      // Every state of the layer that was being expanded has been tested.
      result.lower_bound = layer_begin_.empty() ? 0 : layer_begin_.size() - 1;
    }
    result.num_states = num_states_;
    result.num_goal_states = num_goals_;
    result.num_expanded = num_expanded_;
    result.num_generated = num_generated_;
    result.seconds = control.seconds();
    result.bytes = budget_.peak();
    result.algorithm = Expander::algorithm;
    return result;
  }

  Expander& expander_;
  Options options_;
  Budget budget_;
  StateTable<P> table_;
  LayerBegin layer_begin_;
  std::vector<std::uint64_t> layer_states_;
  Status status_ = Status::running;
  StateId goal_ = kNoState;
  std::size_t goal_layer_ = 0;
  std::uint64_t num_states_ = 0, num_goals_ = 0, num_expanded_ = 0, num_generated_ = 0;
  Block blocks_[2];
  int filling_ = 0;
};

}  // namespace fewest
