// Breadth-first search in layers, for any way of expanding a state ("expander").
//
// Problem: every successor is looked up at random in a table of gigabytes; waiting for the memory
// each time would take all the time.
// Solution: a small table is in the caches, and successors are inserted as they come. A large one is
// cut into parts (reached.hpp). Each part has a block of successors; a full one is inserted at
// once, so that the look-ups stay within one part, and each is fetched well before it is needed.
// Layers are slices of the parts. There are no parent pointers: the plan is found backwards by
// inverse operators, looking for predecessors in the layer before.
// An expander has
//   struct Extra {...}                      what it wants kept with a successor till it is inserted
//   State start(State initial, Extra&)      how the initial state is stored
//   void expand(const State&, push)         calls push(successor, extra)
//   Count count(const State&, const Extra&) how many states (goal states) a new entry stands for
//   plan(reached, goal, its layer)          operator ids; asks only `reached.layer_of`
//   algorithm                               its name
#pragma once

#include <optional>
#include <utility>

#include "control.hpp"
#include "generator.hpp"
#include "reached.hpp"

namespace fewest {

struct Count {
  std::uint64_t states, goals;
};

template <int P, class Expander>
class BreadthFirst {
 public:
  BreadthFirst(Expander& expander, const Options& options)
      : expander_(expander),
        options_(options),
        reached_(options.memory),
        blocks_budget_(options.memory / kBlocksShare),
        blocks_(blocks_budget_) {}

  Outcome run(const State<P>& initial) {
    Control control(options_);
    search(initial, control);
    if (goal_ && !insert_waiting()) {
      goal_.reset();
      status_ = Status::memory;
    }
    return outcome(control);
  }

 private:
  using Extra = typename Expander::Extra;
  using Part = typename Reached<P>::Part;
  struct Successor {
    State<P> state;
    [[no_unique_address]] Extra extra;
  };

  static constexpr std::uint64_t kExpansionsPerCheck = 1024;
  // Parts of 1 MB to some 16 MB, and blocks of 1/32 of that: they stay small for the processor's
  // table of pages, and the look-ups of a block come several to a page.
  static constexpr std::size_t kParts = 256, kSmallBlock = 64, kLargeBlock = 16384;
  static constexpr std::size_t kStatesPerPlace = 32;  // of a block
  static constexpr std::size_t kBlocksShare = 32;     // of the memory

  void search(const State<P>& initial, Control& control) {
    if (!reached_[0].table.reserve(1)) return stop(Status::memory);
    Extra extra{};
    const State<P> start = expander_.start(initial, extra);
    reached_[0].table.insert(start, hash(start));
    layer_states_ = {0};
    settle(start, extra);
    const auto push = [this](const State<P>& s, const Extra& e) { this->push(s, e); };
    while (status_ == Status::running) {
      const std::size_t width = reached_.begin_layer();
      if (width == 0) return stop(Status::exhausted);
      num_entries_ += width;
      fit_to_size(width);
      layer_states_.push_back(0);
      for (std::size_t p = 0; p < reached_.num_parts(); ++p) {
        Part& part = reached_[p];
        for (std::size_t i = part.begin; i < part.end; ++i) {
          if (num_expanded_ % kExpansionsPerCheck == 0)
            stop(control.check(layer_states_.size() - 2, num_states_, num_expanded_,
                               [this] { return used(); }));
          if (status_ != Status::running) return;
          ++num_expanded_;
          expander_.expand(State<P>(part.table[i]), push);
        }
      }
      for (std::size_t p = 0; p < fill_.size(); ++p) insert_block(p);
    }
  }

  void stop(Status status) {
    if (status_ == Status::running) status_ = status;
  }

  // Between two layers: cuts a table that has become large, widens the blocks. Narrow layers would
  // fill no blocks; where the memory does not suffice, all stays as it is.
  void fit_to_size(std::size_t width) {
    const bool is_whole = reached_.num_parts() == 1;
    if (is_whole && (num_entries_ < options_.split_from || width < options_.split_from / 1024 ||
                     reached_.used() > options_.memory / 4))
      return;
    const std::size_t wanted = num_entries_ / kParts / kStatesPerPlace;
    const std::size_t size = std::clamp(wanted, kSmallBlock, kLargeBlock);
    if (size < block_size_ + block_size_ / 8) return;
    // The blocks fill at the same pace. A cache line more keeps their ends out of each other's way.
    const std::size_t stride = size + std::max<std::size_t>(1, 64 / sizeof(Successor));
    if (!blocks_.grow(kParts * stride)) return;
    block_size_ = size;
    stride_ = stride;
    if (is_whole && reached_.split(kParts, options_.memory - options_.memory / kBlocksShare))
      fill_.assign(kParts, 0);
  }

  void push(const State<P>& s, const Extra& extra) {
    const Word h = hash(s);
    if (status_ != Status::running) return;
    if (reached_.num_parts() == 1) return insert(s, h, extra);
    const std::size_t p = reached_.part_of(h);
    blocks_[p * stride_ + fill_[p]] = {s, extra};
    if (++fill_[p] == block_size_) insert_block(p);
  }

  void insert(const State<P>& s, Word h, const Extra& extra) {
    StateTable<P>& table = reached_[0].table;
    if (!table.reserve(1)) return stop(Status::memory);
    ++num_generated_;
    if (table.insert(s, h).is_new) settle(s, extra);
  }

  void insert_block(std::size_t p) {
    if (fill_[p] == 0 || status_ != Status::running) return;
    const std::size_t size = std::exchange(fill_[p], 0);
    StateTable<P>& table = reached_[p].table;
    if (!table.reserve(size)) return stop(Status::memory);
    num_generated_ += size;
    const Successor* block = blocks_.data() + p * stride_;
    // A successor's slot is fetched first, then the state that it may equal.
    constexpr std::size_t far = 32, near = 16;
    Word hashes[far];
    std::size_t places[far];
    for (std::size_t i = 0; i < size + far; ++i) {
      if (i >= far) {
        const Successor& next = block[i - far];
        if (table.insert(next.state, hashes[i % far], places[i % far]).is_new) {
          settle(next.state, next.extra);
          if (status_ != Status::running) return;
        }
      }
      if (const std::size_t j = i - near; i >= near && j < size)
        places[j % far] = table.approach(hashes[j % far]);
      if (i < size) {
        hashes[i % far] = hash(block[i].state);
        table.prefetch(hashes[i % far]);
      }
    }
  }

  // A plan may pass through states of the last layer that still wait in blocks. They are not counted.
  // False: the memory does not suffice.
  bool insert_waiting() {
    for (std::size_t p = 0; p < fill_.size(); ++p) {
      StateTable<P>& table = reached_[p].table;
      if (!table.reserve(fill_[p])) return false;
      for (std::size_t i = 0; i < fill_[p]; ++i) {
        const State<P>& s = blocks_[p * stride_ + i].state;
        table.insert(s, hash(s));
      }
      fill_[p] = 0;
    }
    return true;
  }

  void settle(const State<P>& s, const Extra& extra) {
    const Count count = expander_.count(s, extra);
    num_states_ += count.states;
    layer_states_.back() += count.states;
    if (count.goals == 0) return;
    num_goals_ += count.goals;
    if (goal_) return;
    goal_ = s;
    goal_layer_ = layer_states_.size() - 1;
    if (!options_.exhaust) stop(Status::goal);
  }

  Outcome outcome(const Control& control) {
    Outcome result;
    result.status = status_;
    for (std::size_t d = 0; d < layer_states_.size(); ++d)
      if (layer_states_[d] != 0) result.layers.emplace_back(d, layer_states_[d]);
    if (goal_) {
      result.cost = result.lower_bound = goal_layer_;
      result.plan = expander_.plan(reached_, *goal_, goal_layer_);
    } else if (status_ == Status::exhausted) {
      result.lower_bound = result.layers.back().first;
    } else {
      // Every state of the layer that was being expanded has been tested.
      result.lower_bound = layer_states_.empty() ? 0 : layer_states_.size() - 1;
    }
    result.num_states = num_states_;
    result.num_goal_states = num_goals_;
    result.num_expanded = num_expanded_;
    result.num_generated = num_generated_;
    result.seconds = control.seconds();
    result.bytes = reached_.peak() + blocks_budget_.peak();
    result.algorithm = Expander::algorithm;
    return result;
  }

  std::size_t used() const { return reached_.used() + blocks_budget_.used(); }

  Expander& expander_;
  Options options_;
  Reached<P> reached_;
  std::vector<std::uint64_t> layer_states_;
  Status status_ = Status::running;
  std::optional<State<P>> goal_;
  std::size_t goal_layer_ = 0;
  std::uint64_t num_states_ = 0, num_goals_ = 0, num_expanded_ = 0, num_generated_ = 0;
  std::uint64_t num_entries_ = 0;  // of the layers begun
  // The block of part p: fill_[p] of block_size_ successors from blocks_[p * stride_] on.
  Budget blocks_budget_;
  PageArray<Successor> blocks_;
  std::vector<std::uint32_t> fill_;
  std::size_t block_size_ = 0, stride_ = 0;
};

}  // namespace fewest
