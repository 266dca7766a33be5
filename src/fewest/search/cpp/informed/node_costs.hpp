// Stores, for each state of a search, its cost, its parent, and whether it is closed.
//
// A state takes four bytes for its cost and four for its parent. A cost has 31 bits; the remaining bit marks closed
// states.
#pragma once

#include <stdexcept>

#include "state/memory.hpp"
#include "state/problem.hpp"
#include "state/state_table.hpp"

namespace fewest {

// The stored form of costs: for a pair, 15 bits for the first part and 16 for the second.
class SmallCosts {
 public:
  static constexpr std::uint32_t kClosed = 0x80000000u;

  explicit SmallCosts(int num_components) : num_components_(num_components) {}

  // Throws std::overflow_error if the cost does not fit.
  std::uint32_t small(PackedCost cost) const {
    if (num_components_ == 1) {
      if (cost >= kClosed) throw std::overflow_error("a cost is too large for this search");
      FEWEST_ASSERT(large(static_cast<std::uint32_t>(cost)) == cost,
                    "a stored cost can be read back");
      return static_cast<std::uint32_t>(cost);
    }
    if (cost >> 32 >= 0x8000 || (cost & 0xffffffffu) >= 0x10000)
      throw std::overflow_error("a cost is too large for this search");
    return static_cast<std::uint32_t>(cost >> 32 << 16 | (cost & 0xffff));
  }
  PackedCost large(std::uint32_t cost) const {
    cost &= ~kClosed;
    return num_components_ == 1 ? cost : PackedCost{cost >> 16} << 32 | (cost & 0xffff);
  }

 private:
  int num_components_;
};

class NodeCosts {
 public:
  NodeCosts(Budget& budget, int num_components) : costs_(num_components), cost_(budget), parent_(budget) {}

  // Reserves room for `count` states. Returns false if memory is exhausted.
  bool reserve(std::size_t count) { return cost_.reserve(count) && parent_.reserve(count); }
  void prefetch(StateId node) const { __builtin_prefetch(&cost_[node]); }

  std::uint32_t small(PackedCost cost) const { return costs_.small(cost); }
  // Whether the cost of a stored state is greater than `small`.
  bool is_dearer(StateId node, std::uint32_t small) const { return small < (cost_[node] & ~SmallCosts::kClosed); }

  void open(StateId node, std::uint32_t small, StateId parent) {
    parent_[node] = parent;
    cost_[node] = small;
  }
  // Closes a state from which no goal state is reachable. `is_final`: the state is not reopened at any cost.
  void close_dead(StateId node, std::uint32_t small, StateId parent, bool is_final) {
    parent_[node] = parent;
    cost_[node] = (is_final ? 0 : small) | SmallCosts::kClosed;
  }
  void close(StateId node) {
    FEWEST_ASSERT(!is_closed(node), "a state is expanded once at each cost");
    cost_[node] |= SmallCosts::kClosed;
  }

  void reopen(StateId node) { cost_[node] &= ~SmallCosts::kClosed; }

  bool is_closed(StateId node) const { return cost_[node] & SmallCosts::kClosed; }
  PackedCost cost(StateId node) const { return costs_.large(cost_[node]); }
  StateId parent(StateId node) const { return parent_[node]; }

  // Closes a state; meanwhile, other threads may compare costs.
  void close_shared(StateId node) { __atomic_fetch_or(&cost_[node], SmallCosts::kClosed, __ATOMIC_RELAXED); }
  bool is_as_cheap(StateId node, PackedCost cost) const {
    return (__atomic_load_n(&cost_[node], __ATOMIC_RELAXED) & ~SmallCosts::kClosed) <= costs_.small(cost);
  }

  // The stored form of a cost, for files.
  std::uint32_t stored_cost(StateId node) const { return cost_[node]; }
  void restore(StateId node, std::uint32_t stored_cost) { cost_[node] = stored_cost; }
  void restore_parent(StateId node, StateId parent) { parent_[node] = parent; }

 private:
  SmallCosts costs_;
  PageArray<std::uint32_t> cost_;  // including the bit kClosed
  PageArray<StateId> parent_;
};

}  // namespace fewest
