// A file that stores the marks of a search between two layers. A new version always replaces the whole file.
//
// Usage:
//   IndexCheckpoint checkpoint(path, 60);          // the arguments are those of CheckpointFile
//   if (checkpoint.read(known, marks.words())) ...  // resume from there
//   if (checkpoint.is_due()) checkpoint.write(known, marks.words());
#pragma once

#include <span>
#include <string>
#include <vector>

#include "state/bits.hpp"
#include "store/blocks.hpp"
#include "store/checkpoint_file.hpp"

namespace fewest {

class IndexCheckpoint {
 public:
  IndexCheckpoint(std::string path, double every) : file_(std::move(path), every) {}

  bool is_wanted() const { return file_.is_wanted(); }
  bool is_due() const { return file_.is_due(); }

  // Writes `known` (the results so far, encoded by the caller) and the marks. Returns false if the disk is full. Throws
  // FileError.
  [[nodiscard]] bool write(const std::vector<Word>& known, std::span<const Word> marks) {
    return file_.write([&](File& file) {
      const Head head{kMagic, known.size(), marks.size(), checksum_of(known, marks)};
      file.write(&head, sizeof head, 0);
      file.write(known.data(), known.size() * sizeof(Word), sizeof head);
      file.write(marks.data(), marks.size() * sizeof(Word), sizeof head + known.size() * sizeof(Word));
    });
  }

  // Returns false if there is no file. Throws FileError. Throws Damage if the file does not contain marks.size() words
  // of marks, or if its checksum is wrong.
  bool read(std::vector<Word>& known, std::span<Word> marks) const {
    return file_.read([&](const File& file) {
      Head head;
      file.read(&head, sizeof head, 0);
      const std::uint64_t size = sizeof head + (head.num_known + head.num_marks) * sizeof(Word);
      if (head.magic != kMagic || head.num_marks != marks.size() || file.size() != size)
        throw Damage(file.path(), "it is not an index of this search");
      known.resize(head.num_known);
      file.read(known.data(), known.size() * sizeof(Word), sizeof head);
      file.read(marks.data(), marks.size() * sizeof(Word), sizeof head + known.size() * sizeof(Word));
      if (head.checksum != checksum_of(known, marks)) throw Damage(file.path(), "its checksum is wrong");
    });
  }

 private:
  static constexpr Word kMagic = 0x32'73'6b'72'61'6d;  // "marks2"

  struct Head {
    Word magic, num_known, num_marks, checksum;
  };

  static Word checksum_of(const std::vector<Word>& known, std::span<const Word> marks) {
    const Word of_known = checksum(known.data(), known.size() * sizeof(Word), kMagic);
    return checksum(marks.data(), marks.size() * sizeof(Word), of_known);
  }

  CheckpointFile file_;
};

}  // namespace fewest
