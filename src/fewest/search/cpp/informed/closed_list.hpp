// The states that a search has generated: what each costs, which state it was reached from, and whether it is closed.
//
// A state takes its words, a slot of the table, four bytes of cost and four of its parent. A closed state is opened again
// if it becomes cheaper. A cost has 31 bits, so that one bit is left for the mark.
#pragma once

#include <stdexcept>

#include "state/problem.hpp"
#include "state/state_table.hpp"

namespace fewest {

inline constexpr std::uint32_t kClosed = 0x80000000u;

// Costs as they are stored: of a pair 15 bits of the first and 16 of the second.
class SmallCosts {
 public:
  explicit SmallCosts(int num_components) : num_components_(num_components) {}

  // Throws std::overflow_error.
  std::uint32_t small(PackedCost cost) const {
    if (num_components_ == 1) {
      if (cost >= kClosed) throw std::overflow_error("a cost is too large for this search");
      FEWEST_ASSERT(large(static_cast<std::uint32_t>(cost)) == cost,
                    "a cost that is stored is the same when it is read");
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

template <int P>
class ClosedList {
 public:
  ClosedList(Budget& budget, int num_components)
      : costs_(num_components), table_(budget), cost_(budget), parent_(budget) {}

  std::size_t size() const { return table_.size(); }
  const State<P>& operator[](StateId node) const { return table_[node]; }

  // Room for so many more states. False: no memory.
  bool reserve(std::size_t count) {
    const std::size_t rows = table_.size() + count;
    return table_.reserve(count) && cost_.reserve(rows) && parent_.reserve(rows);
  }

  // Fetches the slot of a state, then what stands there, and then the state is found or inserted from `at` on.
  void prefetch(Word hash) const {
    if (table_.size() > 0) table_.prefetch(hash);
  }
  std::size_t approach(Word hash) const {
    const std::size_t at = table_.approach(hash);
    if (const StateId there = table_.at(at); there != kNoState) __builtin_prefetch(&cost_[there]);
    return at;
  }
  void prefetch_state(StateId node) const {
    table_.prefetch_state(node);
    __builtin_prefetch(&cost_[node]);
  }

  struct Entry {
    StateId node;
    std::uint32_t cost;  // as it is stored
    bool is_cheaper;     // than it was, or it is new
  };
  Entry insert(const State<P>& state, Word hash, PackedCost cost, std::size_t at) {
    return compared(table_.insert(state, hash, at), cost);
  }
  Entry insert(const State<P>& state, Word hash, PackedCost cost) { return compared(table_.insert(state, hash), cost); }
  // Of an entry that is cheaper.
  void open(const Entry& entry, StateId parent) {
    parent_[entry.node] = parent;
    cost_[entry.node] = entry.cost;
  }
  void close(const Entry& entry, StateId parent) {
    parent_[entry.node] = parent;
    cost_[entry.node] = entry.cost | kClosed;
  }
  // From which no goal is reached: it is never looked at again.
  void bury(const Entry& entry, StateId parent) {
    parent_[entry.node] = parent;
    cost_[entry.node] = kClosed;
  }

  bool is_closed(StateId node) const { return cost_[node] & kClosed; }
  void close(StateId node) {
    FEWEST_ASSERT(!is_closed(node), "a state is expanded once at each cost");
    cost_[node] |= kClosed;
  }
  PackedCost cost(StateId node) const { return costs_.large(cost_[node]); }
  StateId parent(StateId node) const { return parent_[node]; }
  StateId find(const State<P>& state) const { return table_.size() == 0 ? kNoState : table_.find(state); }

  // While other threads look states up and nobody inserts any.
  void close_shared(StateId node) { __atomic_fetch_or(&cost_[node], kClosed, __ATOMIC_RELAXED); }
  bool knows(const State<P>& state, Word hash, std::size_t at, PackedCost cost) const {
    const StateId node = table_.size() == 0 ? kNoState : table_.find(state, hash, at);
    if (node == kNoState) return false;
    return (__atomic_load_n(&cost_[node], __ATOMIC_RELAXED) & ~kClosed) <= costs_.small(cost);
  }

  // As they are stored, for files.
  std::uint32_t stored_cost(StateId node) const { return cost_[node]; }
  void restore_cost(StateId node, std::uint32_t cost) { cost_[node] = cost; }
  void restore_parent(StateId node, StateId parent) { parent_[node] = parent; }

 private:
  Entry compared(const typename StateTable<P>::Inserted& found, PackedCost cost) {
    const auto [node, is_new] = found;
    const std::uint32_t small = costs_.small(cost);
    return {node, small, is_new || small < (cost_[node] & ~kClosed)};
  }

  SmallCosts costs_;
  StateTable<P> table_;
  PageArray<std::uint32_t> cost_;  // with kClosed
  PageArray<StateId> parent_;
};

}  // namespace fewest
