// Collects the numbers to be marked in other parts of the marks.
//
// Problem: an expansion reaches single numbers and whole words of other parts, often the same word repeatedly. These
// numbers must be sent to other processes, and memory is limited.
// Solution: the numbers are handled as words that cover 64 numbers each. Every thread collects words in a buffer and
// merges entries of the same word. A full buffer is sorted and packed: each word is encoded as its distance from the
// previous word, a mask of its non-zero bytes, and these bytes. So an isolated number takes three bytes or a few more,
// and a dense word takes little more than its own bits. If the packed bytes exceed the limit, threads wait until
// another thread takes some of the packed words.
// Usage:
//   Outbox outbox(ends, most_bytes);
//   outbox.add(word, bits);               // by any number of threads
//   outbox.flush();                       // when these threads have ended
//   outbox.take(part, most, bytes);       // at any time, by other threads
//   for_each_word_in(bytes, [&](Number word, Word bits) {...});
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "index/numbering.hpp"

namespace fewest {

using PackedWords = std::vector<unsigned char>;

class Outbox {
 public:
  // `ends`: for each part, the word after its last word, in ascending order. `most_bytes`: the limit on the size of all
  // packed words.
  Outbox(std::vector<Number> ends, std::size_t most_bytes)
      : id_(next_id()), most_bytes_(most_bytes), ends_(std::move(ends)), waiting_(ends_.size()) {}
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  // Adds the numbers that the set bits of a word in another part represent. May block until `take` or `cancel` is
  // called.
  void add(Number word, Word bits) {
    Buffer& buffer = own_buffer();
    std::uint32_t& slot = buffer.slots[word % kSlots];
    if (slot < buffer.words.size() && buffer.words[slot].word == word) {
      buffer.words[slot].bits |= bits;
      return;
    }
    slot = static_cast<std::uint32_t>(buffer.words.size());
    buffer.words.push_back({word, bits});
    if (buffer.words.size() == kWords) pack(buffer);
  }

  // Packs the remaining words. No other thread may be in `add` during the call.
  void flush() {
    for (const std::unique_ptr<Buffer>& buffer : buffers_) pack(*buffer);
  }

  // Appends the packed words for a part, chunk by chunk, until `bytes` contains at least `most` bytes or all chunks
  // have been appended.
  void take(std::size_t part, std::size_t most, PackedWords& bytes) {
    const std::lock_guard lock(mutex_);
    std::deque<PackedWords>& pieces = waiting_.at(part);
    while (!pieces.empty() && bytes.size() < most) {
      bytes.insert(bytes.end(), pieces.front().begin(), pieces.front().end());
      num_bytes_ -= pieces.front().size();
      pieces.pop_front();
    }
    has_room_.notify_all();
  }

  std::size_t num_waiting(std::size_t part) const {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = 0;
    for (const PackedWords& piece : waiting_.at(part)) bytes += piece.size();
    return bytes;
  }

  // Drops all words. Wakes all waiting threads; all further words are ignored until `reopen` is called.
  void cancel() {
    const std::lock_guard lock(mutex_);
    is_cancelled_ = true;
    for (auto& pieces : waiting_) pieces.clear();
    num_bytes_ = 0;
    has_room_.notify_all();
  }
  bool is_cancelled() const {
    const std::lock_guard lock(mutex_);
    return is_cancelled_;
  }
  // Drops all words, and accepts words again after `cancel`. No thread may be in `add` during the call.
  void reopen() {
    for (const std::unique_ptr<Buffer>& buffer : buffers_) buffer->words.clear();
    const std::lock_guard lock(mutex_);
    for (auto& pieces : waiting_) pieces.clear();
    num_bytes_ = 0;
    is_cancelled_ = false;
  }

  // The memory used by the packed words and by the buffers of all threads that have added words so far.
  std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    return num_bytes_ + buffers_.size() * (kWords * sizeof(MarkedWord) + sizeof(Buffer));
  }
  // An upper limit on `bytes` for these numbers of threads and packed bytes.
  static std::size_t most_bytes(std::size_t threads, std::size_t packed) {
    return packed + threads * (2 * kWords * sizeof(MarkedWord) + sizeof(Buffer));
  }

 private:
  static constexpr std::size_t kWords = std::size_t{1} << 15, kSlots = std::size_t{1} << 15;

  struct MarkedWord {
    Number word;
    Word bits;
  };
  struct Buffer {
    Buffer() : slots(kSlots) { words.reserve(kWords); }

    std::thread::id owner = std::this_thread::get_id();
    std::vector<MarkedWord> words;     // a word can have several entries, because another word may take its slot
    std::vector<std::uint32_t> slots;  // for each hash of a word: the possible place of the word in `words`
  };

  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }

  // The buffer of the calling thread.
  Buffer& own_buffer() {
    struct OwnBuffer {
      std::uint64_t id = 0;
      Buffer* buffer = nullptr;
    };
    static thread_local OwnBuffer own;
    if (own.id != id_) {
      const std::lock_guard lock(mutex_);
      const auto is_mine = [](const auto& buffer) { return buffer->owner == std::this_thread::get_id(); };
      auto found = std::find_if(buffers_.begin(), buffers_.end(), is_mine);
      if (found == buffers_.end()) found = buffers_.insert(found, std::make_unique<Buffer>());
      own = {id_, found->get()};
    }
    return *own.buffer;
  }

  void pack(Buffer& buffer) {
    std::vector<MarkedWord>& words = buffer.words;
    std::sort(words.begin(), words.end(), [](const MarkedWord& a, const MarkedWord& b) { return a.word < b.word; });
    for (std::size_t i = 0; i < words.size();) {
      const auto part = static_cast<std::size_t>(
          std::upper_bound(ends_.begin(), ends_.end(), words[i].word) - ends_.begin());
      FEWEST_ASSERT(part < ends_.size(), "every word belongs to a part");
      PackedWords bytes;
      Number last = 0;
      while (i < words.size() && words[i].word < ends_[part]) {
        MarkedWord marked = words[i];
        for (++i; i < words.size() && words[i].word == marked.word; ++i) marked.bits |= words[i].bits;
        put(bytes, marked.word - last, marked.bits);
        last = marked.word;
      }
      put(bytes, 0, 0);  // the end of a chunk: in the next chunk, distances are measured from word 0
      send(part, std::move(bytes));
    }
    words.clear();
  }

  static void put(PackedWords& bytes, Number distance, Word bits) {
    for (; distance >= 128; distance >>= 7) bytes.push_back(static_cast<unsigned char>(distance | 128));
    bytes.push_back(static_cast<unsigned char>(distance));
    const std::size_t which = bytes.size();
    bytes.push_back(0);
    for (int i = 0; i < 8; ++i)
      if (const auto byte = static_cast<unsigned char>(bits >> 8 * i)) {
        bytes[which] |= static_cast<unsigned char>(1u << i);
        bytes.push_back(byte);
      }
  }

  void send(std::size_t part, PackedWords bytes) {
    std::unique_lock lock(mutex_);
    has_room_.wait(lock, [this] { return is_cancelled_ || num_bytes_ < most_bytes_; });
    if (is_cancelled_) return;
    num_bytes_ += bytes.size();
    waiting_[part].push_back(std::move(bytes));
  }

  const std::uint64_t id_;
  const std::size_t most_bytes_;
  const std::vector<Number> ends_;
  mutable std::mutex mutex_;
  std::condition_variable has_room_;
  std::vector<std::deque<PackedWords>> waiting_;  // by part
  std::size_t num_bytes_ = 0;
  bool is_cancelled_ = false;
  std::vector<std::unique_ptr<Buffer>> buffers_;  // a buffer for each thread that has added words
};

// Calls visit(word, bits) for packed words. Throws std::invalid_argument if the bytes are damaged.
template <class Visit>
void for_each_word_in(const unsigned char* bytes, std::size_t size, Visit visit) {
  Number last = 0;
  for (std::size_t i = 0; i < size;) {
    Number distance = 0;
    for (int shift = 0;; shift += 7) {
      if (i == size || shift > 63) throw std::invalid_argument("packed words are damaged");
      distance |= static_cast<Number>(bytes[i] & 127) << shift;
      if (!(bytes[i++] & 128)) break;
    }
    if (i == size) throw std::invalid_argument("packed words are damaged");
    const unsigned which = bytes[i++];
    Word bits = 0;
    for (int byte = 0; byte < 8; ++byte) {
      if (!(which >> byte & 1)) continue;
      if (i == size) throw std::invalid_argument("packed words are damaged");
      bits |= Word{bytes[i++]} << 8 * byte;
    }
    if (which == 0) {
      last = 0;
      continue;
    }
    last += distance;
    visit(last, bits);
  }
}

}  // namespace fewest
