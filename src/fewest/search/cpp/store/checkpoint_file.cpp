#include "store/checkpoint_file.hpp"

#include <cstdio>

#include "store/checkpoint_sections.hpp"

namespace fewest {

bool CheckpointFile::write(const std::function<void(File&)>& fill) {
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

bool CheckpointFile::read(const std::function<void(const File&)>& take) const {
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

void CheckpointSections::Out::put(const char* at, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t size = std::min(bytes, kChunk - chunk_.size());
    chunk_.insert(chunk_.end(), at, at + size);
    at += size, bytes -= size;
    if (chunk_.size() == kChunk) flush();
  }
}

void CheckpointSections::Out::flush() {
  file_.write(chunk_.data(), chunk_.size(), sizeof(Head) + bytes_);
  checksum_ = checksum(chunk_.data(), chunk_.size(), checksum_);
  bytes_ += chunk_.size();
  chunk_.clear();
}

void CheckpointSections::In::get(char* to, std::size_t bytes) {
  while (bytes > 0) {
    if (at_ == chunk_.size()) next();
    const std::size_t size = std::min(bytes, chunk_.size() - at_);
    std::memcpy(to, chunk_.data() + at_, size);
    to += size, at_ += size, bytes -= size;
  }
}

void CheckpointSections::In::next() {
  chunk_.resize(std::min<std::uint64_t>(left_, kChunk));
  if (chunk_.empty()) throw Damage(file_.path(), "it ends too early");
  file_.read(chunk_.data(), chunk_.size(), sizeof(Head) + bytes_);
  bytes_ += chunk_.size();
  left_ -= chunk_.size();
  at_ = 0;
}

bool CheckpointSections::write(Word key, const std::function<void(Out&)>& fill) {
  return file_.write([&](File& file) {
    Out out(file);
    fill(out);
    out.flush();
    const Head head{kMagic, key, out.bytes_, out.checksum_};
    file.write(&head, sizeof head, 0);
  });
}

bool CheckpointSections::read(Word key, const std::function<void(In&)>& take) const {
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

Word CheckpointSections::checksum_of(const File& file, std::uint64_t bytes) {
  In in(file, bytes);
  Word sum = kMagic;
  while (in.left_ > 0) {
    in.next();
    sum = checksum(in.chunk_.data(), in.chunk_.size(), sum);
  }
  return sum;
}

}  // namespace fewest
