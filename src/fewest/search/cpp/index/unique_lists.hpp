// A map from keys to lists that stores equal lists only once.
//
// Usage:
//   Lists<Shift> lists;
//   auto place = lists.find(key);
//   if (!place) place = lists.put(key, std::vector<Shift>{...});
//   for (const Shift& shift : lists.get(*place)) ...
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "state/bits.hpp"

namespace fewest {

// The place of a list among all lists. The place is valid until `clear` is called.
struct ListPlace {
  std::uint32_t first, count;
  bool operator==(const ListPlace&) const = default;
};

// `T` needs the operator == and a function hash_of(T).
template <class T>
class Lists {
 public:
  Lists() : slots_(64) {}

  // A key may be any word except the one with all bits set.
  std::optional<ListPlace> find(Word key) const {
    FEWEST_ASSERT(key != kNoKey, "a key is not the word that marks an empty slot");
    const Slot& slot = slots_[slot_of(key)];
    if (slot.key != key) return std::nullopt;
    return slot.place;
  }

  // Stores the list of a new key.
  ListPlace put(Word key, const std::vector<T>& list) {
    FEWEST_ASSERT(!find(key), "a list is put once for each key");
    if (2 * ++num_slots_ > slots_.size()) {
      std::vector<Slot> slots(2 * slots_.size());
      slots_.swap(slots);
      for (const Slot& slot : slots)
        if (slot.key != kNoKey) slots_[slot_of(slot.key)] = slot;
    }
    const ListPlace place = put(list);
    slots_[slot_of(key)] = {key, place};
    FEWEST_ASSERT(2 * num_slots_ <= slots_.size(), "half of the slots are empty, so that every search ends");
    return place;
  }

  // Stores a list without a key.
  ListPlace put(const std::vector<T>& list) {
    const auto count = static_cast<std::uint32_t>(list.size());
    Word hash = count;
    for (const T& one : list) hash = mixed(hash ^ hash_of(one));
    const auto [begin, end] = by_content_.equal_range(hash);
    for (auto same = begin; same != end; ++same)
      if (same->second.count == count && std::equal(list.begin(), list.end(), all_.begin() + same->second.first))
        return same->second;
    const ListPlace place{static_cast<std::uint32_t>(all_.size()), count};
    all_.insert(all_.end(), list.begin(), list.end());
    by_content_.emplace(hash, place);
    return place;
  }

  std::span<const T> get(const ListPlace& place) const {
    FEWEST_ASSERT(std::size_t{place.first} + place.count <= all_.size(), "a place is that of a list that was put");
    return {all_.data() + place.first, place.count};
  }

  std::size_t bytes() const {
    return slots_.size() * sizeof(Slot) + all_.capacity() * sizeof(T) + by_content_.size() * kBytesOfContent;
  }

  void clear() {
    std::vector<Slot>(64).swap(slots_);
    std::vector<T>().swap(all_);
    by_content_.clear();
    num_slots_ = 0;
  }

 private:
  static constexpr Word kNoKey = ~Word{0};
  static constexpr std::size_t kBytesOfContent = 48;  // the memory for a node of the map and for its bucket

  struct Slot {
    Word key = kNoKey;
    ListPlace place{};
  };

  static Word mixed(Word word) {
    word *= 0x9E3779B97F4A7C15u;
    return word ^ word >> 32;
  }

  // The slot of a key, or the empty slot for it.
  std::size_t slot_of(Word key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = mixed(key) >> 8 & mask;
    while (slots_[i].key != key && slots_[i].key != kNoKey) i = (i + 1) & mask;
    return i;
  }

  std::size_t num_slots_ = 0;
  std::vector<Slot> slots_;
  std::vector<T> all_;
  std::unordered_multimap<Word, ListPlace> by_content_;
};

}  // namespace fewest
