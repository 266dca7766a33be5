// Sorts entries and removes duplicates. Entries that differ only in their marks become one entry that has all of their
// marks.
//
// `marks` is the mask of the mark bits, which are the low bits of the first word. The mask is 0 if entries have no
// marks. A radix sort uses digits of eleven bits, lowest digit first. A pass takes two or three nanoseconds per state
// if the states are in a cache. Digits that are equal in all states are skipped.
#pragma once

#include <algorithm>
#include <utility>

#include "state/state.hpp"

namespace fewest {

inline constexpr int kDigitBits = 11, kMostPasses = 12;
inline constexpr std::size_t kFewStates = 512;  // up to this number of states, a comparison sort is at least as fast

// An entry with all marks set, so that comparisons ignore its own marks.
template <int P>
inline State<P> key_of(State<P> entry, Word marks) {
  entry.w[0] |= marks;
  return entry;
}

// Whether entries ascend without duplicates, ignoring marks.
template <int P>
bool are_ascending(const State<P>* states, std::size_t size, Word marks) {
  for (std::size_t i = 1; i < size; ++i)
    if (!is_less(key_of(states[i - 1], marks), key_of(states[i], marks))) return false;
  return true;
}

struct Digit {
  int word, shift;
};

// Finds the digits in which states differ. Returns the number of these digits. The result is above kMostPasses if there
// are too many digits.
template <int P>
inline int digits_of(const State<P>* states, std::size_t size, Word marks, Digit* digits) {
  State<P> differing = zero_state<P>();
  for (std::size_t i = 1; i < size; ++i)
    for (int w = 0; w < P; ++w) differing.w[w] |= states[i].w[w] ^ states[0].w[w];
  differing.w[0] &= ~marks;
  int count = 0;
  for (int w = 0; w < P; ++w)
    for (Word left = differing.w[w]; left != 0 && count <= kMostPasses;) {
      const int shift = std::countr_zero(left);
      if (count < kMostPasses) digits[count] = {w, shift};
      ++count;
      left = shift + kDigitBits >= 64 ? 0 : left >> (shift + kDigitBits) << (shift + kDigitBits);
    }
  return count;
}

// Sorts `states`, removes duplicates, and returns the number of states that remain. `buffer` must have room for the
// same number of states. The two arrays may be swapped.
template <int P>
std::size_t sort_unique(State<P>*& states, State<P>*& buffer, std::size_t size, Word marks) {
  Digit digits[kMostPasses];
  const int passes = size < kFewStates ? kMostPasses + 1 : digits_of(states, size, marks, digits);
  if (passes > kMostPasses) {
    std::sort(states, states + size, is_less<P>);
  } else {
    for (int pass = 0; pass < passes; ++pass) {
      const auto [word, shift] = digits[pass];
      constexpr Word mask = (Word{1} << kDigitBits) - 1;
      std::size_t begin[mask + 1] = {}, at = 0;
      for (std::size_t i = 0; i < size; ++i) ++begin[states[i].w[word] >> shift & mask];
      for (std::size_t& count : begin) at += std::exchange(count, at);
      for (std::size_t i = 0; i < size; ++i) buffer[begin[states[i].w[word] >> shift & mask]++] = states[i];
      std::swap(states, buffer);
    }
  }
  if (size == 0) return 0;
  State<P>* last = states;
  for (std::size_t i = 1; i < size; ++i) {
    const bool is_same = key_of(*last, marks) == key_of(states[i], marks);
    const Word united = last->w[0] | states[i].w[0];
    last += !is_same;
    *last = states[i];
    if (is_same) last->w[0] = united;
  }
  FEWEST_ASSERT(are_ascending(states, static_cast<std::size_t>(last + 1 - states), marks),
                "entries are sorted, each once");
  return static_cast<std::size_t>(last + 1 - states);
}

// Removes the states in known..known_end from begin..end. Both sequences must be ascending. Returns the new end.
template <int P>
State<P>* subtract(State<P>* begin, State<P>* end, const State<P>* known, const State<P>* known_end,
                   Word marks) {
  FEWEST_ASSERT(are_ascending(begin, static_cast<std::size_t>(end - begin), marks) &&
                    are_ascending(known, static_cast<std::size_t>(known_end - known), marks),
                "both lists are ascending");
  if (known == known_end) return end;
  State<P>* out = begin;
  for (State<P>* s = begin; s != end; ++s) {
    const State<P> key = key_of(*s, marks);
    while (known != known_end && is_less(key_of(*known, marks), key)) ++known;
    if (known == known_end) return out == s ? end : std::move(s, end, out);
    *out = *s;
    out += !(key_of(*known, marks) == key);
  }
  return out;
}

}  // namespace fewest
