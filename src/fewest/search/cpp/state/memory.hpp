// Arrays that can grow, count their bytes towards a limit, and never throw.
//
// Problem: a search fills gigabytes of memory. When a std::vector grows, it copies its contents, needs memory for both
// copies, initialises memory that is overwritten anyway, and throws an exception when memory is exhausted.
// Solution: on Linux, `PageArray` holds trivially copyable elements in pages from mmap, grows by mremap (the kernel
// moves page tables, not contents) and requests huge pages. Before an array grows, its new bytes are taken from the
// `Budget`. If the budget or the system has too little memory, the result is `false` and the search ends with the
// status "memory".
// Usage:
//   Budget budget(1 << 30);
//   PageArray<std::uint32_t> slots(budget);
//   if (!slots.grow(1000)) return Status::memory;   // 1000 zeros
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "state/assert.hpp"

namespace fewest {

class Budget {
 public:
  explicit Budget(std::size_t limit = std::numeric_limits<std::size_t>::max()) : limit_(limit) {}

  bool take(std::size_t bytes) {
    if (bytes > left()) return false;
    set_used(used() + bytes);
    peak_ = std::max(peak_, used());
    return true;
  }
  void give_back(std::size_t bytes) {
    FEWEST_ASSERT(bytes <= used(), "no more is given back than was taken");
    set_used(used() - bytes);
  }
  std::size_t left() const {
    FEWEST_ASSERT(used() <= limit_, "no more is used than the limit allows");
    return limit_ - used();
  }
  // Any thread may call this function. The other functions must be called by only one thread at a time.
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  std::size_t peak() const { return peak_; }

 private:
  void set_used(std::size_t bytes) { used_.store(bytes, std::memory_order_relaxed); }

  std::size_t limit_, peak_ = 0;
  std::atomic<std::size_t> used_ = 0;
};

namespace pages {

// Mapped blocks begin at multiples of this size, so they also move by multiples of it. Otherwise, the kernel would have
// to split huge pages, and address translation would take as long as the memory access itself.
inline constexpr std::size_t kHugePage = std::size_t{1} << 21;
// With this smaller unit, hundreds of small arrays do not waste much memory.
inline constexpr std::size_t kSmallUnit = std::size_t{1} << 12;

// Whether a block of this size is mapped. The size of a mapped block is a multiple of a unit. Below one unit, malloc is
// better: it needs no system call, and the memory that it returns is often cached already.
inline bool are_mapped(std::size_t bytes, std::size_t unit) {
#if defined(__linux__)
  return bytes >= unit;
#else
  (void)bytes, (void)unit;
  return false;
#endif
}

inline std::size_t rounded(std::size_t bytes, std::size_t unit) {
  FEWEST_ASSERT(unit > 0 && (unit & (unit - 1)) == 0, "a unit of memory is a power of two");
  return are_mapped(bytes, unit) ? (bytes + unit - 1) & ~(unit - 1) : bytes;
}

#if defined(__linux__)
// Reserves an unused range of `bytes` addresses that begins on a huge page boundary. Returns its start, or nullptr if
// there is no such range.
inline char* reserve_addresses(std::size_t bytes) {
  void* all = mmap(nullptr, bytes + kHugePage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
  if (all == MAP_FAILED) return nullptr;
  char* begin = static_cast<char*>(all);
  const std::size_t ahead =
      (kHugePage - reinterpret_cast<std::uintptr_t>(begin) % kHugePage) % kHugePage;
  if (ahead > 0) munmap(begin, ahead);
  munmap(begin + ahead + bytes, kHugePage - ahead);
  FEWEST_ASSERT(reinterpret_cast<std::uintptr_t>(begin + ahead) % kHugePage == 0, "a block begins on a huge page");
  return begin + ahead;
}

inline void* grow_mapped(void* old, std::size_t bytes, std::size_t wanted, std::size_t unit) {
  if (are_mapped(bytes, unit)) {
    if (mremap(old, bytes, wanted, 0) != MAP_FAILED) return old;  // the addresses after the block were unused
    char* to = reserve_addresses(wanted);
    if (to == nullptr) return nullptr;
    if (mremap(old, bytes, wanted, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) {
      munmap(to, wanted);
      return nullptr;
    }
    return to;
  }
  char* to = reserve_addresses(wanted);
  if (to == nullptr) return nullptr;
  if (mprotect(to, wanted, PROT_READ | PROT_WRITE) != 0) {
    munmap(to, wanted);
    return nullptr;
  }
  madvise(to, wanted, MADV_HUGEPAGE);  // a hint, which may fail
  if (bytes > 0) {
    std::memcpy(to, old, bytes);
    std::free(old);
  }
  return to;
}
#endif

// Grows the block of `bytes` at `old` to `wanted` bytes. The contents are preserved, and the new bytes are zero.
// Returns the new address, or nullptr if the block could not grow; in that case, the block is unchanged. Both sizes
// must be `rounded` to the same unit.
inline void* grow(void* old, std::size_t bytes, std::size_t wanted, std::size_t unit) {
  FEWEST_ASSERT(bytes < wanted, "a block that grows becomes larger");
  FEWEST_ASSERT((old == nullptr) == (bytes == 0), "a block is null exactly if it has no bytes");
  FEWEST_ASSERT(rounded(bytes, unit) == bytes && rounded(wanted, unit) == wanted, "sizes of blocks are rounded");
#if defined(__linux__)
  if (are_mapped(wanted, unit)) return grow_mapped(old, bytes, wanted, unit);
#endif
  void* fresh = std::realloc(old, wanted);
  if (fresh != nullptr) std::memset(static_cast<char*>(fresh) + bytes, 0, wanted - bytes);
  return fresh;
}

inline void release(void* block, std::size_t bytes, std::size_t unit) {
#if defined(__linux__)
  if (are_mapped(bytes, unit)) {
    munmap(block, bytes);
    return;
  }
#endif
  std::free(block);
}

}  // namespace pages

// Determines by how much an array grows beyond the requested size. `generous` is for a few arrays that should seldom
// move. `tight` is for hundreds of arrays that together must not waste memory.
enum class Growth { generous, tight };

template <class T>
class PageArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit PageArray(Budget& budget, Growth growth = Growth::generous)
      : budget_(&budget), growth_(growth) {}
  PageArray(const PageArray&) = delete;
  PageArray& operator=(const PageArray&) = delete;
  ~PageArray() { release(); }

  // Frees the whole array.
  void release() {
    if (data_ == nullptr) return;
    pages::release(data_, bytes_, unit());
    budget_->give_back(std::exchange(bytes_, 0));
    data_ = nullptr;
  }

  // Provides room for at least `count` elements; new elements are zero. Returns false if memory is exhausted; in that
  // case, the array is unchanged.
  bool grow(std::size_t count) {
    if (count <= capacity()) return true;
    if (count > (std::numeric_limits<std::size_t>::max() >> 1) / sizeof(T)) return false;
    const std::size_t wanted = pages::rounded(count * sizeof(T), unit());
    if (!budget_->take(wanted - bytes_)) return false;
    void* fresh = pages::grow(data_, bytes_, wanted, unit());
    if (fresh == nullptr) {
      budget_->give_back(wanted - bytes_);
      return false;
    }
    data_ = static_cast<T*>(fresh);
    FEWEST_ASSERT(are_zero(reinterpret_cast<const char*>(data_), bytes_, wanted), "new elements are zero");
    bytes_ = wanted;
    FEWEST_ASSERT(capacity() >= count, "an array that has grown has room for the requested elements");
    return true;
  }

  // Like `grow`, but the array grows in proportion to its size, so that appending elements one by one takes linear
  // time. A large array grows in small steps. Small steps are cheap, because the pages do not move. Small steps also
  // leave only a small part of the budget unused.
  bool reserve(std::size_t count) {
    if (count <= capacity()) return true;
    const bool is_large = growth_ == Growth::tight || bytes_ >= std::size_t{64} << 20;
    const std::size_t step = is_large ? capacity() / 16 : capacity();
    // Near the limit, the array grows in small steps, so that other arrays can still grow, too.
    const std::size_t fair = budget_->left() / 4 / sizeof(T);
    return grow(std::max(count, capacity() + std::min(step, fair))) || grow(count);
  }

  std::size_t capacity() const { return bytes_ / sizeof(T); }
  const Budget& budget() const { return *budget_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t i) {
    FEWEST_ASSERT(i < capacity(), "an index is within the array");
    return data_[i];
  }
  const T& operator[](std::size_t i) const {
    FEWEST_ASSERT(i < capacity(), "an index is within the array");
    return data_[i];
  }

 private:
  // Tests only the first and last few bytes, because a test of the other bytes could touch pages that are not allocated
  // yet.
  static bool are_zero(const char* block, std::size_t begin, std::size_t end) {
    const std::size_t size = std::min<std::size_t>(end - begin, 64);
    const auto is_zero = [](char byte) { return byte == 0; };
    return std::all_of(block + begin, block + begin + size, is_zero) &&
           std::all_of(block + end - size, block + end, is_zero);
  }

  std::size_t unit() const {
    return growth_ == Growth::tight ? pages::kSmallUnit : pages::kHugePage;
  }

  Budget* budget_;
  Growth growth_;
  T* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace fewest
