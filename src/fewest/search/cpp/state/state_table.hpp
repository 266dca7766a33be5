// The set of reached states, in order of discovery.
//
// Problem: the table must support random look-ups among hundreds of millions of states, in at most 16 bytes per state.
// Solution: the states are stored once, contiguously, in order of discovery, so each layer is a slice. A hash table
// with linear probing has 32-bit slots: each contains the index of the state plus one (0: empty) and, in the remaining
// bits, a tag from the hash, which avoids most comparisons with different states. The table may have any size, so a
// large table grows by 2/5 when it is 3/4 full, and by less near the memory limit. Whenever it grows, all states are
// rehashed, in order. In a large table with P = 1, each state takes at most 8.5 bytes in the list of states and 7.5
// bytes in the slots.
// Usage:
//   StateTable<1> table(budget);
//   if (!table.reserve(batch)) return Status::memory;     // room for that many insertions
//   auto [index, is_new] = table.insert(state, hash(state));
#pragma once

#include <functional>

#include "state/compiler_attributes.hpp"
#include "state/memory.hpp"
#include "state/state.hpp"

namespace fewest {

using StateId = std::uint32_t;
inline constexpr StateId kNoState = 0xffffffffu;

template <int P>
class StateTable {
 public:
  struct Inserted {
    StateId index;
    bool is_new;
  };

  // This function is called about every millisecond during rehashing, which takes seconds in a very large table. If it
  // returns false, `reserve` fails, and the table must no longer be queried.
  using MayContinue = std::function<bool()>;

  explicit StateTable(Budget& budget, Growth growth = Growth::generous, MayContinue may_continue = nullptr)
      : states_(budget, growth),
        slots_(budget, growth),
        growth_(growth),
        may_continue_(std::move(may_continue)) {}

  std::size_t size() const { return count_; }

  // Fills an empty table with `count` distinct rows, which `read(rows, size)` provides in chunks. Returns false if
  // memory is exhausted.
  template <class Read>
  bool refill(std::size_t count, Read read) {
    State<P> rows[64];
    while (count_ < count) {
      const std::size_t size = std::min<std::size_t>(std::size(rows), count - count_);
      if (!reserve(size)) return false;
      read(rows, size);
      for (std::size_t i = 0; i < size; ++i) insert(rows[i], hash(rows[i]));
    }
    return true;
  }
  const State<P>& operator[](std::size_t i) const {
    FEWEST_ASSERT(i < count_, "a state is looked up by an index that was given out");
    return states_[i];
  }
  const State<P>* data() const { return states_.data(); }

  // A prefetcher holds a copy of the address of the slots. Loops use it because they would otherwise have to reload the
  // address after each write.
  struct Prefetcher {
    const std::uint32_t* slots;
    std::size_t num_slots;
    void prefetch(Word h) const { __builtin_prefetch(slots + scale_to(h, num_slots)); }
  };
  Prefetcher prefetcher() const { return {slots_.data(), num_slots_}; }

  void prefetch(Word h) const { __builtin_prefetch(&slots_[scale_to(h, num_slots_)]); }

  // Inserts a state. A call of `reserve` must have provided room for it.
  Inserted insert(const State<P>& s, Word h) { return insert(s, h, scale_to(h, num_slots_)); }

  // Returns the first slot that may contain a state with this hash, and prefetches the state to which the slot refers.
  // The result remains valid across insertions as long as the table does not grow.
  std::size_t approach(Word h) const {
    const std::size_t at = first_alike(h, scale_to(h, num_slots_));
    if (slots_[at] != 0) __builtin_prefetch(&states_[index_in(slots_[at])]);
    return at;
  }

  // The index of the state in a slot that `approach` returned, or kNoState if the slot is empty.
  StateId at(std::size_t place) const {
    FEWEST_ASSERT(place < num_slots_, "a place is within the slots");
    return slots_[place] == 0 ? kNoState : index_in(slots_[place]);
  }
  void prefetch_state(StateId index) const { __builtin_prefetch(&states_[index]); }

  // `at`: from `approach`.
  Inserted insert(const State<P>& s, Word h, std::size_t at) {
    FEWEST_ASSERT(h == hash(s), "a state is inserted with its own hash");
    FEWEST_ASSERT_SAMPLED(place_of(s, h, at) == place_of(s, h, scale_to(h, num_slots_)),
                          "a search from the slot that `approach` returned ends in the same slot");
    at = place_of(s, h, at);
    if (slots_[at] != 0) return {index_in(slots_[at]), false};
    FEWEST_ASSERT(count_ < room_, "there is room for a state that is inserted");
    const auto index = static_cast<StateId>(count_++);
    states_[index] = s;
    slots_[at] = (static_cast<std::uint32_t>(h) & ~index_mask_) | (index + 1);
    FEWEST_ASSERT(index_in(slots_[at]) == index, "a slot has room for the index");
    FEWEST_ASSERT_SAMPLED(find(s) == index, "what was inserted is found");
    return {index, true};
  }

  StateId find(const State<P>& s) const {
    if (count_ == 0) return kNoState;
    const Word h = hash(s);
    return find(s, h, scale_to(h, num_slots_));
  }

  // `place`: from `approach`.
  StateId find(const State<P>& s, Word h, std::size_t place) const { return at(place_of(s, h, place)); }

  // Frees the slots. The states remain, but states can no longer be looked up or inserted.
  void release_slots() { slots_.release(); }

  // Provides room for `extra` more states. Returns false if memory or the 2^32 - 2 indices are used up; in that case,
  // the existing states can still be looked up. Also returns false if the function of type MayContinue did.
  bool reserve(std::size_t extra) {
    const std::size_t wanted = count_ + extra;
    if (wanted <= room_) [[likely]] return true;
    return make_room(wanted);
  }

 private:
  static constexpr std::size_t kMaxStates = 0xfffffffeu;
  static constexpr std::size_t kStatesPerCheck = std::size_t{1} << 16;

  StateId index_in(std::uint32_t slot) const {
    FEWEST_ASSERT((slot & index_mask_) - 1 < count_, "a slot that is not empty has the index of a state");
    return (slot & index_mask_) - 1;
  }

  // The first slot at or after `at` that is empty or has the tag of `h`.
  std::size_t first_alike(Word h, std::size_t at) const {
    const auto tag = static_cast<std::uint32_t>(h);
    for (std::uint32_t slot; (slot = slots_[at]) != 0; at = next(at))
      if (((slot ^ tag) & ~index_mask_) == 0) break;
    return at;
  }

  // The slot of `s`, or the empty slot where it would be inserted.
  std::size_t place_of(const State<P>& s, Word h, std::size_t at) const {
    for (;; at = next(at)) {
      at = first_alike(h, at);
      if (slots_[at] == 0 || states_[index_in(slots_[at])] == s) return at;
    }
  }

  std::size_t next(std::size_t at) const { return at + 1 == num_slots_ ? 0 : at + 1; }

  FEWEST_COLD bool make_room(std::size_t wanted) {
    if (wanted > kMaxStates || !states_.reserve(wanted)) return false;
    if (wanted > max_used_ && !grow_slots(wanted)) return false;
    room_ = std::min(states_.capacity(), max_used_);
    FEWEST_ASSERT(wanted <= room_, "there is room for all requested states");
    FEWEST_ASSERT(max_used_ < num_slots_ && num_slots_ <= slots_.capacity(), "an empty slot ends every search");
    return true;
  }

  bool grow_slots(std::size_t wanted) {
    std::size_t more = num_slots_ * 2 / 5;
    if (growth_ == Growth::generous && num_slots_ < std::size_t{1} << 20) more = 3 * num_slots_;
    std::size_t slots = std::max<std::size_t>({1024, num_slots_ + more, wanted + wanted / 2});
    // Near the limit, the table grows by less, so that part of the remaining memory is left for the states.
    const std::size_t per_state = sizeof(State<P>) * 3 / 4 + sizeof(std::uint32_t);
    const auto affordable = [&] {
      return num_slots_ + std::min(slots_left(), slots_left() * 4 / per_state + 1024);
    };
    if (slots > affordable()) slots = affordable();
    if (slots >= num_slots_ + num_slots_ / 16 && slots / 4 * 3 >= wanted && slots_.grow(slots))
      return rebuild(slots_.capacity(), 3, 4);
    // If the number of slots cannot grow, the existing slots are filled to 15/16. Look-ups are then slow, but the
    // search can continue.
    if (num_slots_ / 16 * 15 < wanted) return false;
    return rebuild(num_slots_, 15, 16);
  }

  std::size_t slots_left() const { return slots_.budget().left() / sizeof(std::uint32_t); }

  bool rebuild(std::size_t slots, std::size_t part, std::size_t whole) {
    std::memset(slots_.data(), 0, num_slots_ * sizeof(std::uint32_t));
    num_slots_ = slots;
    max_used_ = std::min(kMaxStates, slots / whole * part);
    const int bits = std::bit_width(max_used_);
    index_mask_ = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
    FEWEST_ASSERT(count_ <= max_used_, "the slots have room for all states of the table");
    FEWEST_ASSERT(max_used_ <= index_mask_, "every index fits into a slot");
    constexpr std::size_t ahead = 64;
    Word hashes[ahead];
    for (std::size_t i = 0; i < std::min(ahead, count_); ++i) {
      hashes[i] = hash(states_[i]);
      prefetch(hashes[i]);
    }
    for (std::size_t i = 0; i < count_; ++i) {
      if (i % kStatesPerCheck == kStatesPerCheck - 1 && may_continue_ && !may_continue_()) return false;
      const Word h = hashes[i % ahead];
      if (i + ahead < count_) {
        hashes[i % ahead] = hash(states_[i + ahead]);
        prefetch(hashes[i % ahead]);
      }
      std::size_t at = scale_to(h, num_slots_);
      while (slots_[at] != 0) {
        FEWEST_ASSERT(slots_[at] != static_cast<std::uint32_t>(i + 1), "no state is in two slots");
        at = next(at);
      }
      slots_[at] = (static_cast<std::uint32_t>(h) & ~index_mask_) | static_cast<std::uint32_t>(i + 1);
    }
    return true;
  }

  PageArray<State<P>> states_;
  PageArray<std::uint32_t> slots_;
  Growth growth_;
  MayContinue may_continue_;
  std::size_t count_ = 0, room_ = 0, num_slots_ = 0, max_used_ = 0;
  std::uint32_t index_mask_ = 0;
};

}  // namespace fewest
