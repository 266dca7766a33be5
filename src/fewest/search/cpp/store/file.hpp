// Files that several threads read and write at different offsets. Every exception states the name of the file.
//
// Usage:
//   File file(path, File::Mode::fresh);
//   file.write(bytes, size, offset);   // throws FileError
//   file.sync();                       // written data survives a power failure
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

#include <fcntl.h>
#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

namespace fewest {

class FileError : public std::exception {
 public:
  FileError(int number, std::string path) : number(number), path(std::move(path)) {}
  const char* what() const noexcept override { return path.c_str(); }

  // Whether the disk is full, the quota of this user is exhausted, or the file cannot become larger.
  bool is_full() const {
#if defined(EDQUOT)
    if (number == EDQUOT) return true;
#endif
    return number == ENOSPC || number == EFBIG;
  }

  int number;  // the errno
  std::string path;
};

// Thrown if the contents of a file are not as expected.
class Damage : public std::exception {
 public:
  Damage(std::string path, std::string about) : path(std::move(path)), about(std::move(about)) {}
  const char* what() const noexcept override { return about.c_str(); }

  std::string path, about;
};

class File {
 public:
  // `fresh`: a new, empty file for writing and reading. `nameless`: like `fresh`, but the file disappears when it is
  // closed or when the process is killed. `old`: an existing file for reading. `again`: an existing file for reading
  // and writing.
  enum class Mode { fresh, nameless, old, again };

  File(std::string path, Mode mode) : path_(std::move(path)) {
    handle_ = open_file(path_.c_str(), mode);
    if (handle_ < 0) fail();
#if !defined(_WIN32)
    if (mode == Mode::nameless) ::unlink(path_.c_str());
#endif
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close_file(); }

  const std::string& path() const { return path_; }

  void write(const void* data, std::size_t size, std::uint64_t offset) {
    const char* at = static_cast<const char*>(data);
    while (size > 0) {
      const auto done = write_at(at, size, offset);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) fail();
      at += done, offset += done, size -= done;
    }
  }

  // Throws FileError, and Damage if the file is too short.
  void read(void* data, std::size_t size, std::uint64_t offset) const {
    char* at = static_cast<char*>(data);
    while (size > 0) {
      const auto done = read_at(at, size, offset);
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) fail();
      if (done == 0) throw Damage(path_, "it ends too early");
      at += done, offset += done, size -= done;
    }
  }

  std::uint64_t size() const {
#if defined(_WIN32)
    const auto end = _lseeki64(handle_, 0, SEEK_END);
#else
    const auto end = ::lseek(handle_, 0, SEEK_END);
#endif
    if (end < 0) fail();
    return static_cast<std::uint64_t>(end);
  }

  void sync() {
#if defined(_WIN32)
    const int done = _commit(handle_);
#else
    const int done = ::fsync(handle_);
#endif
    if (done != 0) fail();
  }

 private:
  [[noreturn]] void fail() const { throw FileError(errno, path_); }

#if defined(_WIN32)
  static int open_file(const char* path, Mode mode) {
    if (mode == Mode::old) return _open(path, _O_RDONLY | _O_BINARY);
    if (mode == Mode::again) return _open(path, _O_RDWR | _O_BINARY);
    const int passing = mode == Mode::nameless ? _O_TEMPORARY : 0;
    return _open(path, _O_RDWR | _O_CREAT | _O_TRUNC | _O_BINARY | passing, _S_IREAD | _S_IWRITE);
  }
  std::int64_t write_at(const char* data, std::size_t size, std::uint64_t offset) {
    const std::scoped_lock lock(mutex_);
    if (_lseeki64(handle_, static_cast<std::int64_t>(offset), SEEK_SET) < 0) return -1;
    return _write(handle_, data, static_cast<unsigned>(size < kMost ? size : kMost));
  }
  std::int64_t read_at(char* data, std::size_t size, std::uint64_t offset) const {
    const std::scoped_lock lock(mutex_);
    if (_lseeki64(handle_, static_cast<std::int64_t>(offset), SEEK_SET) < 0) return -1;
    return _read(handle_, data, static_cast<unsigned>(size < kMost ? size : kMost));
  }
  void close_file() { _close(handle_); }

  static constexpr std::size_t kMost = std::size_t{1} << 30;
  mutable std::mutex mutex_;
#else
  static int open_file(const char* path, Mode mode) {
    if (mode == Mode::old) return ::open(path, O_RDONLY | O_CLOEXEC);
    if (mode == Mode::again) return ::open(path, O_RDWR | O_CLOEXEC);
    return ::open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  std::int64_t write_at(const char* data, std::size_t size, std::uint64_t offset) {
    return ::pwrite(handle_, data, size, static_cast<off_t>(offset));
  }
  std::int64_t read_at(char* data, std::size_t size, std::uint64_t offset) const {
    return ::pread(handle_, data, size, static_cast<off_t>(offset));
  }
  void close_file() { ::close(handle_); }
#endif

  std::string path_;
  int handle_ = -1;
};

}  // namespace fewest
