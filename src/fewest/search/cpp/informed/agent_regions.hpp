// Sets of places as bit sets. The neighbours of a whole set are computed together.
//
// Problem: for every state, the search computes the places to which the agent can walk. With a queue of places, this
// takes about a hundred steps per state.
// Solution: if walks are free, connected places that no piece ever blocks form one *area*, which has one bit. Then only
// a few bits are necessary, and each bit has a mask of its neighbours. If walks cost something, or if there are too
// many areas, places are numbered, where possible, so that walks change the number by only a few different amounts (on
// a board by 1 and by the width). Then a few shifts compute the neighbours of a whole set.
#pragma once

#include <algorithm>
#include <map>

#include "informed/pieces.hpp"
#include "state/state.hpp"

namespace fewest {

template <int Q>
using PlaceSet = State<Q>;

template <int Q>
inline PlaceSet<Q> operator&(const PlaceSet<Q>& a, const PlaceSet<Q>& b) {
  PlaceSet<Q> r;
  for (int i = 0; i < Q; ++i) r.w[i] = a.w[i] & b.w[i];
  return r;
}
template <int Q>
inline PlaceSet<Q> operator|(const PlaceSet<Q>& a, const PlaceSet<Q>& b) {
  PlaceSet<Q> r;
  for (int i = 0; i < Q; ++i) r.w[i] = a.w[i] | b.w[i];
  return r;
}
template <int Q>
inline PlaceSet<Q> without(const PlaceSet<Q>& a, const PlaceSet<Q>& b) {
  PlaceSet<Q> r;
  for (int i = 0; i < Q; ++i) r.w[i] = a.w[i] & ~b.w[i];
  return r;
}
template <int Q>
inline bool is_empty(const PlaceSet<Q>& a) {
  Word any = 0;
  for (int i = 0; i < Q; ++i) any |= a.w[i];
  return any == 0;
}
template <int Q>
inline bool meets(const PlaceSet<Q>& a, const PlaceSet<Q>& b) {
  Word any = 0;
  for (int i = 0; i < Q; ++i) any |= a.w[i] & b.w[i];
  return any != 0;
}
template <int Q>
inline bool contains(const PlaceSet<Q>& a, int bit) {
  FEWEST_ASSERT(bit >= 0 && bit < Q * 64, "a set has room for the bit");
  return a.w[bit / 64] >> (bit % 64) & 1;
}
template <int Q>
inline void insert(PlaceSet<Q>& a, int bit) {
  FEWEST_ASSERT(bit >= 0 && bit < Q * 64, "a set has room for the bit");
  a.w[bit / 64] |= Word{1} << (bit % 64);
}
template <int Q>
inline int lowest(const PlaceSet<Q>& a) {
  for (int i = 0; i < Q; ++i)
    if (a.w[i] != 0) return i * 64 + std::countr_zero(a.w[i]);
  return -1;
}
template <int Q, class Visit>
inline void for_each_in(const PlaceSet<Q>& a, Visit visit) {
  for (int i = 0; i < Q; ++i)
    for (Word bits = a.w[i]; bits != 0; bits &= bits - 1) visit(i * 64 + std::countr_zero(bits));
}

// The bits of places: each place has its own bit or the bit of its area.
struct PlaceNumbers {
  std::vector<int> bit_of;       // per place
  int num_bits = 0;
  // The differences between the bits of the two ends of a walk. Empty: there are too many, or places share bits.
  std::vector<int> differences;
};

// Chooses the bits of the places. `hint`: for each fact, the number of its cell, if the fact has a cell. The list may
// be empty.
PlaceNumbers number_places(const Pieces& pieces, const std::vector<int>& hint);

template <int Q>
class PlaceGraph {
 public:
  FEWEST_COLD PlaceGraph(const Pieces& pieces, const PlaceNumbers& numbers) : all_(zero_state<Q>()) {
    place_of_.assign(Q * 64, -1);
    for (int place = 0; place < pieces.num_places(); ++place) {
      insert(all_, numbers.bit_of[place]);
      place_of_[numbers.bit_of[place]] = place;
    }
    near_.assign(Q * 64, zero_state<Q>());
    std::map<int, PlaceSet<Q>> sources;
    for (int place = 0; place < pieces.num_places(); ++place)
      for (const Walk& walk : pieces.walks[place]) {
        if (numbers.bit_of[place] == numbers.bit_of[walk.to]) continue;  // both ends of the walk are in one area
        insert(near_[numbers.bit_of[place]], numbers.bit_of[walk.to]);
        const int difference = numbers.bit_of[walk.to] - numbers.bit_of[place];
        insert(sources.try_emplace(difference, zero_state<Q>()).first->second,
               numbers.bit_of[place]);
      }
    if (!numbers.differences.empty())
      for (const auto& [difference, from] : sources) shifts_.push_back({difference, from});
    for (int bit = 0; bit < Q * 64; ++bit) around_.push_back(surroundings(bit));
  }

  const PlaceSet<Q>& all() const { return all_; }
  int place_of(int bit) const {  // one of the places in the bit's area
    FEWEST_ASSERT(bit >= 0 && bit < Q * 64 && place_of_[bit] >= 0, "the bit is that of a place");
    return place_of_[bit];
  }

  PlaceSet<Q> neighbours(const PlaceSet<Q>& set) const {
    PlaceSet<Q> found = zero_state<Q>();
    if (shifts_.empty()) {
      for_each_in<Q>(set, [&](int bit) { found = found | near_[bit]; });
      return found;
    }
    if constexpr (Q == 1) {
      for (const Shift& shift : shifts_) {
        const Word from = set.w[0] & shift.sources.w[0];
        found.w[0] |= shift.by >= 0 ? from << shift.by : from >> -shift.by;
      }
    } else {  // a frontier usually occupies only a few words
      int first = 0, last = Q - 1;
      while (first < Q && set.w[first] == 0) ++first;
      while (last > first && set.w[last] == 0) --last;
      for (const Shift& shift : shifts_) spread(set, first, last, shift, found);
    }
    FEWEST_ASSERT_SAMPLED(found == neighbours_one_by_one(set), "shifts lead to the neighbours of each place");
    return found;
  }

  const PlaceSet<Q>& near(int bit) const { return near_[bit]; }

  // Whether `rest` is connected, given that `rest` together with `bit` is connected. The test examines only the
  // surroundings of `bit`, so it can return false although `rest` is connected.
  bool is_held_together(const PlaceSet<Q>& rest, int bit) const {
    const Surroundings& around = around_[bit];
    if (around.places.empty()) return is_empty(near_[bit] & rest);
    std::uint32_t there = 0;
    for (std::size_t i = 0; i < around.places.size(); ++i)
      there |= static_cast<std::uint32_t>(contains(rest, around.places[i])) << i;
    const std::uint32_t wanted = there & around.next;
    std::uint32_t reached = wanted & -wanted, frontier = reached;
    while ((wanted & ~reached) != 0 && frontier != 0) {
      std::uint32_t more = 0;
      for (; frontier != 0; frontier &= frontier - 1) more |= around.near[std::countr_zero(frontier)];
      frontier = more & there & ~reached;
      reached |= frontier;
    }
    return (wanted & ~reached) == 0;
  }

  // All places that are reachable from `bit` within `open`.
  PlaceSet<Q> reach(int bit, const PlaceSet<Q>& open) const {
    FEWEST_ASSERT(contains(all_, bit), "the agent is at one of its places");
    PlaceSet<Q> reached = zero_state<Q>();
    insert(reached, bit);
    PlaceSet<Q> frontier = reached;
    while (true) {
      frontier = without(neighbours(frontier) & open, reached);
      if (is_empty(frontier)) return reached;
      reached = reached | frontier;
    }
  }

 private:
  PlaceSet<Q> neighbours_one_by_one(const PlaceSet<Q>& set) const {
    PlaceSet<Q> found = zero_state<Q>();
    for_each_in<Q>(set, [&](int bit) { found = found | near_[bit]; });
    return found;
  }

  static constexpr std::size_t kMostAround = 32;

  // The surroundings of a bit: the places that are at most two steps away.
  struct Surroundings {
    std::vector<int> places;          // empty: there are none, or too many
    std::vector<std::uint32_t> near;  // for each place, a mask of its neighbours, by their index in `places`
    std::uint32_t next = 0;           // a mask of the places one step away
  };

  FEWEST_COLD Surroundings surroundings(int bit) const {
    PlaceSet<Q> all = near_[bit];
    for_each_in<Q>(near_[bit], [&](int next) { all = all | near_[next]; });
    Surroundings around;
    for_each_in<Q>(all, [&](int place) {
      if (place != bit) around.places.push_back(place);
    });
    if (around.places.size() > kMostAround) around.places.clear();
    for (std::size_t i = 0; i < around.places.size(); ++i) {
      std::uint32_t near = 0;
      for (std::size_t j = 0; j < around.places.size(); ++j)
        near |= static_cast<std::uint32_t>(contains(near_[around.places[i]], around.places[j])) << j;
      around.near.push_back(near);
      around.next |= static_cast<std::uint32_t>(contains(near_[bit], around.places[i])) << i;
    }
    return around;
  }

  struct Shift {
    int by;
    PlaceSet<Q> sources;
  };

  static void spread(const PlaceSet<Q>& set, int first, int last, const Shift& shift, PlaceSet<Q>& found) {
    const int by = shift.by >= 0 ? shift.by : -shift.by, words = by / 64, bits = by % 64;
    for (int i = first; i <= last; ++i) {
      const Word from = set.w[i] & shift.sources.w[i];
      const int near = shift.by >= 0 ? i + words : i - words, far = shift.by >= 0 ? near + 1 : near - 1;
      if (near >= 0 && near < Q) found.w[near] |= shift.by >= 0 ? from << bits : from >> bits;
      if (bits != 0 && far >= 0 && far < Q) found.w[far] |= shift.by >= 0 ? from >> (64 - bits) : from << (64 - bits);
    }
  }

  PlaceSet<Q> all_;
  std::vector<int> place_of_;  // per bit; -1: no place has the bit
  std::vector<PlaceSet<Q>> near_;
  std::vector<Surroundings> around_;  // per bit
  std::vector<Shift> shifts_;
};

}  // namespace fewest
