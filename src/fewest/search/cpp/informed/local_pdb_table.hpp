// The least detours to the goal from each state of a local PDB (local_pdbs.hpp) that can reach the goal.
//
// Problem: the goal is reachable from only a few per cent of the states of a local PDB, and the fraction falls as the
// number of spots grows.
// Solution: a hash table contains only these states, with the code of a state as the key. All places of the agent in
// one connected part of the open places share one entry, since walks are free. The few entries that share a code form a
// chain.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "state/state.hpp"

namespace fewest {

class LocalPdbTable {
 public:
  static constexpr int kMost = 254, kDead = 255;  // kMost: the greatest stored value; kDead: the state is dead

  // The detours from a state with the agent at a node.
  int detours(Word code, int node) const {
    for (std::uint32_t i = slots_[slot(code)]; i != 0; i = entries_[i - 1].next)
      if (entries_[i - 1].region >> node & 1) return static_cast<int>(entries_[i - 1].detours);
    return kDead;
  }
  // The least detours over all nodes.
  int least(Word code) const {
    int least = kDead;
    for (std::uint32_t i = slots_[slot(code)]; i != 0; i = entries_[i - 1].next)
      least = std::min(least, static_cast<int>(entries_[i - 1].detours));
    return least;
  }

  struct Entry {
    Word region;  // a set of nodes
    Word code;
    std::uint32_t next : 24, detours : 8;  // next: the number of the previous entry with the same code, plus one; 0: none
  };
  static constexpr std::size_t kMostEntries = (std::size_t{1} << 24) - 2;
  const std::vector<Entry>& entries() const { return entries_; }

  void add(Word code, Word region, int detours) {
    FEWEST_ASSERT(detours >= 0 && detours <= kMost && entries_.size() < kMostEntries, "an entry fits into its fields");
    FEWEST_ASSERT(is_apart(code, region), "the regions of a code are disjoint");
    if (2 * (num_codes_ + 1) > slots_.size()) grow();
    std::uint32_t& first = slots_[slot(code)];
    num_codes_ += first == 0;
    entries_.push_back({region, code, first & 0xffffff, static_cast<std::uint32_t>(detours) & 0xff});
    first = static_cast<std::uint32_t>(entries_.size());
  }

  std::size_t bytes() const { return entries_.size() * sizeof(Entry) + slots_.size() * sizeof(std::uint32_t); }

 private:
  bool is_apart(Word code, Word region) const {
    for (std::uint32_t i = slots_[slot(code)]; i != 0; i = entries_[i - 1].next)
      if ((entries_[i - 1].region & region) != 0) return false;
    return true;
  }
  std::size_t slot(Word code) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = fold_multiply(code + 1, 0xd6e8feb86659fd93u) & mask;
    while (slots_[at] != 0 && entries_[slots_[at] - 1].code != code) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    const std::vector<std::uint32_t> old = std::exchange(slots_, std::vector<std::uint32_t>(slots_.size() * 2, 0));
    for (std::uint32_t first : old)
      if (first != 0) slots_[slot(entries_[first - 1].code)] = first;
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64, 0);  // per code: its last entry plus one; 0: none
  std::size_t num_codes_ = 0;
};

}  // namespace fewest
