// A file that stores the marks of one part of a search between two layers. A new version always replaces the whole
// file.
//
// Usage:
//   PartFile::write(path, {layer, begin, end}, marks.first_plane(), marks.second_plane());  // false: the disk is full
//   PartFile::read(path, layer, begin, end, first, second);
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "index/numbering.hpp"
#include "store/blocks.hpp"
#include "store/checkpoint_file.hpp"

namespace fewest {

class PartFile {
 public:
  // The numbers begin..end-1 after a given number of layers.
  struct Range {
    Word layer, begin, end;
  };

  // Returns false if the disk is full. Throws FileError.
  [[nodiscard]] static bool write(const std::string& path, const Range& range, std::span<const Word> first,
                                  std::span<const Word> second) {
    return CheckpointFile(path, 0).write([&](File& file) {
      const Head head{kMagic, range, first.size(), checksum_of(first, kMagic), checksum_of(second, kMagic)};
      file.write(&head, sizeof head, 0);
      file.write(first.data(), first.size_bytes(), sizeof head);
      file.write(second.data(), second.size_bytes(), sizeof head + first.size_bytes());
    });
  }

  // Copies those marks of the numbers begin..end-1 that the file contains into the planes. The file may belong to
  // another part. Throws FileError. Throws Damage if the file is for a different layer, has the wrong size, or its
  // checksum is wrong.
  static void read(const std::string& path, Word layer, Number begin, Number end, std::span<Word> first,
                   std::span<Word> second) {
    const File file(path, File::Mode::old);
    Head head{};
    if (file.size() >= sizeof head) file.read(&head, sizeof head, 0);
    if (head.magic != kMagic || head.range.layer != layer ||
        file.size() != sizeof head + 2 * head.num_words * sizeof(Word))
      throw Damage(path, "it is not this part of the index");
    std::size_t at = sizeof head;
    for (const auto& [plane, sum] : {std::pair{first, head.first}, std::pair{second, head.second}}) {
      if (read_plane(file, at, head, begin, end, plane) != sum) throw Damage(path, "its checksum is wrong");
      at += head.num_words * sizeof(Word);
    }
  }

 private:
  static constexpr Word kMagic = 0x31'74'72'61'70;  // "part1"
  static constexpr std::size_t kBuffer = std::size_t{1} << 17;  // words

  struct Head {
    Word magic;
    Range range;
    Word num_words, first, second;  // the number of words per plane, and the checksums of both planes
  };

  static Word checksum_of(std::span<const Word> plane, Word sum) {
    for (std::size_t i = 0; i < plane.size(); i += kBuffer) {
      const auto some = plane.subspan(i, std::min(kBuffer, plane.size() - i));
      sum = checksum(some.data(), some.size_bytes(), sum);
    }
    return sum;
  }

  // Copies the marks of the numbers begin..end-1 from one plane of the file. Returns the checksum of this plane.
  static Word read_plane(const File& file, std::size_t at, const Head& head, Number begin, Number end,
                         std::span<Word> plane) {
    std::vector<Word> buffer;
    Word sum = kMagic;
    const Number from = begin / 64, to = (end + 63) / 64;
    for (std::size_t i = 0; i < head.num_words; i += kBuffer) {
      buffer.resize(std::min<std::size_t>(kBuffer, head.num_words - i));
      file.read(buffer.data(), buffer.size() * sizeof(Word), at + i * sizeof(Word));
      sum = checksum(buffer.data(), buffer.size() * sizeof(Word), sum);
      const Number first = head.range.begin / 64 + i;
      for (Number word = std::max(first, from); word < std::min<Number>(first + buffer.size(), to); ++word)
        plane[word - from] = buffer[word - first];
    }
    return sum;
  }
};

}  // namespace fewest
