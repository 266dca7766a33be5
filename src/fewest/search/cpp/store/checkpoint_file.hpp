// A file that is replaced whole from time to time: if the process ends, the file has either its old or its new content.
//
// Usage:
//   CheckpointFile kept(path, 60);                                    // seconds between two of them
//   kept.read([&](const File& file) { file.read(...); });       // false: there is none
//   if (kept.is_due() && !kept.write([&](File& file) { file.write(...); })) stop();  // the disk is full
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "store/file.hpp"

namespace fewest {

class CheckpointFile {
 public:
  // No path: nothing is saved. `every`: seconds between two writes, and at least twenty times as long as writing
  // took; below 0: always due.
  CheckpointFile(std::string path, double every) : path_(std::move(path)), every_(every), written_(Clock::now()) {}

  const std::string& path() const { return path_; }
  bool is_wanted() const { return !path_.empty(); }
  bool is_due() const {
    return is_wanted() && (every_ < 0 || since(written_) >= std::max(every_, kTimes * taken_));
  }

  // fill(file) writes all of it. False: the disk is full, and the file is unchanged. Throws FileError.
  template <class Fill>
  [[nodiscard]] bool write(Fill fill) {
    const auto began = Clock::now();
    const std::string part = path_ + ".part";
    try {
      File file(part, File::Mode::fresh);
      fill(file);
      file.sync();
    } catch (const FileError& error) {
      std::remove(part.c_str());
      if (error.is_full()) return false;
      throw;
    }
    if (std::rename(part.c_str(), path_.c_str()) != 0) throw FileError(errno, path_);
    written_ = Clock::now();
    taken_ = since(began);
    return true;
  }

  // take(file) reads it. False: there is no file. Throws FileError.
  template <class Take>
  bool read(Take take) const {
    if (!is_wanted()) return false;
    try {
      const File file(path_, File::Mode::old);
      take(file);
      return true;
    } catch (const FileError& error) {
      if (error.number == ENOENT) return false;
      throw;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kTimes = 20;

  static double since(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  }

  std::string path_;
  double every_, taken_ = 0;
  Clock::time_point written_;
};

}  // namespace fewest
