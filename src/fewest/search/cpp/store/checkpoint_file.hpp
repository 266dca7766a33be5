// A file that is replaced as a whole from time to time. If the process is killed, the file has either its old or its
// new contents.
//
// Usage:
//   CheckpointFile checkpoint(path, 60); // seconds between two writes
//   checkpoint.read([&](const File& file) { file.read(...); }); // false: there is no file
//   if (checkpoint.is_due() && !checkpoint.write([&](File& file) { file.write(...); })) stop();  // the disk is full
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>

#include "store/file.hpp"

namespace fewest {

class CheckpointFile {
 public:
  // If the path is empty, nothing is saved. `every`: the minimum number of seconds between two writes. The interval is
  // also at least twenty times as long as the last write took. If `every` is negative, a write is always due.
  CheckpointFile(std::string path, double every) : path_(std::move(path)), every_(every), written_(Clock::now()) {}

  const std::string& path() const { return path_; }
  bool is_wanted() const { return !path_.empty(); }
  bool is_due() const {
    return is_wanted() && (every_ < 0 || since(written_) >= std::max(every_, kTimes * taken_));
  }

  // The function `fill` writes the entire contents. Returns false if the disk is full; in that case, the file is
  // unchanged. Throws FileError.
  [[nodiscard]] bool write(const std::function<void(File&)>& fill);

  // The function `take` reads the contents. Returns false if there is no file. Throws FileError.
  bool read(const std::function<void(const File&)>& take) const;

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
