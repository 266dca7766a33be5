// Encodes ascending states as deltas, with seven bits per byte. A state of one word usually takes two or three bytes
// instead of eight.
//
// The encoding treats a state as one long number. The last word of the state is the most significant (`is_less`). The
// first delta of a block is relative to zero, so each block can be read independently of the others.
#pragma once

#include <cstdint>
#include <vector>

#include "state/state.hpp"

namespace fewest {

using Byte = unsigned char;

template <int P>
inline constexpr std::size_t kLongestGap = (P * 64 + 6) / 7;  // bytes

// Writes `to - from` at `out`, where to >= from. Returns the end of the bytes written.
template <int P>
inline Byte* write_gap(const State<P>& from, const State<P>& to, Byte* out) {
  FEWEST_ASSERT(!is_less(to, from), "states are written in ascending order");
  State<P> gap;
  Word borrow = 0;
  int top = 0;
  for (int i = 0; i < P; ++i) {
    const Word less = to.w[i] - from.w[i];
    gap.w[i] = less - borrow;
    borrow = (to.w[i] < from.w[i]) | (less < borrow);
    if (gap.w[i] != 0) top = i;
  }
  for (; top > 0; top -= gap.w[top] == 0) {
    *out++ = static_cast<Byte>(gap.w[0] | 128);
    for (int i = 0; i < top; ++i) gap.w[i] = gap.w[i] >> 7 | gap.w[i + 1] << 57;
    gap.w[top] >>= 7;
  }
  Word low = gap.w[0];
  for (; low >= 128; low >>= 7) *out++ = static_cast<Byte>(low | 128);
  *out++ = static_cast<Byte>(low);
  return out;
}

// Adds the delta encoded at `in` to `s`. Returns the end of the bytes that were read, or nullptr if they continue
// beyond `end` or are too many for a state.
template <int P>
inline const Byte* read_gap(const Byte* in, const Byte* end, State<P>& s) {
  State<P> gap = zero_state<P>();
  for (int shift = 0; in != end && shift < P * 64; shift += 7) {
    const Word byte = *in++;
    const Word bits = byte & 127;
    gap.w[shift / 64] |= bits << (shift % 64);
    if (P > 1 && shift % 64 > 57 && shift / 64 + 1 < P) gap.w[shift / 64 + 1] |= bits >> (64 - shift % 64);
    if (byte >= 128) continue;
    Word carry = 0;
    for (int i = 0; i < P; ++i) {
      const Word sum = s.w[i] + gap.w[i];
      const Word all = sum + carry;
      carry = (sum < gap.w[i]) | (all < sum);
      s.w[i] = all;
    }
    return in;
  }
  return nullptr;
}

}  // namespace fewest
