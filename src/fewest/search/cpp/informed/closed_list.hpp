// A hash table of the states that a search has generated. node_costs.hpp stores their costs.
// Each state takes the memory of its words and of one to two slots of the table.
#pragma once

#include "informed/node_costs.hpp"

namespace fewest {

template <int P>
class ClosedList {
 public:
  ClosedList(Budget& budget, NodeCosts& costs) : costs_(costs), table_(budget) {}

  std::size_t size() const { return table_.size(); }
  const State<P>& operator[](StateId node) const { return table_[node]; }

  // Reserves room for `count` more states. Returns false if memory is exhausted.
  bool reserve(std::size_t count) { return table_.reserve(count) && costs_.reserve(table_.size() + count); }

  // `prefetch` prefetches the slot of a state. `approach` then prefetches the stored state to which the slot refers,
  // and returns the slot, at which `insert` and `knows` begin.
  void prefetch(Word hash) const {
    if (table_.size() > 0) table_.prefetch(hash);
  }
  std::size_t approach(Word hash) const {
    const std::size_t at = table_.approach(hash);
    if (const StateId there = table_.at(at); there != kNoState) costs_.prefetch(there);
    return at;
  }
  void prefetch_state(StateId node) const {
    table_.prefetch_state(node);
    costs_.prefetch(node);
  }

  struct Entry {
    StateId node;
    std::uint32_t cost;  // the stored form of the cost
    bool is_cheaper;     // the cost has fallen, or the state is new
  };
  Entry insert(const State<P>& state, Word hash, PackedCost cost, std::size_t at) {
    return compared(table_.insert(state, hash, at), cost);
  }
  Entry insert(const State<P>& state, Word hash, PackedCost cost) { return compared(table_.insert(state, hash), cost); }
  StateId find(const State<P>& state) const { return table_.size() == 0 ? kNoState : table_.find(state); }

  // Whether the state is stored with at most this cost. Several threads may call this function at the same time, as
  // long as no thread inserts states.
  bool knows(const State<P>& state, Word hash, std::size_t at, PackedCost cost) const {
    const StateId node = table_.size() == 0 ? kNoState : table_.find(state, hash, at);
    return node != kNoState && costs_.is_as_cheap(node, cost);
  }

 private:
  Entry compared(const typename StateTable<P>::Inserted& found, PackedCost cost) {
    const auto [node, is_new] = found;
    const std::uint32_t small = costs_.small(cost);
    return {node, small, is_new || costs_.is_dearer(node, small)};
  }

  NodeCosts& costs_;
  StateTable<P> table_;
};

}  // namespace fewest
