// The least costs at which states have been visited, in a table of fixed size (Reinefeld and Marsland, 1994).
//
// A state is skipped if it has been visited before at a lower cost, or at the same cost under the same limit. If a
// bucket is full, the new state replaces another state: preferably one that was not visited under this limit, otherwise
// the one with the highest cost.
#pragma once

#include "state/memory.hpp"
#include "state/state_table.hpp"

namespace fewest {

template <int P>
class TranspositionTable {
 public:
  explicit TranspositionTable(Budget& budget) : entries_(budget) {}

  // Allocates a table of at most `bytes` bytes. If it does not fit into the budget, it is smaller, or there is no
  // table.
  void make(std::size_t bytes) {
    // Since the table occupies whole pages, it may not fit into the budget; in that case, smaller tables are tried.
    for (std::size_t part = bytes; part >= 4096 && num_buckets_ == 0; part /= 2) {
      const std::size_t buckets = part / (kInBucket * sizeof(Entry));
      if (entries_.grow(buckets * kInBucket)) num_buckets_ = buckets;
    }
  }

  void prefetch(Word hash) {
    if (num_buckets_ > 0) __builtin_prefetch(bucket(hash));
  }

  // Whether the state was visited at a lower cost, or at this cost under this limit. If not, records the visit.
  bool is_seen(const State<P>& state, Word hash, std::uint32_t cost, std::uint32_t limit_number) {
    if (num_buckets_ == 0) return false;
    Entry* const entries = bucket(hash);
    Entry* victim = entries;
    for (std::size_t i = 0; i < kInBucket; ++i) {
      Entry& entry = entries[i];
      if (entry.limit_number != 0 && entry.state == state) {
        if (entry.cost < cost || (entry.cost == cost && entry.limit_number == limit_number)) return true;
        entry.cost = cost;
        entry.limit_number = limit_number;
        return false;
      }
      if (is_replaceable(entry, *victim, limit_number)) victim = &entry;
    }
    *victim = {state, cost, limit_number};
    return false;
  }

 private:
  static constexpr std::size_t kInBucket = 4;

  struct Entry {
    State<P> state;
    std::uint32_t cost;
    std::uint32_t limit_number;  // 0: empty
  };

  Entry* bucket(Word hash) { return &entries_[scale_to(hash, num_buckets_) * kInBucket]; }

  // Whether `b` should be replaced rather than `a`.
  static bool is_replaceable(const Entry& b, const Entry& a, std::uint32_t limit_number) {
    const bool a_is_new = a.limit_number == limit_number, b_is_new = b.limit_number == limit_number;
    if (a_is_new != b_is_new) return a_is_new;
    if (a.limit_number == 0 || b.limit_number == 0) return a.limit_number > b.limit_number;
    return a.cost < b.cost;
  }

  PageArray<Entry> entries_;
  std::size_t num_buckets_ = 0;
};

}  // namespace fewest
