// A priority queue of nodes, ordered by cost, for cases where only a few different costs occur at a time.
//
// Solution: an ordered map has one list per cost. A node that becomes cheaper stays in its old list as well, so the
// caller checks whether the cost of a removed node is still current.
#pragma once

#include <array>
#include <map>
#include <new>
#include <vector>

#include "state/memory.hpp"
#include "state/problem.hpp"
#include "state/state_table.hpp"

namespace fewest {

class Buckets {
 public:
  explicit Buckets(Budget& budget) : budget_(&budget) {}
  ~Buckets() {
    for (auto& [cost, list] : lists_) budget_->give_back(bytes(list));
  }
  Buckets(const Buckets&) = delete;
  Buckets& operator=(const Buckets&) = delete;

  bool empty() const { return lists_.empty(); }
  PackedCost cheapest() const {
    FEWEST_ASSERT(!empty(), "an empty queue has no cheapest node");
    return lists_.begin()->first;
  }
  // Returns the list with the least cost. The address of the list is stable until the list is removed, even if the list
  // grows.
  const std::vector<StateId>& cheapest_list() const {
    FEWEST_ASSERT(!empty(), "an empty queue has no cheapest node");
    return lists_.begin()->second;
  }

  void remove_cheapest() {
    FEWEST_ASSERT(!empty(), "an empty queue has no cheapest node");
    const auto first = lists_.begin();
    known_[slot(first->first)] = {};
    budget_->give_back(bytes(first->second));
    lists_.erase(first);
  }

  // Returns false if memory is exhausted.
  bool push(PackedCost cost, StateId node) {
    Known& known = known_[slot(cost)];
    if (known.list == nullptr || known.cost != cost) known = {cost, &lists_[cost]};
    FEWEST_ASSERT_SAMPLED(lists_.count(cost) == 1 && known.list == &lists_.find(cost)->second,
                          "the list that is known is that of the cost");
    std::vector<StateId>& list = *known.list;
    if (list.size() == list.capacity() && !make_room(list)) return false;
    list.push_back(node);
    return true;
  }

  // These functions write all lists to a section of a file and read them back (store/checkpoint_sections.hpp).
  template <class Out>
  void write(Out& out) const {
    out.value(static_cast<Word>(lists_.size()));
    for (const auto& [cost, list] : lists_) {
      out.value(cost);
      out.list(list);
    }
  }
  // Returns false if memory is exhausted.
  template <class In>
  bool read(In& in) {
    Word num_lists;
    for (in.value(num_lists); num_lists > 0; --num_lists) {
      PackedCost cost;
      Word left;
      in.value(cost);
      for (in.value(left); left > 0; --left) {
        StateId node;
        in.value(node);
        if (!push(cost, node)) return false;
      }
    }
    return true;
  }

 private:
  // A list that was used recently, and its cost. Most calls of `push` find their list in `known_`, without a look-up in
  // the map.
  struct Known {
    PackedCost cost = 0;
    std::vector<StateId>* list = nullptr;
  };

  static std::size_t bytes(const std::vector<StateId>& list) {
    return list.capacity() * sizeof(StateId);
  }
  static std::size_t slot(PackedCost cost) { return fold_multiply(cost + 1, 0xd6e8feb86659fd93u) % 64; }

  bool make_room(std::vector<StateId>& list) {
    const std::size_t capacity = std::max<std::size_t>(64, list.capacity() * 2);
    // While a list grows, its old and new copies exist at the same time.
    if (!budget_->take(capacity * sizeof(StateId))) return false;
    const std::size_t before = bytes(list);
    try {
      list.reserve(capacity);
    } catch (const std::bad_alloc&) {
      budget_->give_back(capacity * sizeof(StateId));
      return false;
    }
    FEWEST_ASSERT(list.capacity() >= capacity, "a list has the room that was made");
    budget_->give_back(before + capacity * sizeof(StateId) - bytes(list));
    if (bytes(list) > capacity * sizeof(StateId))
      budget_->take(bytes(list) - capacity * sizeof(StateId));
    return true;
  }

  Budget* budget_;
  std::map<PackedCost, std::vector<StateId>> lists_;
  std::array<Known, 64> known_{};
};

}  // namespace fewest
