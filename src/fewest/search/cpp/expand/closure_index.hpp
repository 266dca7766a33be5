// Finds a state and a run key among the nodes of a closure: the nodes that one merged move reaches (runs.hpp).
//
// Problem: if a piece captures others on its way, a closure can contain millions of nodes, and comparing a new node with
// each of them takes quadratic time.
// Solution: a hash table of node numbers with linear probing. It is filled only when `contains` is called, so a search
// can compare the nodes of small closures one by one, which is faster.
// Usage:
//   index.clear();  // a closure begins
//   if (!index.contains(nodes, nodes.size(), state, key)) nodes.push_back({state, key});
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "state/costs.hpp"
#include "state/state.hpp"

namespace fewest {

template <int P>
class ClosureIndex {
 public:
  void clear() { num_indexed_ = 0; }
  // Whether one of the first `count` nodes has this state and this key. Between two calls of `clear`, nodes may only be
  // added.
  template <class Nodes>
  bool contains(const Nodes& nodes, std::size_t count, const State<P>& s, RunKey key) {
    if (num_indexed_ == 0 || slots_.size() < 2 * count) {
      slots_.assign(std::bit_ceil(4 * count), -1);
      num_indexed_ = 0;
    }
    for (; num_indexed_ < count; ++num_indexed_)
      slots_[slot_of(nodes, nodes[num_indexed_].state, nodes[num_indexed_].key)] = static_cast<std::int32_t>(num_indexed_);
    return slots_[slot_of(nodes, s, key)] >= 0;
  }
  std::size_t bytes() const { return slots_.size() * sizeof(slots_[0]); }

 private:
  template <class Nodes>
  std::size_t slot_of(const Nodes& nodes, const State<P>& s, RunKey key) const {
    std::size_t at = fold_multiply(hash(s) ^ static_cast<Word>(key), 0x9e3779b97f4a7c15u) & (slots_.size() - 1);
    while (slots_[at] >= 0 && !(nodes[slots_[at]].key == key && nodes[slots_[at]].state == s))
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::vector<std::int32_t> slots_;  // the number of a node, or -1
  std::size_t num_indexed_ = 0;
};

}  // namespace fewest
