// Two bits for each state number: the open and closed lists of a breadth-first search.
//
// Problem: a breadth-first search must distinguish the states that it has reached, the layer that it is expanding, and
// the next layer.
// Solution: two bits per state encode this distinction. The bits are in two planes, so that operations can process 64
// consecutive numbers at a time. The first bit is "next or closed", the second "now or closed". During the expansion of
// a layer, only the first plane changes (in a search within a set, only the second plane), and no bit of a state with
// the mark `now` changes. So any number of threads may mark, read and visit states. Every block of 4,096 states has a
// byte for each of the marks `next`, `now` and `closed`; it is non-zero if a state of the block may have this mark. So
// narrow layers are fast, and so are small searches in large spaces. A *part* of the marks covers a range of the
// numbers. Marks outside the range go to an outbox (outbox.hpp). The planes extend a little beyond the range, to
// numbers that are never marked, so code that reads a few words beyond the ends of the range needs no bounds check.
// Usage:
//   MarkPlanes marks(budget);
//   if (!marks.allocate(size)) return Status::memory;   // or allocate_part(size, begin, end, outbox)
//   marks.mark(first, Mark::out); marks.advance();
//   marks.for_each_now([&](Number n) { ... marks.mark(successor, Mark::out) ... }); marks.advance();
#pragma once

#include <algorithm>
#include <span>

#include "state/memory.hpp"
#include "state/threads.hpp"
#include "index/numbering.hpp"
#include "index/outbox.hpp"

namespace fewest {

// The mark `out` means that the state has not been reached; in a search within a set, it means that the state is not in
// the set or has already been expanded. The mark `closed` means that the state has been reached and expanded; in a
// search within a set, it means that the state is in the set and has not been reached yet.
enum class Mark : Word { out = 0, next = 1, now = 2, closed = 3 };

// std::popcount is a function call on processors without an instruction for it.
inline unsigned num_bits(Word bits) {
  bits -= bits >> 1 & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
  bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
  return static_cast<unsigned>(bits * 0x0101010101010101u >> 56);
}

class MarkPlanes {
 public:
  static constexpr Number kBlock = 4096;

  explicit MarkPlanes(Budget& budget) : words_(budget), flags_(budget) {}

  // Marks all numbers as `out`. Returns false if there is not enough memory.
  bool allocate(Number size) { return allocate_part(size, 0, size, nullptr); }

  // Like `allocate`, but only for the numbers begin..end-1. Marks of other numbers will go to the outbox. `begin` and
  // `end` are multiples of kBlock or equal to `size`.
  bool allocate_part(Number size, Number begin, Number end, Outbox* outbox) {
    FEWEST_ASSERT(begin <= end && end <= size && (begin % kBlock == 0 || begin == size) &&
                      (end % kBlock == 0 || end == size),
                  "a part consists of whole blocks");
    FEWEST_ASSERT(outbox != nullptr || (begin == 0 && end == size), "a part has an outbox");
    size_ = size, begin_ = begin, end_ = end, outbox_ = outbox;
    const Number block = begin / kBlock, first = (block == 0 ? 0 : block - 1) * kBlock;
    const Number last = std::min(size, end + (end == size ? 0 : kBlock));
    base_ = first / 64;
    first_own_ = begin / 64;
    num_own_ = begin == end ? 0 : (end + 63) / 64 - first_own_;
    extent_ = last - first;
    // The stride includes an additional word, because 64 numbers can extend over two words.
    stride_ = (extent_ + 63) / 64 + 1;
    if (!words_.grow(2 * stride_) || !flags_.grow(3 * num_blocks())) return false;
    first_ = before(words_.data(), base_);
    second_ = first_ + stride_;
    is_next_ = before(flags_.data(), first_block());
    is_now_ = is_next_ + num_blocks();
    is_closed_ = is_now_ + num_blocks();
    return true;
  }

  std::size_t bytes() const { return words_.capacity() * sizeof(Word) + flags_.capacity(); }

  bool is_part() const { return outbox_ != nullptr; }
  Number begin() const { return begin_; }
  Number end() const { return end_; }
  // Restricts a range of numbers to those of this part. Returns false if the range is empty afterwards.
  bool clip(Number& begin, Number& end) const {
    begin = std::max(begin, begin_);
    end = std::min(end, end_);
    return begin < end;
  }

  // The number of blocks that are in memory.
  Number num_blocks() const { return extent_ / kBlock + 1; }
  Number first_block() const { return base_ / kWordsOfBlock; }
  Number end_block() const { return first_block() + num_blocks(); }
  // The number of blocks that may have a state marked `now`.
  Number num_blocks_now() const {
    Number count = 0;
    for (Number block = next_block_now(first_block()); block < end_block(); block = next_block_now(block + 1)) ++count;
    return count;
  }
  // Returns the first block at or after `block` that may have a state marked `now`, or end_block() if there is no such
  // block.
  Number next_block_now(Number block) const { return next_set(is_now_, block, end_block()); }

  // The numbers of states with the marks `next`, `now` and `closed`. Each of these functions reads all words.
  Number num_next() const { return count([](Word first, Word second) { return first & ~second; }); }
  Number num_now() const { return count([](Word first, Word second) { return ~first & second; }); }
  Number num_closed() const { return count([](Word first, Word second) { return first & second; }); }

  void prefetch(Number n) const {
    const Number word = n / 64;
    if (word - first_own_ >= num_own_) return;
    __builtin_prefetch(&first_[word], 1);
    __builtin_prefetch(&second_[word]);
  }

  Mark operator[](Number n) const {
    FEWEST_ASSERT(begin_ <= n && n < end_, "the number is that of a state of this part");
    const Number word = n / 64;
    const Word first = look(first_[word]) >> n % 64 & 1, second = look(second_[word]) >> n % 64 & 1;
    return static_cast<Mark>(first | second << 1);
  }

  // Changes the mark of n from `from` (out or closed) to `next`. Returns whether the mark was `from`. If several
  // threads make the same change at the same time, exactly one of these calls returns true.
  bool mark(Number n, Mark from) {
    FEWEST_ASSERT(n < size_, "the number is that of a state");
    FEWEST_ASSERT(from == Mark::out || from == Mark::closed, "a state that is marked was out or closed");
    const Word bit = Word{1} << n % 64;
    return (from == Mark::out ? mark_word<Mark::out, true>(n / 64, bit) : mark_word<Mark::closed, true>(n / 64, bit)) != 0;
  }

  // Like `mark`, but for the number n + i of every set bit i. Returns the number of changed marks. `may_leave`: some of
  // the numbers may belong to another part. If `may_leave` is false, the code contains no test for such numbers, which
  // makes the whole search 5 % faster.
  template <Mark from, bool may_leave = true>
  unsigned mark_all(Number n, Word bits) {
    FEWEST_ASSERT(n + std::bit_width(bits) <= size_, "every number that is marked is that of a state");
    const unsigned shift = n % 64;
    unsigned count = num_bits(mark_word<from, may_leave>(n / 64, bits << shift));
    if (const Word rest = bits >> 1 >> (63 - shift)) count += num_bits(mark_word<from, may_leave>(n / 64 + 1, rest));
    return count;
  }

  // Bit i is set if n + i is marked `now`; there are `size` bits, at most 64.
  Word now(Number n, unsigned size) const {
    FEWEST_ASSERT(size > 0 && size <= 64, "a word has up to 64 numbers");
    const unsigned shift = n % 64;
    const Number word = n / 64;
    Word bits = now_word(word) >> shift;
    if (shift + size > 64) bits |= now_word(word + 1) << 1 << (63 - shift);
    return bits & (~Word{0} >> (64 - size));
  }

  // Bit i is set if n + i is closed; there are `size` bits, at most 64.
  Word closed(Number n, unsigned size) const {
    FEWEST_ASSERT(size > 0 && size <= 64, "a word has up to 64 numbers");
    const unsigned shift = n % 64;
    const Number word = n / 64;
    Word bits = closed_word(word) >> shift;
    if (shift + size > 64) bits |= closed_word(word + 1) << 1 << (63 - shift);
    return bits & (~Word{0} >> (64 - size));
  }

  // Returns false only if none of the numbers begin..end-1 is marked `now`.
  bool may_be_now(Number begin, Number end) const {
    return may_be(is_now_, begin, end, [this](Number i) { return now_word(i); });
  }

  // Returns false only if none of the numbers begin..end-1 is closed.
  bool may_be_closed(Number begin, Number end) const {
    return may_be(is_closed_, begin, end, [this](Number i) { return closed_word(i); });
  }

  // Visits the states marked `now`, in ascending order. `visit` may mark other states; it returns false to stop.
  template <class Visit>
  bool for_each_now(Visit visit) const {
    return for_each_now(first_block(), end_block(), visit);
  }
  // Like `for_each_now`, but for a range of blocks.
  template <class Visit>
  bool for_each_now(Number begin, Number end, Visit visit) const {
    for (Number block = next_set(is_now_, begin, end); block < end; block = next_set(is_now_, block + 1, end))
      if (!visit_words(block, [this](Number i) { return now_word(i); }, visit)) return false;
    return true;
  }

  // Like `for_each_now`, but for all closed states.
  template <class Visit>
  bool for_each_closed(Visit visit) const {
    for (Number block = first_block(); block < end_block(); ++block)
      if (is_closed_[block] && !visit_words(block, [this](Number i) { return closed_word(i); }, visit)) return false;
    return true;
  }

  // Finishes a layer: the mark `now` becomes `closed` (in a search `within` a set: `out`), and `next` becomes `now`.
  // Returns whether the new layer contains any state.
  bool advance(bool within = false) {
    Pool nobody;
    return advance(within, nobody, 1);
  }
  bool advance(bool within, Pool& pool, std::size_t threads) {
    std::atomic<bool> any = false;
    in_pieces(
        pool, num_blocks() / kConsecutive + 1, threads,
        [&](std::size_t, std::size_t piece) {
          bool is_any = false;
          const Number begin = first_block() + piece * kConsecutive, end = std::min(end_block(), begin + kConsecutive);
          for (Number block = begin; block < end; ++block) is_any |= advance_block(block, within);
          if (is_any) any.store(true, std::memory_order_relaxed);
        },
        [](std::size_t) { return true; });
    return any;
  }

  // Resets the mark of every number that was marked since the last `advance` to `out`. The function must not be called
  // in a search within a set, or for a part of the marks.
  void undo_marks() {
    for (Number block = next_set(is_next_, 0, num_blocks()); block < num_blocks();
         block = next_set(is_next_, block + 1, num_blocks())) {
      for (Number i = first_word(block); i < end_word(block); ++i) first_[i] &= second_[i];
      is_next_[block] = 0;
    }
  }

  // Returns both planes as words; the function may be called only between two layers. Code that changes the words must
  // call `written` afterwards.
  std::span<Word> words() { return {words_.data(), 2 * stride_}; }
  // The words of this part in one plane.
  std::span<Word> first_plane() { return {first_ + first_own_, num_own_}; }
  std::span<Word> second_plane() { return {second_ + first_own_, num_own_}; }
  void written() { std::memset(is_now_ + first_block(), 1, 2 * num_blocks()); }

  void clear() {
    for (Number block = first_block(); block < end_block(); ++block) {
      if (!is_next_[block] && !is_now_[block] && !is_closed_[block]) continue;
      const Number first = first_word(block), size = end_word(block) - first;
      std::memset(first_ + first, 0, size * sizeof(Word));
      std::memset(second_ + first, 0, size * sizeof(Word));
    }
    std::memset(flags_.data(), 0, 3 * num_blocks());
  }

 private:
  static constexpr Number kWordsOfBlock = kBlock / 64;
  static constexpr Number kConsecutive = 256;  // blocks

  // Returns the address of the array minus `count` elements, so that hot loops can use absolute indices without a
  // subtraction. No element before the array is accessed.
  template <class T>
  static T* before(T* array, Number count) {
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(array) - count * sizeof(T));
  }

  // Returns the first block in block..end-1 for which the flag is set, or `end`.
  static Number next_set(const unsigned char* flags, Number block, Number end) {
    if (block >= end) return end;
    if (flags[block]) return block;
    const void* found = std::memchr(flags + block, 1, end - block);
    return found == nullptr ? end : static_cast<Number>(static_cast<const unsigned char*>(found) - flags);
  }

  // Tests the flags of the blocks first and, if the range is short, each word as well.
  template <class WordAt>
  bool may_be(const unsigned char* flags, Number begin, Number end, WordAt word_at) const {
    FEWEST_ASSERT(begin < end, "a range is not empty");
    if (!clip(begin, end)) return false;
    const Number first = begin / kBlock, last = (end - 1) / kBlock;
    if (end - begin >= kBlock) return std::memchr(flags + first, 1, last - first + 1) != nullptr;
    if (!flags[first] && !flags[last]) return false;
    for (Number word = begin / 64; word <= (end - 1) / 64; ++word)
      if (word_at(word) != 0) return true;
    return false;
  }

  // Does the work of `advance` for one block. Returns whether the block contains a state of the new layer.
  bool advance_block(Number block, bool within) {
    const bool is_next = is_next_[block];
    FEWEST_ASSERT_SAMPLED(is_next || is_now_[block] || is_at_rest(block),
                          "a block without flags has no state marked now or next");
    if (!is_next && !is_now_[block]) return false;
    for (Number i = first_word(block); i < end_word(block); ++i) {
      const Word first = first_[i], second = second_[i];
      first_[i] = within ? first & second : second;
      second_[i] = within ? first : first | second;
    }
    is_closed_[block] |= is_now_[block];
    is_now_[block] = is_next;
    is_next_[block] = 0;
    return is_next;
  }

  bool is_at_rest(Number block) const {
    for (Number i = first_word(block); i < end_word(block); ++i)
      if (first_[i] != second_[i]) return false;
    return true;
  }
  template <class Select>
  Number count(Select select) const {
    Number all = 0;
    for (Number i = base_; i < base_ + stride_; ++i) all += num_bits(select(first_[i], second_[i]));
    return all;
  }

  // Reads a word that other threads may change.
  static Word look(const Word& word) { return __atomic_load_n(&word, __ATOMIC_RELAXED); }
  Word now_word(Number i) const { return look(second_[i]) & ~look(first_[i]); }
  Word closed_word(Number i) const { return look(second_[i]) & look(first_[i]); }

  // Marks numbers of one word. Returns the bits of the changed marks, or 0 if the word belongs to another part.
  template <Mark from, bool may_leave>
  Word mark_word(Number i, Word bits) {
    if (may_leave && i - first_own_ >= num_own_) {
      if (bits != 0) outbox_->add(i, bits);
      return 0;
    }
    const Word first = look(first_[i]), second = look(second_[i]);
    const Word marked = from == Mark::out ? bits & ~first & ~second : bits & first & second;
    if (marked == 0) return 0;
    const Word before = from == Mark::out ? __atomic_fetch_or(&first_[i], marked, __ATOMIC_RELAXED)
                                          : ~__atomic_fetch_and(&second_[i], ~marked, __ATOMIC_RELAXED);
    unsigned char& flag = is_next_[i / kWordsOfBlock];
    if (!__atomic_load_n(&flag, __ATOMIC_RELAXED)) __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
    return marked & ~before;
  }

  Number first_word(Number block) const { return block * kWordsOfBlock; }
  Number end_word(Number block) const { return std::min<Number>(base_ + stride_, (block + 1) * kWordsOfBlock); }

  template <class Select, class Visit>
  bool visit_words(Number block, Select select, Visit& visit) const {
    for (Number i = first_word(block); i < end_word(block); ++i)
      for (Word bits = select(i); bits != 0; bits &= bits - 1)
        if (!visit(i * 64 + std::countr_zero(bits))) return false;
    return true;
  }

  Number size_ = 0, begin_ = 0, end_ = 0;
  Number base_ = 0;                     // the number of the first word in memory
  Number first_own_ = 0, num_own_ = 0;  // the words of this part
  Number extent_ = 0, stride_ = 0;      // the number of state numbers in memory, and of words per plane
  Outbox* outbox_ = nullptr;
  PageArray<Word> words_;
  PageArray<unsigned char> flags_;
  // These arrays are indexed by absolute numbers of words and blocks; see `before`.
  Word *first_ = nullptr, *second_ = nullptr;
  unsigned char *is_next_ = nullptr, *is_now_ = nullptr, *is_closed_ = nullptr;
};

}  // namespace fewest
