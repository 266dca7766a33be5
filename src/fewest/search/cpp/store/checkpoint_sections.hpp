// A file that stores the data structures of a search, one section for each. A new version always replaces the whole
// file.
//
// Problem: if a search takes hours, it must be possible to resume it after its process has ended. A damaged file must
// be rejected before any of its data are used, including the sizes that it contains.
// Solution: the file contains the sections one after another, in the same layout as in memory. A checksum of all
// sections is verified before the first one is read. The `key` identifies the search.
// Usage:
//   CheckpointSections checkpoint(path, 60); // the arguments of CheckpointFile
//   const bool is_there = checkpoint.read(key, [&](CheckpointSections::In& in) { in.value(count); in.rows(array, count); });
//   if (checkpoint.is_due() && !checkpoint.write(key, [&](CheckpointSections::Out& out) { out.value(count); out.rows(array, count); }))
//     stop(Status::disk);
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
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
  // The arguments have the same meaning as those of CheckpointFile.
  CheckpointSections(std::string path, double every) : file_(std::move(path), every) {}

  bool is_wanted() const { return file_.is_wanted(); }
  bool is_due() const { return file_.is_due(); }

  class Out {
   public:
    explicit Out(File& file) : file_(file) { chunk_.reserve(kChunk); }

    template <class T>
    void rows(const T* data, std::size_t count) {
      static_assert(std::is_trivially_copyable_v<T>);
      put(reinterpret_cast<const char*>(data), count * sizeof(T));
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

    void put(const char* at, std::size_t bytes);
    void flush();

    File& file_;
    std::vector<char> chunk_;
    std::uint64_t bytes_ = 0;
    Word checksum_ = kMagic;
  };

  // Reads the data in the order in which they were written. Throws Damage or FileError.
  class In {
   public:
    template <class T>
    void rows(T* data, std::size_t count) {
      static_assert(std::is_trivially_copyable_v<T>);
      get(reinterpret_cast<char*>(data), count * sizeof(T));
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

    void get(char* to, std::size_t bytes);
    void next();

    const File& file_;
    std::uint64_t left_, bytes_ = 0;
    std::vector<char> chunk_;
    std::size_t at_ = 0;
  };

  // The function `fill` writes the data. Returns false if the disk is full; in that case, the file is unchanged. Throws
  // FileError.
  [[nodiscard]] bool write(Word key, const std::function<void(Out&)>& fill);

  // The function `take` reads the data. Returns false if there is no file. Throws FileError, and Damage if the file
  // belongs to another search or has been modified.
  bool read(Word key, const std::function<void(In&)>& take) const;

 private:
  static Word checksum_of(const File& file, std::uint64_t bytes);

  CheckpointFile file_;
};

}  // namespace fewest
