// A priority queue of states, ordered by (f, h), for cases where only a few different costs occur at a time.
//
// Solution: one stack for each pair (f, h). Among states with equal f, those with the least h are removed first. The
// time to add or remove a state does not depend on the size of the queue. A state that has become cheaper is added
// again; the caller checks whether a removed state has already been expanded. A stack is a chain of small chunks from
// one pool, so no data are moved when a stack grows, and a stack can reuse chunks that other stacks have released.
#pragma once

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "state/memory.hpp"
#include "state/problem.hpp"
#include "state/state_table.hpp"

namespace fewest {

class OpenList {
 public:
  explicit OpenList(Budget& budget) : chunks_(budget) {}

  bool empty() const { return stacks_.empty(); }
  PackedCost least_f() const {
    FEWEST_ASSERT(!empty(), "an empty queue has no least f");
    return stacks_.begin()->first.first;
  }

  // Returns false if memory is exhausted.
  bool push(PackedCost f, PackedCost h, StateId state) {
    CachedStack& cached = cached_[slot(f, h)];
    if (cached.stack == nullptr || cached.f != f || cached.h != h)
      cached = {f, h, &stacks_.try_emplace({f, h}, Stack{}).first->second};
    FEWEST_ASSERT_SAMPLED(stacks_.count({f, h}) == 1 && cached.stack == &stacks_.find({f, h})->second,
                          "the cached stack belongs to the pair");
    Stack& stack = *cached.stack;
    if (stack.top == kNone || stack.filled == kChunkSize) {
      const std::uint32_t chunk = new_chunk();
      if (chunk == kNone) return false;
      chunks_[chunk].below = stack.top;
      stack.top = chunk;
      stack.filled = 0;
    }
    chunks_[stack.top].states[stack.filled++] = state;
    return true;
  }

  // The state that the next call of `pop` will return, for prefetching; kNoState if the queue has no states.
  StateId peek() const {
    if (stacks_.empty()) return kNoState;
    const Stack& stack = stacks_.begin()->second;
    return stack.filled == 0 || stack.top == kNone ? kNoState
                                                   : chunks_[stack.top].states[stack.filled - 1];
  }

  StateId pop() {
    FEWEST_ASSERT(!empty(), "an empty queue has no state to remove");
    return remove(stacks_.begin());
  }
  // Like `pop`, but after many states with the same f, it sometimes returns a state with a different h, because all
  // states with the least h may be dead without having been recognised as such.
  StateId pop_diversified() {
    FEWEST_ASSERT(!empty(), "an empty queue has no state to remove");
    const auto first = stacks_.begin();
    const PackedCost f = first->first.first;
    if (f != last_f_) last_f_ = f, num_removed_ = 0;
    if (++num_removed_ < kFirstVaried || num_removed_ % kVariedEvery != 0) return remove(first);
    const PackedCost least = first->first.second, most = std::prev(stacks_.upper_bound({f, ~PackedCost{0}}))->first.second;
    random_ = fold_multiply(random_ + num_removed_, 0x9e3779b97f4a7c15u);
    return remove(stacks_.lower_bound({f, least + scale_to(random_, most - least + 1)}));
  }
  // Removes a state with this f and the least h that is at least `least_h`. Returns kNoState if there is no such state.
  StateId pop(PackedCost f, PackedCost least_h) {
    const auto found = stacks_.lower_bound({f, least_h});
    return found == stacks_.end() || found->first.first != f ? kNoState : remove(found);
  }

  // Returns at most `most` states with h = 0, in ascending order of f. The states are not removed.
  std::vector<StateId> nearest(std::size_t most) const {
    std::vector<StateId> found;
    for (const auto& [priority, stack] : stacks_) {
      if (priority.second != 0) continue;
      std::uint32_t filled = stack.filled;
      for (std::uint32_t chunk = stack.top; chunk != kNone; chunk = chunks_[chunk].below, filled = kChunkSize)
        for (std::uint32_t i = filled; i-- > 0;) {
          if (found.size() == most) return found;
          found.push_back(chunks_[chunk].states[i]);
        }
    }
    return found;
  }

  // These functions write the open list to a section of a file and read it back (store/checkpoint_sections.hpp).
  template <class Out>
  void write(Out& out) const {
    out.value(static_cast<Word>(stacks_.size()));
    for (const auto& [priority, stack] : stacks_) {
      std::vector<std::uint32_t> chunks;  // the chunks of the stack, lowest last
      for (std::uint32_t chunk = stack.top; chunk != kNone; chunk = chunks_[chunk].below) chunks.push_back(chunk);
      const auto filled = [&stack = stack](std::size_t i) { return i == 0 ? stack.filled : kChunkSize; };
      Word count = 0;
      for (std::size_t i = 0; i < chunks.size(); ++i) count += filled(i);
      out.value(priority.first), out.value(priority.second), out.value(count);
      for (std::size_t i = chunks.size(); i-- > 0;) out.rows(chunks_[chunks[i]].states, filled(i));
    }
  }
  // Returns false if memory is exhausted.
  template <class In>
  bool read(In& in) {
    Word num_stacks;
    for (in.value(num_stacks); num_stacks > 0; --num_stacks) {
      PackedCost f, h;
      Word count;
      in.value(f), in.value(h), in.value(count);
      for (StateId state; count > 0; --count) {
        in.value(state);
        if (!push(f, h, state)) return false;
      }
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr std::uint32_t kChunkSize = 31;
  static constexpr std::uint64_t kFirstVaried = 20000, kVariedEvery = 4;  // numbers of states with the same f

  struct Chunk {
    std::uint32_t below;
    StateId states[kChunkSize];
  };
  struct Stack {
    std::uint32_t top = kNone, filled = 0;
  };
  struct CachedStack {
    PackedCost f = 0, h = 0;
    Stack* stack = nullptr;
  };

  using Stacks = std::map<std::pair<PackedCost, PackedCost>, Stack>;

  static std::size_t slot(PackedCost f, PackedCost h) {
    return fold_multiply(f * 31 + h + 1, 0xd6e8feb86659fd93u) % 64;
  }

  StateId remove(Stacks::iterator first) {
    Stack& stack = first->second;
    FEWEST_ASSERT(stack.top != kNone && stack.filled > 0 && stack.filled <= kChunkSize,
                  "a stored stack is not empty");
    const StateId state = chunks_[stack.top].states[--stack.filled];
    if (stack.filled == 0) {
      const std::uint32_t chunk = stack.top;
      stack.top = chunks_[chunk].below;
      stack.filled = kChunkSize;
      chunks_[chunk].below = free_;
      free_ = chunk;
    }
    if (stack.top == kNone) {
      cached_[slot(first->first.first, first->first.second)] = {};
      stacks_.erase(first);
    }
    return state;
  }

  std::uint32_t new_chunk() {
    if (free_ != kNone) return std::exchange(free_, chunks_[free_].below);
    if (!chunks_.reserve(num_chunks_ + 1)) return kNone;
    return num_chunks_++;
  }

  PageArray<Chunk> chunks_;
  PackedCost last_f_ = ~PackedCost{0};
  std::uint64_t num_removed_ = 0, random_ = 1;
  std::uint32_t num_chunks_ = 0, free_ = kNone;
  Stacks stacks_;
  std::array<CachedStack, 64> cached_{};
};

}  // namespace fewest
