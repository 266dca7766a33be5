// Collects one worker's successors by shard, in a fixed amount of memory.
//
// Problem: the number of states per shard is not known in advance, and one vector per shard would be copied as it
// grows.
// Solution: an arena of chunks. A bucket is a list of chunks, and new states are appended to its last chunk. If no
// chunk is left, `push` returns false, and the caller must remove states from some bucket.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "store/blocks.hpp"

namespace fewest {

template <int P>
class Buckets {
 public:
  // Allocates space for at least `states` states, and for one chunk in every bucket. Unless `room` is null, a chunk
  // counts towards it from its first use.
  Buckets(std::size_t num_buckets, std::size_t states, Room* room) : room_(room), buckets_(num_buckets) {
    while (chunk_ > kLeastChunk && num_buckets * chunk_ > states / 4) chunk_ /= 2;
    const std::size_t chunks = states / chunk_ + num_buckets + 1;
    arena_.reset(new State<P>[chunks * chunk_]);  // not initialised, so the system provides a page only when it is used
    for (std::size_t i = chunks; i > 0; --i) free_.push_back(static_cast<std::uint32_t>(i - 1));
  }

  // Returns false if no chunk is left; in that case, the bucket is unchanged. Throws std::bad_alloc if `room` is used
  // up.
  bool push(std::size_t bucket, const State<P>& s) {
    Bucket& b = buckets_[bucket];
    if (b.next == b.end && !add_chunk(b)) [[unlikely]]
      return false;
    FEWEST_ASSERT(b.next != nullptr && b.next < b.end, "the last chunk of a bucket has room");
    *b.next++ = s;
    return true;
  }

  std::size_t size(std::size_t bucket) const {
    const Bucket& b = buckets_[bucket];
    FEWEST_ASSERT(b.next <= b.end && static_cast<std::size_t>(b.end - b.next) <= b.chunks.size() * chunk_,
                  "only the last chunk has room");
    return b.chunks.size() * chunk_ - static_cast<std::size_t>(b.end - b.next);
  }

  // Moves whole chunks of a bucket to `out` as long as they fit into `room` states, and returns the number of states
  // moved. Several threads may call this function at the same time, each with a different bucket, as long as no thread
  // calls `push`.
  std::size_t take(std::size_t bucket, State<P>* out, std::size_t room) {
    Bucket& b = buckets_[bucket];
    std::size_t taken = 0;
    while (!b.chunks.empty()) {
      const State<P>* begin = &arena_[b.chunks.back() * chunk_];
      const auto size = static_cast<std::size_t>(b.next - begin);
      if (taken + size > room) break;
      std::copy(begin, begin + size, out + taken);
      taken += size;
      FEWEST_ASSERT(size <= chunk_, "a chunk has at most chunk_ states");
      {
        const std::scoped_lock lock(free_mutex_);
        free_.push_back(b.chunks.back());
      }
      b.chunks.pop_back();
      b.next = b.end = b.chunks.empty() ? nullptr : &arena_[b.chunks.back() * chunk_] + chunk_;
    }
    return taken;
  }

  void clear() {
    for (Bucket& b : buckets_) {
      free_.insert(free_.end(), b.chunks.begin(), b.chunks.end());
      b = {};
    }
  }

 private:

  struct Bucket {
    State<P>* next = nullptr;
    State<P>* end = nullptr;
    std::vector<std::uint32_t> chunks;
  };

  bool add_chunk(Bucket& b) {
    if (free_.empty()) return false;
    if (free_.back() >= num_used_) {
      if (room_ != nullptr) room_->take(chunk_ * sizeof(State<P>));
      num_used_ = free_.back() + 1;
    }
    b.chunks.push_back(free_.back());
    free_.pop_back();
    b.next = &arena_[b.chunks.back() * chunk_];
    b.end = b.next + chunk_;
    return true;
  }

  static constexpr std::size_t kChunk = 1024 / P;    // states (8 KB); used if there are few buckets
  static constexpr std::size_t kLeastChunk = std::max(1, 64 / P);

  std::size_t chunk_ = kChunk;
  Room* room_;
  std::uint32_t num_used_ = 0;  // only chunks before this one have ever been used
  std::unique_ptr<State<P>[]> arena_;
  std::vector<std::uint32_t> free_;
  std::mutex free_mutex_;  // guards the free chunks while threads call `take`
  std::vector<Bucket> buckets_;
};

}  // namespace fewest
