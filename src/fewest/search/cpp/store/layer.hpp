// A layer on disk: the blocks of all shards in any order, then the directory with their offsets. A layer can also be in
// memory until `keep` writes it.
//
// A complete file ends with a trailer; an incomplete file has no trailer. The directory has its own checksum. The
// directory of a layer is in memory only while the layer is in use (`load`, `unload`). If there are many layers, only
// some of their files are kept open (`shut`).
#pragma once

#include <cstdio>
#include <memory>
#include <optional>

#include "store/blocks.hpp"

namespace fewest {

template <int P>
class Layer {
 public:
  // Creates a new layer for writing. If `room` is given, the layer is in memory.
  Layer(std::string path, std::uint32_t num_shards, Room* room = nullptr)
      : path_(std::move(path)), num_shards_(num_shards), writing_(num_shards) {
    file_ = room == nullptr ? std::make_unique<BlockFile>(path_, File::Mode::fresh) : std::make_unique<BlockFile>(*room);
  }
  // Refers to an existing layer, which `load` opens.
  struct Existing {};
  Layer(std::string path, std::uint32_t num_shards, Existing) : path_(std::move(path)), num_shards_(num_shards) {}

  BlockFile& file() { return *file_; }
  // The rows of one shard. Only one thread may write to each shard.
  std::vector<Row<P>>& writing(std::uint32_t shard) { return writing_[shard]; }

  // Completes the directory, and writes it if the layer is on disk. The function must be called after the last write.
  void finish() {
    for (const auto& rows : writing_) {
      rows_.insert(rows_.end(), rows.begin(), rows.end());
      ends_.push_back(static_cast<std::uint32_t>(rows_.size()));
    }
    writing_ = {};
    FEWEST_ASSERT(is_directory(), "the rows of each shard are a range, in the order of their states");
    if (!is_held()) write_directory();
  }

  // Ensures that the data written survives a power failure, and then renames the file to its final name.
  void keep(const std::string& name) {
    if (is_held()) write_all(name + ".part");
    if (file_ == nullptr) file_ = std::make_unique<BlockFile>(path_, File::Mode::again);
    file_->file().sync();
    file_.reset();
    if (std::rename(path_.c_str(), name.c_str()) != 0) throw FileError(errno, name);
    path_ = name;
  }

  bool is_held() const { return file_ != nullptr && file_->is_held(); }

  void load() {
    if (!ends_.empty() && file_ != nullptr) return;
    file_ = std::make_unique<BlockFile>(path_, File::Mode::old);
    if (!ends_.empty()) return;
    const File& file = file_->file();
    const std::uint64_t size = file.size();
    Trailer trailer{};
    if (size < sizeof trailer) throw Damage(path_, "it ends too early");
    file.read(&trailer, sizeof trailer, size - sizeof trailer);
    const std::size_t ends_size = num_shards_ * sizeof(ends_[0]);
    if (trailer.magic != kMagic || trailer.words != P || trailer.num_shards != num_shards_ ||
        trailer.num_rows > size / sizeof(Row<P>) ||
        trailer.blocks + trailer.num_rows * sizeof(Row<P>) + ends_size + sizeof trailer != size)
      throw Damage(path_, "its last bytes are not those of a layer");
    std::vector<Byte> bytes(size - trailer.blocks - sizeof trailer);
    file.read(bytes.data(), bytes.size(), trailer.blocks);
    if (trailer.checksum != checksum(bytes.data(), bytes.size(), seed(trailer.num_rows, trailer.blocks)))
      throw Damage(path_, "its directory is damaged");
    rows_.resize(trailer.num_rows);
    ends_.resize(num_shards_);
    const std::size_t rows_size = rows_.size() * sizeof(Row<P>);
    if (rows_size > 0) std::memcpy(rows_.data(), bytes.data(), rows_size);
    std::memcpy(ends_.data(), bytes.data() + rows_size, ends_size);
    FEWEST_ASSERT(is_directory(), "the rows of each shard are a range, in the order of their states");
  }
  void shut() { file_.reset(); }
  bool is_open() const { return file_ != nullptr; }
  void unload() {
    shut();
    rows_ = {};
    ends_ = {};
  }

  const BlockFile& blocks() const { return *file_; }
  std::span<const Row<P>> rows(std::uint32_t shard) const {
    FEWEST_ASSERT(shard < ends_.size(), "a directory that is loaded has every shard");
    const std::uint32_t begin = shard == 0 ? 0 : ends_[shard - 1];
    return {rows_.data() + begin, ends_[shard] - begin};
  }
  // The number of entries of all shards, according to the loaded directory.
  std::uint64_t num_entries() const {
    std::uint64_t entries = 0;
    for (const Row<P>& row : rows_) entries += row.count;
    return entries;
  }
  std::size_t bytes_in_memory() const { return rows_.capacity() * sizeof(Row<P>) + ends_.capacity() * 4; }
  const std::string& path() const { return path_; }

 private:
  static constexpr Word kMagic = 0x317265'79616cu;  // "layer1"

  struct Trailer {
    Word magic;
    std::uint32_t words, num_shards;
    std::uint64_t num_rows, blocks;  // `num_rows`: rows in the directory; `blocks`: bytes before the directory
    Word checksum;
  };

  bool is_directory() const {
    if (ends_.size() != num_shards_ || !std::is_sorted(ends_.begin(), ends_.end())) return false;
    if (ends_.back() != rows_.size()) return false;
    for (std::uint32_t shard = 0; shard < num_shards_; ++shard)
      for (std::size_t i = 1; i < rows(shard).size(); ++i)
        if (!is_less(rows(shard)[i - 1].first, rows(shard)[i].first)) return false;
    return true;
  }
  static Word seed(std::uint64_t num_rows, std::uint64_t blocks) { return fold_multiply(num_rows + P, blocks + 1); }

  // Writes the directory after the last block.
  void write_directory() {
    const std::size_t rows_size = rows_.size() * sizeof(Row<P>), ends_size = ends_.size() * sizeof(ends_[0]);
    std::vector<Byte> bytes(rows_size + ends_size + sizeof(Trailer));
    if (rows_size > 0) std::memcpy(bytes.data(), rows_.data(), rows_size);
    std::memcpy(bytes.data() + rows_size, ends_.data(), ends_size);
    const Trailer trailer{kMagic, P, num_shards_, rows_.size(), file_->bytes(),
                          checksum(bytes.data(), rows_size + ends_size, seed(rows_.size(), file_->bytes()))};
    std::memcpy(bytes.data() + rows_size + ends_size, &trailer, sizeof trailer);
    file_->append(bytes.data(), bytes.size());
  }
  // Writes the blocks and the directory from memory to a file.
  void write_all(std::string path) {
    auto file = std::make_unique<BlockFile>(std::move(path), File::Mode::fresh);
    std::vector<Byte> unused;
    std::vector<Row<P>> rows = rows_;
    for (Row<P>& row : rows) {
      const std::size_t size = sizeof(BlockHead) + row.bytes;
      row.offset = file->append(file_->read(size, row.offset, unused), size);
    }
    file_ = std::move(file);
    rows_ = std::move(rows);
    path_ = file_->file().path();
    write_directory();
  }

  std::string path_;
  std::uint32_t num_shards_;
  std::unique_ptr<BlockFile> file_;
  std::vector<std::vector<Row<P>>> writing_;
  std::vector<Row<P>> rows_;
  std::vector<std::uint32_t> ends_;  // per shard: the end of its rows
};

}  // namespace fewest
