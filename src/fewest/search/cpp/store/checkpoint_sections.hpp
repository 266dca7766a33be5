// A file with the data structures of a search, one section for each. It is always replaced as a whole.
//
// Problem: a search that takes hours must survive the end of its process. A damaged file must be rejected before any of
// its data is used, even before the sizes in it are used.
// Solution: the sections follow one another in their memory layout. A checksum of all of them is verified before the
// first one is read. The `key` identifies the search.
// Usage:
//   CheckpointSections checkpoint(path, 60);                            // as CheckpointFile
//   const bool is_there = checkpoint.read(key, [&](CheckpointSections::In& in) { in.value(count); in.rows(array, count); });
//   if (checkpoint.is_due() && !checkpoint.write(key, [&](CheckpointSections::Out& out) { out.value(count); out.rows(array, count); }))
//     stop(Status::disk);
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "state/bits.hpp"
#include "store/blocks.hpp"
#include "store/checkpoint_file.hpp"

namespace fewest {

class CheckpointSections {
  static constexpr std::size_t kChunk = std::size_t{1} << 20;
  static constexpr Word kMagic = 0x31'73'74'72'61'70;  // "parts1"

  struct Head {
    Word magic, key, bytes, checksum;
  };

 public:
  // The arguments are those of CheckpointFile.
  CheckpointSections(std::string path, double every) : file_(std::move(path), every) {}

  bool is_wanted() const { return file_.is_wanted(); }
  bool is_due() const { return file_.is_due(); }

  class Out {
   public:
    explicit Out(File& file) : file_(file) { chunk_.reserve(kChunk); }

    template <class T>
    void rows(const T* data, std::size_t count) {
      static_assert(std::is_trivially_copyable_v<T>);
      const char* at = reinterpret_cast<const char*>(data);
      for (std::size_t left = count * sizeof(T); left > 0;) {
        const std::size_t size = std::min(left, kChunk - chunk_.size());
        chunk_.insert(chunk_.end(), at, at + size);
        at += size, left -= size;
        if (chunk_.size() == kChunk) flush();
      }
    }
    template <class T>
    void value(const T& value) {
      rows(&value, 1);
    }
    template <class T>
    void list(const std::vector<T>& list) {
      value(static_cast<Word>(list.size()));
      rows(list.data(), list.size());
    }

   private:
    friend CheckpointSections;

    void flush() {
      file_.write(chunk_.data(), chunk_.size(), sizeof(Head) + bytes_);
      checksum_ = checksum(chunk_.data(), chunk_.size(), checksum_);
      bytes_ += chunk_.size();
      chunk_.clear();
    }

    File& file_;
    std::vector<char> chunk_;
    std::uint64_t bytes_ = 0;
    Word checksum_ = kMagic;
  };

  // Reads the written data in the same order. Throws Damage, FileError.
  class In {
   public:
    template <class T>
    void rows(T* data, std::size_t count) {
      static_assert(std::is_trivially_copyable_v<T>);
      char* to = reinterpret_cast<char*>(data);
      for (std::size_t left = count * sizeof(T); left > 0;) {
        if (at_ == chunk_.size()) next();
        const std::size_t size = std::min(left, chunk_.size() - at_);
        std::memcpy(to, chunk_.data() + at_, size);
        to += size, at_ += size, left -= size;
      }
    }
    template <class T>
    void value(T& value) {
      rows(&value, 1);
    }
    template <class T>
    void list(std::vector<T>& list) {
      Word size;
      value(size);
      list.resize(size);
      rows(list.data(), size);
    }

   private:
    friend CheckpointSections;

    In(const File& file, std::uint64_t bytes) : file_(file), left_(bytes) {}

    void next() {
      chunk_.resize(std::min<std::uint64_t>(left_, kChunk));
      if (chunk_.empty()) throw Damage(file_.path(), "it ends too early");
      file_.read(chunk_.data(), chunk_.size(), sizeof(Head) + bytes_);
      bytes_ += chunk_.size();
      left_ -= chunk_.size();
      at_ = 0;
    }

    const File& file_;
    std::uint64_t left_, bytes_ = 0;
    std::vector<char> chunk_;
    std::size_t at_ = 0;
  };

  // fill(out) writes the data. False: the disk is full, and the file is unchanged. Throws FileError.
  template <class Fill>
  [[nodiscard]] bool write(Word key, Fill fill) {
    return file_.write([&](File& file) {
      Out out(file);
      fill(out);
      out.flush();
      const Head head{kMagic, key, out.bytes_, out.checksum_};
      file.write(&head, sizeof head, 0);
    });
  }

  // take(in) reads the data. False: there is no file. Throws Damage if the file belongs to another search or was
  // changed, FileError.
  template <class Take>
  bool read(Word key, Take take) const {
    return file_.read([&](const File& file) {
      Head head;
      file.read(&head, sizeof head, 0);
      if (head.magic != kMagic || head.key != key || file.size() != sizeof head + head.bytes)
        throw Damage(file.path(), "it belongs to another search");
      if (checksum_of(file, head.bytes) != head.checksum) throw Damage(file.path(), "its checksum is wrong");
      In in(file, head.bytes);
      take(in);
    });
  }

 private:
  static Word checksum_of(const File& file, std::uint64_t bytes) {
    In in(file, bytes);
    Word sum = kMagic;
    while (in.left_ > 0) {
      in.next();
      sum = checksum(in.chunk_.data(), in.chunk_.size(), sum);
    }
    return sum;
  }

  CheckpointFile file_;
};

}  // namespace fewest
