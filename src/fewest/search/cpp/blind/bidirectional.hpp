// Bidirectional breadth-first search, for any expander (see breadth_first.hpp): two balls of radius d/2 instead of one
// ball of radius d (Pohl, Bi-directional search, 1971).
//
// Problem: with a branching factor of b, the layer at depth d has b^d states, whereas two layers at depth d/2 have far
// fewer.
// Solution: an expander of the problem adds layers from the initial state. An expander of the reversed problem, in
// which every operator is inverted, adds layers from all goal states. The side with the smaller last layer adds the
// next layer. Entries are states or regions, depending on the expander. A layer contains all entries that cost one unit
// more than the previous layer. So the sides meet only between two units of cost, never within a merged move.
// - Suppose that one side is complete up to cost f and the other side up to cost b, that no plan is cheaper than f + b
//   + 1, and that one of the sides adds a layer. Every plan of cost f + b + 1 has an entry that both sides contain once
//   this layer is complete. So the first entry found on both sides is on a cheapest plan. If no entry of the layer is
//   on both sides, the bound rises by one.
// - If one side is exhausted before the sides meet, there is no plan.
// - The backward side may reach states that are unreachable from the initial state. Expanding such states costs time,
//   but the sides cannot meet in them.
// - Neither side contains forbidden states, with one exception: the initial state may be forbidden. A plan may begin in
//   a forbidden initial state but must not return to it. So the forward side adds the first layer; after that, the
//   sides need not meet in the initial state.
// There are no parent pointers: the entries of a plan are found backwards, layer by layer. The expander of the other
// side generates the predecessors of an entry. One of these predecessors is in the previous layer. The caller finds the
// operators between consecutive entries. The search can pause between two expansions (TimeSlice in control.hpp). The
// complete layers of both sides can be saved (checkpoint_sections.hpp); after the search has an answer, all entries can
// be saved.
#pragma once

#include <algorithm>
#include <span>

#include "blind/stepped_search.hpp"
#include "state/compiler_attributes.hpp"
#include "state/control.hpp"
#include "expand/expander.hpp"
#include "state/layout.hpp"
#include "state/state_table.hpp"
#include "store/checkpoint_sections.hpp"

namespace fewest {

// `plan` is empty if the operators are not known; `layers` is always empty.
struct Meeting : Outcome {
  // The operators of the reversed problem that make up the second part of the plan, in plan order.
  std::vector<OperatorId> backward_plan;
  // If `plan` is empty, the entries of the plan after the initial state, one for each unit of cost. Shape: [n, words of
  // the task].
  std::vector<Word> waypoints;
  std::uint64_t forward_states = 0, backward_states = 0;
  PackedCost forward_cost = 0, backward_cost = 0;  // the cost up to which each side is complete
};

template <int P, class Extra>
class BidirectionalBreadthFirst final : public SteppedSearch<Meeting>, private ExpansionLimit {
 public:
  FEWEST_COLD BidirectionalBreadthFirst(std::unique_ptr<Expander<P, Extra>> forward, std::unique_ptr<Expander<P, Extra>> backward,
                            const Layout& layout, const State<P>& initial, std::vector<State<P>> goals,
                            const Options& options)
      : layout_(layout),
        initial_(initial),
        goals_(std::move(goals)),
        key_(layout.fingerprint(fold_multiply(P, kFormat + goals_.size()))),
        control_(options),
        budget_(options.memory),
        forward_(std::move(forward), budget_),
        backward_(std::move(backward), budget_),
        checkpoint_(options.file, options.save_every) {}

  FEWEST_COLD ~BidirectionalBreadthFirst() override = default;

  Status advance(const TimeSlice& slice) override {
    if (status_ == Status::paused) status_ = Status::running;
    if (status_ != Status::running) return status_;
    control_.begin_slice(slice, num_expanded_);
    if (!is_begun()) begin();
    if (is_begun()) {
      try {
        const LimitedExpansions limited_forward(forward_.expander, *this), limited_backward(backward_.expander, *this);
        search();
      } catch (const ExpansionStopped&) {
        --num_expanded_;  // the state `next_` is still to be expanded
      }
      const bool is_answered = status_ == Status::goal || status_ == Status::exhausted;
      if (status_ != Status::paused && checkpoint_.is_wanted() && !save_checkpoint() && !is_answered) status_ = Status::disk;
    }
    control_.end_slice();
    return status_;
  }

  PackedCost bound() const override {
    if (status_ != Status::goal) return lower_bound();
    return layer_of(forward_, met_forward_) + layer_of(backward_, met_backward_);
  }
  std::uint64_t num_expanded() const override { return num_expanded_; }
  std::size_t bytes() const override { return budget_.used(); }

 private:
  static constexpr unsigned kBlock = 64;
  static constexpr std::uint64_t kExpansionsPerCheck = 1024;

  struct Side {
    FEWEST_COLD Side(std::unique_ptr<Expander<P, Extra>> owned_, Budget& budget)
        : owned(std::move(owned_)), expander(*owned), table(budget) {}
    FEWEST_COLD ~Side() = default;
    std::size_t depth() const { return layer_begin.size() - 2; }  // the number of the last complete layer
    std::size_t frontier() const { return layer_begin.back() - layer_begin[depth()]; }

    std::unique_ptr<Expander<P, Extra>> owned;
    Expander<P, Extra>& expander;
    StateTable<P> table;
    // The first index of each layer, and the end of the last complete layer.
    std::vector<std::size_t> layer_begin;
    std::uint64_t num_states = 0;
  };

  // The counts in a checkpoint: those at the end of the last complete layer or, if the search has an answer, the final
  // ones.
  struct Counts {
    Word status = 0, num_expanded = 0, num_generated = 0, forward_states = 0, backward_states = 0;
    Word met_forward = kNoState, met_backward = kNoState;
  };

  struct Generated {
    State<P> state;
    Word hash;
    Extra extra;
  };
  struct Block {
    unsigned size = 0;
    Generated rows[kBlock];
  };

  FEWEST_COLD void begin() {
    if (checkpoint_.read(key_, [this](CheckpointSections::In& in) { take_back(in); })) return;
    seed(forward_, backward_, {&initial_, 1});
    seed(backward_, forward_, goals_);
  }

  // Whether both sides contain their first entries.
  bool is_begun() const { return forward_.layer_begin.size() > 1 && backward_.layer_begin.size() > 1; }

  FEWEST_COLD bool may_continue(std::size_t bytes) override {
    if (bytes > budget_.left()) stop(Status::memory);
    stop(control_.check_limits(lower_bound(), num_states(), num_expanded_, [&] { return budget_.used() + bytes; }));
    return status_ == Status::running;
  }

  void search() {
    while (status_ == Status::running) {
      if (growing_ == nullptr) {
        FEWEST_ASSERT(are_layers(forward_) && are_layers(backward_), "layers are ascending slices of the table");
        whole_ = counts();
        if (checkpoint_.is_due() && !save_checkpoint()) return stop(Status::disk);
        if (backward_.frontier() == 0) return stop(Status::exhausted);
        const bool is_forward =
            forward_.depth() == 0 || forward_.frontier() <= backward_.frontier();
        growing_ = is_forward ? &forward_ : &backward_;
        next_ = growing_->layer_begin[growing_->depth()];
      }
      grow(*growing_, growing_ == &forward_ ? backward_ : forward_);
    }
  }

  void seed(Side& side, const Side& other, std::span<const State<P>> states) {
    side.layer_begin = {0};
    for (const State<P>& s : states) {
      if (!side.table.reserve(1)) return stop(Status::memory);
      Extra extra{};
      const State<P> first = side.expander.start(s, extra);
      insert(side, other, {first, hash(first), extra});
      if (status_ != Status::running) return;
    }
    side.layer_begin.push_back(side.table.size());
  }

  static bool are_layers(const Side& side) {
    return std::is_sorted(side.layer_begin.begin(), side.layer_begin.end()) && side.layer_begin.front() == 0 &&
           side.layer_begin.back() == side.table.size();
  }

  // Adds a layer, or completes the layer that a pause interrupted.
  void grow(Side& side, const Side& other) {
    const std::size_t end = side.layer_begin.back();
    for (std::size_t i = next_; i < end; ++i) {
      next_ = i;
      if (num_expanded_ % kExpansionsPerCheck == 0)
        stop(control_.check(lower_bound(), num_states(), num_expanded_,
                           [this] { return budget_.used(); }));
      if (status_ != Status::running) return;
      ++num_expanded_;
      side.expander.expand(State<P>(side.table[i]), successors_.cleared());
      for (const auto& [s, extra] : successors_) {
        const Word h = hash(s);
        side.table.prefetch(h);
        if (other.table.size() > 0) other.table.prefetch(h);
        Block& block = blocks_[filling_];
        block.rows[block.size] = {s, h, extra};
        if (++block.size == kBlock) advance(side, other);
      }
    }
    advance(side, other);
    advance(side, other);
    if (status_ != Status::running) return;
    if (side.table.size() == end) return stop(Status::exhausted);
    side.layer_begin.push_back(side.table.size());
    growing_ = nullptr;
  }

  // Inserts the entries of the block that is not being filled; their slots have been prefetched. This block is filled
  // next.
  void advance(Side& side, const Side& other) {
    filling_ = 1 - filling_;
    Block& block = blocks_[filling_];
    const unsigned size = block.size;
    block.size = 0;
    if (size == 0 || status_ != Status::running) return;
    if (!side.table.reserve(size)) return stop(Status::memory);
    num_generated_ += size;
    for (unsigned i = 0; i < size && status_ == Status::running; ++i)
      insert(side, other, block.rows[i]);
  }

  void insert(Side& side, const Side& other, const Generated& g) {
    const auto [index, is_new] = side.table.insert(g.state, g.hash);
    if (!is_new) return;
    side.num_states += side.expander.count(g.state, g.extra).states;
    const StateId there = other.table.find(g.state);
    if (there == kNoState) return;
    FEWEST_ASSERT(met_forward_ == kNoState && met_backward_ == kNoState, "the search ends when the sides meet");
    (&side == &forward_ ? met_forward_ : met_backward_) = index;
    (&side == &forward_ ? met_backward_ : met_forward_) = there;
    stop(Status::goal);
  }

  Counts counts() const {
    return {static_cast<Word>(status_), num_expanded_, num_generated_, forward_.num_states, backward_.num_states,
            met_forward_, met_backward_};
  }

  // Returns false if the disk is full.
  [[nodiscard]] FEWEST_COLD bool save_checkpoint() {
    const bool is_answered = status_ == Status::goal || status_ == Status::exhausted;
    return checkpoint_.write(key_, [&](CheckpointSections::Out& out) {
      out.value(is_answered ? counts() : whole_);
      for (const Side* side : {&forward_, &backward_}) {
        out.list(side->layer_begin);
        const std::size_t rows = is_answered ? side->table.size() : side->layer_begin.back();
        out.value(static_cast<Word>(rows));
        out.rows(side->table.data(), rows);
      }
    });
  }

  FEWEST_COLD void take_back(CheckpointSections::In& in) {
    in.value(whole_);
    for (Side* side : {&forward_, &backward_}) {
      std::vector<std::size_t> layer_begin;
      in.list(layer_begin);
      Word rows;
      in.value(rows);
      const auto read = [&](State<P>* to, std::size_t count) { in.rows(to, count); };
      if (!side->table.refill(rows, read)) return stop(Status::memory);
      side->layer_begin = std::move(layer_begin);
    }
    num_expanded_ = whole_.num_expanded;
    num_generated_ = whole_.num_generated;
    forward_.num_states = whole_.forward_states;
    backward_.num_states = whole_.backward_states;
    met_forward_ = static_cast<StateId>(whole_.met_forward);
    met_backward_ = static_cast<StateId>(whole_.met_backward);
    num_resumed_ = num_states();
    stop(static_cast<Status>(whole_.status));
  }

  void stop(Status status) {
    if (status_ == Status::running) status_ = status;
  }

  std::uint64_t num_states() const { return forward_.num_states + backward_.num_states; }
  std::size_t lower_bound() const {
    if (forward_.layer_begin.size() < 2 || backward_.layer_begin.size() < 2) return 0;
    return forward_.depth() + backward_.depth() + 1;
  }

  static std::size_t layer_of(const Side& side, StateId index) {
    FEWEST_ASSERT(index < side.table.size(), "the entry is one of this side");
    const auto after =
        std::upper_bound(side.layer_begin.begin(), side.layer_begin.end(), std::size_t{index});
    return static_cast<std::size_t>(after - side.layer_begin.begin()) - 1;
  }

  // The path of entries from the predecessor of `index` back to the first layer of the side.
  FEWEST_COLD std::vector<StateId> chain(const Side& side, const Side& other, StateId index) const {
    std::vector<StateId> chain;
    for (std::size_t layer = layer_of(side, index); layer > 0; --layer) {
      StateId before = kNoState;
      if (&side == &forward_ && layer == 1) {
        before = 0;  // the initial state; if it is forbidden, the other side does not generate it
      } else {
        Successors<P, Extra> successors;
        other.expander.expand(State<P>(side.table[index]), successors);
        for (const auto& next : successors) {
          const StateId found = side.table.find(next.state);
          if (found == kNoState || layer_of(side, found) != layer - 1) continue;
          before = found;
          break;
        }
      }
      FEWEST_ASSERT(before != kNoState, "an entry was reached from an entry of the previous layer");
      chain.push_back(before);
      index = before;
    }
    return chain;
  }

  FEWEST_COLD void find_waypoints(Meeting& meeting) const {
    const auto add = [&](const Side& side, StateId index) {
      const FactSet facts = layout_.unpack(side.table[index].w);
      meeting.waypoints.insert(meeting.waypoints.end(), facts.begin(), facts.end());
    };
    std::vector<StateId> before = chain(forward_, backward_, met_forward_);
    if (!before.empty()) before.pop_back();  // the initial state
    for (auto index = before.rbegin(); index != before.rend(); ++index) add(forward_, *index);
    if (layer_of(forward_, met_forward_) > 0) add(forward_, met_forward_);
    for (StateId index : chain(backward_, forward_, met_backward_)) add(backward_, index);
  }

  FEWEST_COLD Meeting outcome() override {
    Meeting meeting;
    Outcome& outcome = meeting;
    outcome.status = status_;
    const PackedCost bound = lower_bound();
    outcome.lower_bound = bound;
    if (status_ == Status::goal) {
      for (Side* side : {&forward_, &backward_})
        if (side->layer_begin.back() != side->table.size())
          side->layer_begin.push_back(side->table.size());  // the end of the unfinished layer
      outcome.cost = outcome.lower_bound =
          layer_of(forward_, met_forward_) + layer_of(backward_, met_backward_);
      FEWEST_ASSERT(outcome.cost == bound, "the sides meet where no plan is cheaper than the bound");
      find_waypoints(meeting);
    }
    const auto complete = [](const Side& side) {
      return side.layer_begin.size() < 2 ? PackedCost{0} : PackedCost{side.depth()};
    };
    meeting.forward_cost = complete(forward_);
    meeting.backward_cost = complete(backward_);
    meeting.forward_states = forward_.num_states;
    meeting.backward_states = backward_.num_states;
    outcome.num_states = num_states();
    outcome.num_expanded = num_expanded_;
    outcome.num_generated = num_generated_;
    outcome.num_resumed = num_resumed_;
    outcome.seconds = control_.seconds();
    outcome.bytes = budget_.peak();
    outcome.algorithm = forward_.expander.algorithm();
    return meeting;
  }

  static constexpr Word kFormat = 0xb1'd1'4e'c7'00'00;  // incremented when the format changes

  const Layout& layout_;
  State<P> initial_;
  std::vector<State<P>> goals_;
  Word key_;
  Control control_;
  Budget budget_;

  Side forward_, backward_;
  CheckpointSections checkpoint_;
  Counts whole_;
  Side* growing_ = nullptr;  // the side that is adding a layer; null between two layers
  std::size_t next_ = 0;     // the next entry that this side expands
  Status status_ = Status::running;
  StateId met_forward_ = kNoState, met_backward_ = kNoState;
  std::uint64_t num_expanded_ = 0, num_generated_ = 0, num_resumed_ = 0;
  Successors<P, Extra> successors_;  // the successors of the expanded state
  Block blocks_[2];
  int filling_ = 0;
};

}  // namespace fewest
