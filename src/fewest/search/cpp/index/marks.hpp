// Two bits for each number of a state: a set of states of which some wait to be expanded.
//
// Problem: a breadth-first search must know what it has seen, what it expands now, and what next.
// Solution: two bits say it, 32 states a word. A layer is a sweep over the words; a byte for every
// 16,384 states (4 KB) says where there is anything to sweep, so that narrow layers cost little.
// Usage:
//   Marks marks(budget);
//   if (!marks.allocate(size)) return Status::memory;
//   marks.call(first, Mark::out); marks.advance();
//   marks.for_each_now([&](Number n) { ... marks.call(successor, Mark::out) ... }); marks.advance();
#pragma once

#include <span>

#include "state/memory.hpp"
#include "index/numbering.hpp"

namespace fewest {

// Out: not seen, or (in a search within a set) not in it, or done there. Kept: seen and done, or (in a
// search within a set) in it and not seen.
enum class Mark : Word { out = 0, next = 1, now = 2, kept = 3 };

class Marks {
 public:
  explicit Marks(Budget& budget) : words_(budget), flags_(budget) {}

  static std::size_t bytes(Number size) { return (size + 31) / 32 * 8 + size / kBlock + 1; }

  // All out. False: the memory does not suffice.
  bool allocate(Number size) {
    size_ = size;
    return words_.grow((size + 31) / 32) && flags_.grow(size / kBlock + 1);
  }

  void prefetch(Number n) const { __builtin_prefetch(&words_[n / 32], 1); }

  Mark operator[](Number n) const { return static_cast<Mark>(words_[n / 32] >> (n % 32 * 2) & 3); }

  // Marks n to be expanded next if its mark was `from` (out or kept). Returns whether it was.
  bool call(Number n, Mark from) {
    Word& word = words_[n / 32];
    const unsigned shift = n % 32 * 2;
    if ((word >> shift & 3) != static_cast<Word>(from)) return false;
    word ^= (static_cast<Word>(from) ^ static_cast<Word>(Mark::next)) << shift;
    flags_[n / kBlock] |= kNext;
    return true;
  }

  // Visits those that are to be expanded now, in ascending order; `visit` may call others and returns
  // false to stop.
  template <class Visit>
  bool for_each_now(Visit visit) const {
    return for_each_block(kNow, [&](std::size_t begin, std::size_t end) {
      return visit_marked(begin, end, [](Word w) { return w >> 1 & ~w & kLow; }, visit);
    });
  }

  // Visits all that are kept; as above.
  template <class Visit>
  bool for_each_kept(Visit visit) const {
    return visit_marked(0, num_words(), [](Word w) { return w >> 1 & w & kLow; }, visit);
  }

  // The layer is done: now becomes kept, or (`within` a set) out; next becomes now. Returns whether
  // there is any.
  bool advance(bool within = false) {
    bool any = false;
    for (std::size_t block = 0; block * kBlock < size_; ++block) {
      const unsigned char flags = flags_[block];
      if (flags == 0) continue;
      const std::size_t end = std::min(num_words(), (block + 1) * kWordsOfBlock);
      for (std::size_t i = block * kWordsOfBlock; i < end; ++i) {
        const Word low = words_[i] & kLow, high = words_[i] >> 1 & kLow;
        words_[i] = within ? low << 1 | (high & low) : (high | low) << 1 | high;
      }
      flags_[block] = flags & kNext ? kNow : 0;
      any = any || flags & kNext;
    }
    return any;
  }

  // All of them as words, between two layers; who writes them says so.
  std::span<Word> words() { return {words_.data(), num_words()}; }
  void written() { std::memset(flags_.data(), kNow, size_ / kBlock + 1); }

  void clear() {
    std::memset(words_.data(), 0, num_words() * sizeof(Word));
    std::memset(flags_.data(), 0, size_ / kBlock + 1);
  }

 private:
  static constexpr std::size_t kBlock = 16384, kWordsOfBlock = kBlock / 32;
  static constexpr Word kLow = 0x5555555555555555u;
  static constexpr unsigned char kNext = 1, kNow = 2;

  std::size_t num_words() const { return (size_ + 31) / 32; }

  template <class Visit>
  bool for_each_block(unsigned char flag, Visit visit) const {
    for (std::size_t block = 0; block * kBlock < size_; ++block)
      if (flags_[block] & flag &&
          !visit(block * kWordsOfBlock, std::min(num_words(), (block + 1) * kWordsOfBlock)))
        return false;
    return true;
  }

  template <class Select, class Visit>
  bool visit_marked(std::size_t begin, std::size_t end, Select select, Visit& visit) const {
    for (std::size_t i = begin; i < end; ++i)
      for (Word bits = select(words_[i]); bits != 0; bits &= bits - 1)
        if (!visit(static_cast<Number>(i) * 32 + std::countr_zero(bits) / 2)) return false;
    return true;
  }

  Number size_ = 0;
  PageArray<Word> words_;
  PageArray<unsigned char> flags_;
};

}  // namespace fewest
