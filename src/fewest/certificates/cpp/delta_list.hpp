// A list of ascending numbers in the format of certificate sections: each number is stored as its difference from the
// previous number, minus 1, with seven bits per byte. A position therefore usually takes two or three bytes, which are
// faster to read than eight.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "assert.hpp"

namespace fewest::checkers {

inline constexpr std::uint64_t kNoNumber = ~std::uint64_t{0};  // represents positions that cannot be listed

// A list stored in blocks, which stay in place when the list grows. No number spans two blocks.
class Ascending {
 public:
  // Appends a number, which must be greater than the last one.
  void push_back(std::uint64_t number) {
    FEWEST_ASSERT(number != kNoNumber && (size_ == 0 || number > last_), "each number is greater than the one before");
    std::uint64_t gap = number - last_ - 1;
    last_ = number;
    ++size_;
    if (blocks_.empty() || blocks_.back().size() + kLongest > kBlock) {
      blocks_.emplace_back();
      if (blocks_.size() > 1) blocks_.back().reserve(kBlock);
    }
    std::string& text = blocks_.back();
    for (; gap > 127; gap >>= 7) text.push_back(static_cast<char>((gap & 127) | 128));
    text.push_back(static_cast<char>(gap));
  }
  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const std::vector<std::string>& blocks() const { return blocks_; }
  std::uint64_t bytes() const {
    return blocks_.empty() ? 0 : blocks_.front().capacity() + (blocks_.size() - 1) * kBlock;
  }

 private:
  static constexpr std::size_t kLongest = 10, kBlock = 1 << 16;  // bytes
  std::uint64_t last_ = kNoNumber, size_ = 0;
  std::vector<std::string> blocks_;
};

// Reads the numbers of a list that no longer changes, one after the other.
class Cursor {
 public:
  explicit Cursor(const Ascending& list)
      : block_(list.blocks().data()), end_block_(block_ + list.blocks().size()) {
    next();
  }
  bool is_end() const { return number_ == kNoNumber; }
  std::uint64_t number() const { return number_; }  // kNoNumber after the last number
  std::uint64_t index() const {
    FEWEST_ASSERT(index_ > 0 && !is_end(), "the index is that of a number of the list");
    return index_ - 1;
  }

  void next() {
    if (at_ == end_) {
      if (block_ == end_block_) {
        number_ = kNoNumber;
        return;
      }
      at_ = block_->data();
      end_ = at_ + block_->size();
      ++block_;
    }
    std::uint64_t gap = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      gap |= std::uint64_t{byte & 127u} << shift;
      if (byte < 128) break;
    }
    number_ += 1 + gap;
    ++index_;
  }

  // Whether a number is in the list. Successive calls must pass ascending numbers.
  bool finds(std::uint64_t number) {
    while (number_ < number) next();
    return number_ == number;
  }

 private:
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const std::string* block_;
  const std::string* end_block_;
  std::uint64_t number_ = kNoNumber, index_ = 0;
};

inline Ascending merged(const Ascending& a, const Ascending& b) {
  Ascending out;
  for (Cursor left(a), right(b); !left.is_end() || !right.is_end();) {
    const std::uint64_t number = std::min(left.number(), right.number());
    out.push_back(number);
    if (left.number() == number) left.next();
    if (right.number() == number) right.next();
  }
  return out;
}

// Collects numbers in any order, sorts them in chunks, and merges the chunks at the end.
class Sorter {
 public:
  explicit Sorter(std::size_t chunk_size = 1 << 22) : chunk_size_(chunk_size) {}

  void add(std::uint64_t number) {
    chunk_.push_back(number);
    if (chunk_.size() == chunk_size_) end_chunk();
  }

  // Calls `found` once for each distinct number, in ascending order.
  template <class Found>
  void for_each(Found&& found) {
    end_chunk();
    std::vector<Cursor> heap;  // the least number first; cursors at their end are last
    for (const Ascending& run : runs_) heap.emplace_back(run);
    std::make_heap(heap.begin(), heap.end(), [](const Cursor& a, const Cursor& b) { return a.number() > b.number(); });
    std::uint64_t last = kNoNumber;
    while (!heap.empty() && !heap.front().is_end()) {
      FEWEST_ASSERT(last == kNoNumber || heap.front().number() >= last, "numbers are found in ascending order");
      if (heap.front().number() != last) found(last = heap.front().number());
      heap.front().next();
      sift(heap);
    }
  }

  void clear() {
    runs_.clear();
    chunk_.clear();
  }
  std::uint64_t bytes() const {
    std::uint64_t bytes = 8 * (chunk_.capacity() + buffer_.capacity());
    for (const Ascending& run : runs_) bytes += run.bytes();
    return bytes;
  }

 private:
  using Numbers = std::vector<std::uint64_t>;
  static void sift(std::vector<Cursor>& heap) {
    std::size_t at = 0;
    for (std::size_t child = 1; child < heap.size(); child = 2 * at + 1) {
      if (child + 1 < heap.size() && heap[child + 1].number() < heap[child].number()) ++child;
      if (heap[at].number() <= heap[child].number()) return;
      std::swap(heap[at], heap[child]);
      at = child;
    }
  }

  void end_chunk() {
    if (chunk_.empty()) return;
    sort();
    FEWEST_ASSERT(std::is_sorted(chunk_.begin(), chunk_.end()), "a chunk is sorted");
    runs_.emplace_back();
    std::uint64_t last = kNoNumber;
    for (const std::uint64_t number : chunk_)
      if (number != last) runs_.back().push_back(last = number);
    chunk_.clear();
  }

  // A radix sort. The numbers are first distributed by the highest bits in which they differ, so that each part fits
  // into a cache. Then each part is sorted 8 bits at a time, lowest bits first.
  void sort() {
    if (chunk_.size() < 4096) {
      std::sort(chunk_.begin(), chunk_.end());
      return;
    }
    std::uint64_t differing = 0;
    for (const std::uint64_t number : chunk_) differing |= number ^ chunk_.front();
    const int shift = std::max(0, static_cast<int>(std::bit_width(differing)) - kHighest);
    const auto part = [&](std::uint64_t number) { return number >> shift & ((1 << kHighest) - 1); };
    std::vector<std::size_t> end((1 << kHighest) + 1);
    for (const std::uint64_t number : chunk_) ++end[part(number) + 1];
    for (std::size_t i = 1; i < end.size(); ++i) end[i] += end[i - 1];
    buffer_.resize(chunk_.size());
    for (const std::uint64_t number : chunk_) buffer_[end[part(number)]++] = number;  // advances the end of the part
    for (std::size_t i = 0, begin = 0; i + 1 < end.size(); begin = end[i++])
      sort_part(buffer_.data() + begin, end[i] - begin, chunk_.data() + begin, shift);
  }

  // Sorts numbers that differ only in their lowest `bits` bits. The result is in `to`.
  static void sort_part(std::uint64_t* from, std::size_t size, std::uint64_t* to, int bits) {
    std::uint64_t* const end = to;
    if (size >= 64) {
      for (int shift = 0; shift < bits; shift += 8) {
        std::size_t count[256] = {};
        for (std::size_t i = 0; i < size; ++i) ++count[from[i] >> shift & 255];
        std::size_t at = 0;
        for (std::size_t& c : count) at += std::exchange(c, at);
        for (std::size_t i = 0; i < size; ++i) to[count[from[i] >> shift & 255]++] = from[i];
        std::swap(from, to);
      }
    } else {
      std::sort(from, from + size);
    }
    if (from != end) std::copy(from, from + size, end);
  }

  static constexpr int kHighest = 11;  // the number of bits that the first distribution uses
  std::size_t chunk_size_;
  Numbers chunk_, buffer_;
  std::vector<Ascending> runs_;
};

}  // namespace fewest::checkers
