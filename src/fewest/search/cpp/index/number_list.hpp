// A compressed list of the states marked `now`, and functions that compute other data about these states.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "index/two_bit_table.hpp"

namespace fewest {

// Ascending numbers, stored as deltas with seven bits per byte.
class NumberList {
 public:
  // Lists the numbers marked `now`. Returns false if the list needs more than `most` bytes and more than 64 KiB.
  bool fill(const MarkPlanes& marks, std::size_t most) {
    bytes_.clear();
    Number last = 0;
    return marks.for_each_now([&](Number number) {
      Number difference = number - std::exchange(last, number);
      for (; difference >= 128; difference >>= 7) bytes_.push_back(static_cast<unsigned char>(difference | 128));
      bytes_.push_back(static_cast<unsigned char>(difference));
      return bytes_.size() <= std::max<std::size_t>(most, 1 << 16);
    });
  }

  // The first number in the list that is marked `now`.
  std::optional<Number> first_now(const MarkPlanes& marks) const {
    Number number = 0;
    for (std::size_t i = 0; i < bytes_.size();) {
      Number difference = 0;
      int shift = 0;
      for (bool more = true; more; shift += 7) {
        more = bytes_[i] & 128;
        difference |= static_cast<Number>(bytes_[i++] & 127) << shift;
      }
      number += difference;
      if (marks[number] == Mark::now) return number;
    }
    return std::nullopt;
  }

  void clear() { std::vector<unsigned char>().swap(bytes_); }
  std::size_t bytes() const { return bytes_.capacity(); }

 private:
  std::vector<unsigned char> bytes_;
};

// Returns the smallest of the states marked `now`, where fact sets are compared as binary numbers. The result is empty
// if no state is marked.
template <int P, int Q>
FactSet least_now(const MarkPlanes& marks, const Layout& layout, const Numbers<P, Q>& numbers) {
  FactSet least;
  Cursor<P, Q> cursor(numbers);
  marks.for_each_now([&](Number number) {
    cursor.seek(number);
    FactSet facts = layout.unpack(cursor.state().w);
    if (least.empty() || std::lexicographical_compare(facts.rbegin(), facts.rend(), least.rbegin(), least.rend()))
      least = std::move(facts);
    return true;
  });
  return least;
}

// The states with the fewest facts among the first ten million states marked `now`; at most a thousand.
template <int P, int Q>
std::vector<FactSet> fewest_facts_now(const MarkPlanes& marks, const Layout& layout, const Numbers<P, Q>& numbers) {
  constexpr std::size_t kMostFound = 1000;
  constexpr std::uint64_t kMostSeen = 10'000'000;
  std::vector<FactSet> found;
  unsigned fewest = std::numeric_limits<unsigned>::max();
  std::uint64_t seen = 0;
  Cursor<P, Q> cursor(numbers);
  marks.for_each_now([&](Number number) {
    cursor.seek(number);
    FactSet facts = layout.unpack(cursor.state().w);
    unsigned count = 0;
    for (const Word word : facts) count += num_bits(word);
    if (count < fewest) found.clear();
    fewest = std::min(fewest, count);
    if (count == fewest && found.size() < kMostFound) found.push_back(std::move(facts));
    return ++seen < kMostSeen;
  });
  return found;
}

}  // namespace fewest
