// A state of P words, its hash, and the compiled widths.
//
// Problem: the states of most tasks fit into one word, and searching them must be as fast as code written for one word.
// Solution: all code that processes states in an innermost loop is a template over P. For wider tasks, the width is
// rounded up to one of a few compiled widths, and the extra words at the end are zero.
// Usage: `State<2> t = s ^ flip; hash(t);`
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "state/assert.hpp"
#include "state/compiler_attributes.hpp"

namespace fewest {

using Word = std::uint64_t;

inline constexpr int kMaxWords = 16;

// Test builds compile only the narrowest and the widest width, which takes less than half of the time.
#ifdef FEWEST_FEW_WIDTHS
inline constexpr bool kHasFewWidths = true;
#else
inline constexpr bool kHasFewWidths = false;
#endif

// Returns the smallest compiled width that has room for `words`, or 0 if there are too many words.
constexpr int rounded_width(int words) {
  for (int width : {1, 2, 4, 16})
    if (words <= width) return width;
  return 0;
}

template <int P>
struct State {
  Word w[P];

  friend State operator^(const State& a, const State& b) {
    State r;
    FEWEST_UNROLL
    for (int i = 0; i < P; ++i) r.w[i] = a.w[i] ^ b.w[i];
    return r;
  }
  friend bool operator==(const State& a, const State& b) {
    Word differing = 0;
    FEWEST_UNROLL
    for (int i = 0; i < P; ++i) differing |= a.w[i] ^ b.w[i];
    return differing == 0;
  }
  // The order is arbitrary, but it must be total.
  friend bool operator<(const State& a, const State& b) {
    FEWEST_UNROLL
    for (int i = 0; i < P; ++i)
      if (a.w[i] != b.w[i]) return a.w[i] < b.w[i];
    return false;
  }
};

// An arbitrary total order: the last word is the most significant.
template <int P>
inline bool is_less(const State<P>& a, const State<P>& b) {
  FEWEST_UNROLL
  for (int i = P - 1; i > 0; --i)
    if (a.w[i] != b.w[i]) return a.w[i] < b.w[i];
  return a.w[0] < b.w[0];
}

template <int P>
inline State<P> zero_state() {
  State<P> s;
  FEWEST_UNROLL
  for (int i = 0; i < P; ++i) s.w[i] = 0;
  return s;
}

template <int P>
inline State<P> all_bits() {
  State<P> s;
  FEWEST_UNROLL
  for (int i = 0; i < P; ++i) s.w[i] = ~Word{0};
  return s;
}

template <int P>
inline State<P> state_from(const Word* words, std::size_t count) {
  FEWEST_ASSERT(count <= static_cast<std::size_t>(P), "a state has room for the words that it is made of");
  State<P> s = zero_state<P>();
  for (std::size_t i = 0; i < count; ++i) s.w[i] = words[i];
  return s;
}

// Whether (s & mask) == value, without a branch per word.
template <int P>
inline bool in_cube(const State<P>& s, const State<P>& mask, const State<P>& value) {
  Word differing = 0;
  FEWEST_UNROLL
  for (int i = 0; i < P; ++i) differing |= (s.w[i] & mask.w[i]) ^ value.w[i];
  return differing == 0;
}

// Returns the XOR of the two halves of the product. Every bit of the result depends on every bit of `a`, so the high
// bits can select the slot and the low bits the tag (wyhash, Wang Yi 2019).
inline Word fold_multiply(Word a, Word b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<Word>(product) ^ static_cast<Word>(product >> 64);
}

template <int P>
inline Word hash(const State<P>& s) {
  Word h = 0x9e3779b97f4a7c15u;
  FEWEST_UNROLL
  for (int i = 0; i < P; ++i) h = fold_multiply(h ^ s.w[i], 0xd6e8feb86659fd93u);
  return h;
}

// Maps h to 0..size-1 (Lemire, 2016), so that the size of a table need not be a power of two.
inline std::size_t scale_to(Word h, std::size_t size) {
  FEWEST_ASSERT(size > 0, "a hash is scaled to a table that has slots");
  return static_cast<std::size_t>((static_cast<unsigned __int128>(h) * size) >> 64);
}

}  // namespace fewest
