// The marks of a search between two layers, in a file that is replaced whole.
//
// Usage:
//   KeptMarks kept(path, 60);                // seconds between two of them
//   if (kept.read(known, marks.words())) ... // go on from there
//   if (kept.is_due()) kept.write(known, marks.words());
#pragma once

#include <chrono>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "state/bits.hpp"
#include "store/blocks.hpp"

namespace fewest {

class KeptMarks {
 public:
  // No path: nothing is kept. `every`: seconds, and twenty times as long as writing took.
  KeptMarks(std::string path, double every) : path_(std::move(path)), every_(every), written_(Clock::now()) {}

  bool is_wanted() const { return !path_.empty(); }
  bool is_due() const {
    return is_wanted() && since(written_) >= std::max(every_, kTimes * taken_);
  }

  // What was found so far, in words of the caller's own, and the marks. Throws FileError.
  void write(const std::vector<Word>& known, std::span<const Word> marks) {
    const auto began = Clock::now();
    const std::string part = path_ + ".part";
    {
      File file(part, File::Mode::fresh);
      const Head head{kMagic, known.size(), marks.size(), checksum_of(known, marks)};
      file.write(&head, sizeof head, 0);
      file.write(known.data(), known.size() * sizeof(Word), sizeof head);
      file.write(marks.data(), marks.size() * sizeof(Word), sizeof head + known.size() * sizeof(Word));
      file.sync();
    }
    if (std::rename(part.c_str(), path_.c_str()) != 0) throw FileError(errno, path_);
    written_ = Clock::now();
    taken_ = since(began);
  }

  // False: there is nothing. Throws Damage for what is not of so many marks, FileError.
  bool read(std::vector<Word>& known, std::span<Word> marks) const {
    if (path_.empty()) return false;
    try {
      const File file(path_, File::Mode::old);
      Head head;
      file.read(&head, sizeof head, 0);
      const std::uint64_t size = sizeof head + (head.num_known + head.num_marks) * sizeof(Word);
      if (head.magic != kMagic || head.num_marks != marks.size() || file.size() != size)
        throw Damage(path_, "it is no such index");
      known.resize(head.num_known);
      file.read(known.data(), known.size() * sizeof(Word), sizeof head);
      file.read(marks.data(), marks.size() * sizeof(Word), sizeof head + known.size() * sizeof(Word));
      if (head.checksum != checksum_of(known, marks)) throw Damage(path_, "its checksum is wrong");
      return true;
    } catch (const FileError& error) {
      if (error.number == ENOENT) return false;
      throw;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Word kMagic = 0x32'73'6b'72'61'6d;  // "marks2"
  static constexpr double kTimes = 20;

  struct Head {
    Word magic, num_known, num_marks, checksum;
  };

  static Word checksum_of(const std::vector<Word>& known, std::span<const Word> marks) {
    const Word of_known = checksum(known.data(), known.size() * sizeof(Word), kMagic);
    return checksum(marks.data(), marks.size() * sizeof(Word), of_known);
  }
  static double since(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  }

  std::string path_;
  double every_, taken_ = 0;
  Clock::time_point written_;
};

}  // namespace fewest
