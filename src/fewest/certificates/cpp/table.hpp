// A table of positions and their nodes, and the costs of moves that follow runs. The table is for metrics that merge
// moves of different costs, for lexicographic pairs, and for node numbers of more than 63 bits. Both the checker and
// the writer of such layers use the table.
#pragma once

#include <algorithm>
#include <cstring>

#include "operators.hpp"

namespace fewest::checkers {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

// A hash table of positions, with open addressing.
class Positions {
 public:
  explicit Positions(std::size_t words) : words_(words), slots_(1 << 10, kNowhere) {}
  std::uint32_t find(const Word* state) const { return slots_[slot(state)]; }
  std::uint32_t find_or_add(const Word* state) {
    std::size_t at = slot(state);
    if (slots_[at] != kNowhere) return slots_[at];
    if (size() + 1 >= kNowhere) throw GivenUp("memory");
    states_.insert(states_.end(), state, state + words_);
    const auto id = static_cast<std::uint32_t>(size() - 1);
    if (2 * size() > slots_.size()) {
      std::vector<std::uint32_t> wider(2 * slots_.size(), kNowhere);
      slots_.swap(wider);
      for (std::uint32_t i = 0; i < size(); ++i) slots_[slot(this->state(i))] = i;
    } else {
      slots_[at] = id;
    }
    FEWEST_ASSERT(2 * size() <= slots_.size(), "half of the slots are empty, so that every search ends");
    FEWEST_ASSERT_SAMPLED(find(state) == id, "an added position is found");
    return id;
  }
  const Word* state(std::uint32_t id) const {
    FEWEST_ASSERT(id < size(), "the number is that of a position");
    return states_.data() + id * words_;
  }
  std::size_t size() const { return states_.size() / words_; }
  std::uint64_t bytes() const { return states_.capacity() * 8 + slots_.size() * 4; }

 private:
  std::size_t slot(const Word* state) const {
    Word key = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      key = (key ^ state[w]) * 0x9E3779B97F4A7C15u;
      key ^= key >> 29;
    }
    std::size_t at = key & (slots_.size() - 1);
    while (slots_[at] != kNowhere &&
           std::memcmp(this->state(slots_[at]), state, words_ * 8) != 0)
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::size_t words_;
  std::vector<Word> states_;
  std::vector<std::uint32_t> slots_;
};

// A node of a position: its layer and, for each part of the metric, its run (-1 if no run is in progress).
struct Node {
  std::uint32_t layer;
  std::uint32_t next;  // the next node of the same position
  int runs[2] = {-1, -1};
  bool is_met = false;
};

// Adds to `total` the cost of a move that follows the runs `before`, and sets `runs` to the runs that are in progress
// after the move.
inline void step(const LayersInput& input, const Operators& operators, std::uint32_t o, const int* before,
                 Cost& total, int* runs) {
  for (std::size_t p = 0; p < input.parts.size(); ++p) {
    const PartRows& part = input.parts[p];
    FEWEST_ASSERT(o < part.weight.size() && before[p] < static_cast<int>(part.run_fact.size()),
                  "the move and the run are of the metric");
    const std::uint64_t weight = part.weight[o];
    if (weight == 0) {
      const int fact = before[p] < 0 ? -1 : part.run_fact[before[p]];
      runs[p] = fact >= 0 && operators.changes(o, fact) ? -1 : before[p];
    } else {
      if (before[p] < 0 || before[p] != part.run_in[o]) total[p] += weight;
      runs[p] = part.run_out[o];
    }
  }
}

// Returns the bound of the node with the runs `runs` that follows from a node of the same position. The other node has
// the cost `cost` and the runs `own`.
inline Cost bound_by(const LayersInput& input, Cost cost, const int* own, const int* runs) {
  for (std::size_t p = 0; p < input.parts.size(); ++p) {
    FEWEST_ASSERT(runs[p] < static_cast<int>(input.parts[p].run_weight.size()), "the run is one of the metric");
    if (runs[p] >= 0 && runs[p] != own[p]) cost[p] += input.parts[p].run_weight[runs[p]];
  }
  return cost;
}

// Returns a lower bound on the cost from a state to the goal; the bound is 0 if there is no potential.
inline std::uint64_t potential_of(const LayersInput& input, const Word* state, std::size_t words) {
  if (input.potential.empty()) return 0;
  __int128 sum = 0;
  for (std::size_t w = 0; w < words; ++w)
    for (Word left = state[w]; left != 0; left &= left - 1)
      sum += input.potential[64 * w + std::countr_zero(left)];
  return static_cast<std::uint64_t>(std::clamp<__int128>(sum, 0, std::int64_t{1} << 62));
}

}  // namespace fewest::checkers
