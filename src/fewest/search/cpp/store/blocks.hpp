// Stores ascending states in blocks, in a file or in memory. Each block is encoded and has a checksum; a directory
// lists the blocks.
//
// Problem: a layer of a billion states is written once and read twice, by shard and in ascending order. It must also be
// possible to find a single state without reading the whole layer.
// Solution: a block holds up to kBlockStates states of one shard. A block begins with the number of its states, the
// number of bytes that follow, and their checksum, so it can be read independently of other blocks. A `Row` of the
// directory contains the offset of a block and its first state. The rows of a shard are ordered by the first state of
// their block.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "store/file.hpp"
#include "store/delta_coding.hpp"

namespace fewest {

template <int P>
inline constexpr std::size_t kBlockStates = (std::size_t{1} << 14) / P;

struct BlockHead {
  std::uint32_t count, bytes;  // `count`: the number of states; `bytes`: the number of encoded bytes after this head
  Word checksum;               // the checksum of the encoded bytes
};

template <int P>
struct Row {
  std::uint64_t offset;
  std::uint32_t count, bytes;
  State<P> first;
};

// If bytes are changed or swapped, the checksum changes with a probability of about 1 - 2^-64.
inline Word checksum(const void* data, std::size_t size, Word seed) {
  const Byte* at = static_cast<const Byte*>(data);
  Word h = fold_multiply(seed ^ 0x9e3779b97f4a7c15u, size ^ 0xd6e8feb86659fd93u);
  for (; size >= 8; size -= 8, at += 8) {
    Word word;
    std::memcpy(&word, at, 8);
    h = fold_multiply(h ^ word, 0xd6e8feb86659fd93u) + word;
  }
  Word rest = 0;
  std::memcpy(&rest, at, size);
  return fold_multiply(h ^ rest, 0xd6e8feb86659fd93u);
}

// A memory limit in bytes that several threads share.
class Room {
 public:
  explicit Room(std::size_t bytes) : limit_(std::min(bytes, kMost)) {}

  // Throws std::bad_alloc if fewer bytes are left.
  void take(std::size_t bytes) {
    if (used_.fetch_add(bytes) + bytes <= limit_) return;
    give_back(bytes);
    throw std::bad_alloc();
  }
  // Counts memory that is already in use, without checking the limit.
  void count(std::size_t bytes) { used_ += bytes; }
  void give_back(std::size_t bytes) {
    [[maybe_unused]] const std::size_t before = used_.fetch_sub(bytes);
    FEWEST_ASSERT(bytes <= before, "no more is given back than was taken");
  }
  std::size_t used() const { return used_; }

 private:
  static constexpr std::size_t kMost = ~std::size_t{0} / 2;

  std::size_t limit_;
  std::atomic<std::size_t> used_ = 0;
};

// Returns free memory to the system, because other processes may need it.
inline void release_free_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

// A file to which several threads append blocks. The blocks can be in memory instead; offsets are then addresses.
//
// The first 256 KiB of a nameless file stay in memory, and the file is created only when more data are appended. Most
// layers are small, and creating a file for each of them would take longer than the search itself.
class BlockFile {
 public:
  BlockFile(std::string path, File::Mode mode) : path_(std::move(path)), mode_(mode) {
    if (mode == File::Mode::nameless)
      first_.reset(new Byte[kFirst]);
    else
      file_ = std::make_unique<File>(path_, mode);
  }
  explicit BlockFile(Room& room) : room_(&room) {}
  ~BlockFile() {
    if (is_held()) room_->give_back(bytes());
  }
  BlockFile(const BlockFile&) = delete;
  BlockFile& operator=(const BlockFile&) = delete;

  bool is_held() const { return room_ != nullptr; }
  std::uint64_t append(const void* data, std::size_t size) {
    if (is_held()) return hold(data, size);
    const std::uint64_t offset = end_.fetch_add(size, std::memory_order_relaxed);
    const std::size_t first = in_memory(size, offset);
    if (first > 0) std::memcpy(&first_[offset], data, first);
    if (first < size) created().write(static_cast<const Byte*>(data) + first, size - first, offset + first);
    return offset;
  }
  // Returns appended data. If the data are not in memory, they are read into `buffer`. Throws Damage or FileError.
  const Byte* read(std::size_t size, std::uint64_t offset, std::vector<Byte>& buffer) const {
    if (is_held()) return reinterpret_cast<const Byte*>(offset);
    if (in_memory(size, offset) == size) return &first_[offset];
    if (buffer.size() < size) buffer.resize(size);
    copy(buffer.data(), size, offset);
    return buffer.data();
  }
  // Copies appended data, which may be several blocks. Throws Damage or FileError.
  void copy(Byte* out, std::size_t size, std::uint64_t offset) const {
    FEWEST_ASSERT(!is_held(), "offsets are positions in a file");
    const std::size_t first = in_memory(size, offset);
    if (first > 0) std::memcpy(out, &first_[offset], first);
    if (first < size) file_->read(out + first, size - first, offset + first);
  }
  std::uint64_t bytes() const { return end_.load(std::memory_order_relaxed); }
  const std::string& path() const { return path_; }
  // This function may be called only if all blocks are in a file.
  File& file() { return *file_; }
  const File& file() const { return *file_; }

 private:
  std::uint64_t hold(const void* data, std::size_t size) {
    std::unique_ptr<Byte[]> copy(new Byte[size]);
    std::memcpy(copy.get(), data, size);
    const std::scoped_lock lock(mutex_);
    room_->take(size);
    end_ += size;
    held_.push_back(std::move(copy));
    return reinterpret_cast<std::uintptr_t>(held_.back().get());
  }

  // The number of these bytes that are in `first_`.
  std::size_t in_memory(std::size_t size, std::uint64_t offset) const {
    return first_ == nullptr || offset >= kFirst ? 0 : std::min<std::size_t>(size, kFirst - offset);
  }
  File& created() {
    if (first_ == nullptr) return *file_;
    const std::scoped_lock lock(mutex_);
    if (file_ == nullptr) file_ = std::make_unique<File>(path_, mode_);
    return *file_;
  }

  static constexpr std::size_t kFirst = std::size_t{1} << 18;

  std::string path_;
  File::Mode mode_ = File::Mode::old;
  std::unique_ptr<Byte[]> first_;
  std::unique_ptr<File> file_;
  Room* room_ = nullptr;
  std::mutex mutex_;  // guards blocks in memory and the creation of the file
  std::vector<std::unique_ptr<Byte[]>> held_;
  std::atomic<std::uint64_t> end_ = 0;
};

// Writes ascending states of one shard.
template <int P>
class BlockWriter {
 public:
  void open(BlockFile& file, std::vector<Row<P>>& rows) {
    FEWEST_ASSERT(count_ == 0 || (file_ == &file && rows_ == &rows), "a block that is begun goes to one list of rows");
    file_ = &file;
    rows_ = &rows;
    if (buffer_.empty()) buffer_.resize(sizeof(BlockHead) + kBlockStates<P> * kLongestGap<P>);
  }
  void write(std::span<const State<P>> states) {
    for (const State<P>& s : states) {
      FEWEST_ASSERT(count_ == 0 || is_less(last_, s), "the states of a block are ascending");
      if (count_ == 0) begin(s);
      out_ = write_gap(last_, s, out_);
      last_ = s;
      if (++count_ == kBlockStates<P>) flush();
    }
  }
  // Discards the states of the block that has not been flushed.
  void drop() { count_ = 0; }
  void flush() {
    if (count_ == 0) return;
    FEWEST_ASSERT(out_ <= buffer_.data() + buffer_.size(), "the buffer has room for a block");
    FEWEST_ASSERT(rows_->empty() || is_less(rows_->back().first, first_), "rows are in the order of their states");
    const auto bytes = static_cast<std::uint32_t>(out_ - buffer_.data() - sizeof(BlockHead));
    const Byte* data = buffer_.data() + sizeof(BlockHead);
    const BlockHead head{count_, bytes, checksum(data, bytes, count_)};
    std::memcpy(buffer_.data(), &head, sizeof head);
    const std::uint64_t offset = file_->append(buffer_.data(), sizeof head + bytes);
    rows_->push_back({offset, count_, bytes, first_});
    count_ = 0;
  }

 private:
  void begin(const State<P>& s) {
    first_ = s;
    last_ = zero_state<P>();
    out_ = buffer_.data() + sizeof(BlockHead);
  }

  BlockFile* file_ = nullptr;
  std::vector<Row<P>>* rows_ = nullptr;
  std::vector<Byte> buffer_;
  Byte* out_ = nullptr;
  State<P> first_, last_;
  std::uint32_t count_ = 0;
};

// Reads one block at a time.
template <int P>
class BlockReader {
 public:
  // The states of a block; valid until the next call. Throws Damage or FileError.
  std::span<const State<P>> read(const BlockFile& file, const Row<P>& row) {
    if (states_ == nullptr) states_.reset(new State<P>[kBlockStates<P>]);  // not initialised: blocks can be short
    const Byte* in = file.read(sizeof(BlockHead) + row.bytes, row.offset, raw_);
    BlockHead head;
    std::memcpy(&head, in, sizeof head);
    in += sizeof head;
    if (head.count != row.count || head.bytes != row.bytes || row.count > kBlockStates<P> ||
        (!file.is_held() && head.checksum != checksum(in, row.bytes, row.count)))
      fail(file, row);
    const Byte* end = in + row.bytes;
    State<P> s = zero_state<P>();
    for (std::uint32_t i = 0; i < row.count; ++i) {
      in = read_gap(in, end, s);
      if (in == nullptr) fail(file, row);
      FEWEST_ASSERT(i == 0 || is_less(states_[i - 1], s), "the states of a block are ascending");
      states_[i] = s;
    }
    FEWEST_ASSERT(row.count == 0 || states_[0] == row.first, "a row has the first state of its block");
    return {states_.get(), row.count};
  }

 private:
  [[noreturn]] static void fail(const BlockFile& file, const Row<P>& row) {
    throw Damage(file.is_held() ? "memory" : file.path(), "the block at byte " + std::to_string(row.offset) + " is damaged");
  }

  std::vector<Byte> raw_;
  std::unique_ptr<State<P>[]> states_;
};

// Returns the index of the first row for a block that may contain `s` or a later state.
template <int P>
inline std::size_t row_of(std::span<const Row<P>> rows, const State<P>& s) {
  const auto after = std::upper_bound(rows.begin(), rows.end(), s,
                                      [](const State<P>& a, const Row<P>& row) { return is_less(a, row.first); });
  return after == rows.begin() ? 0 : static_cast<std::size_t>(after - rows.begin()) - 1;
}

}  // namespace fewest
