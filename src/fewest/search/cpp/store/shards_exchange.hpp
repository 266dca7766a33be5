// The exchange of successors between owners of shards. Owners send sorted runs of successors as they are in the
// temporary files.
#pragma once

#include "store/shards_impl.hpp"

namespace fewest {

// A chunk is a sequence of runs. Each run is encoded as its shard, its number of bytes, and its blocks, copied from the
// temporary file of the run.
template <int P>
std::pair<std::vector<unsigned char>, std::size_t> ShardsOf<P>::outgoing(std::uint32_t owner, std::size_t begin,
                                                                         std::size_t most) {
  must(owner < options_.num_owners && owner != options_.owner, "successors go to another owner");
  Outbox& outbox = outboxes_[owner];
  std::vector<SentRun> some;
  {
    const std::scoped_lock lock(outbox.mutex);
    must(begin <= outbox.runs.size(), "a piece begins at a run");
    std::uint64_t size = 0;
    for (; begin < outbox.runs.size() && size < most; ++begin) {
      some.push_back(outbox.runs[begin]);
      size += some.back().size;
    }
  }
  std::vector<unsigned char> bytes;
  for (const SentRun& run : some) {
    const std::uint64_t head[2] = {run.shard, run.size};
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof head + run.size);
    std::memcpy(&bytes[at], head, sizeof head);
    run.file->copy(&bytes[at + sizeof head], run.size, run.offset);
  }
  return {std::move(bytes), begin};
}

template <int P>
std::uint64_t ShardsOf<P>::num_waiting(std::uint32_t owner, std::size_t begin) const {
  must(owner < options_.num_owners, "there is no such owner");
  const Outbox& outbox = outboxes_[owner];
  const std::scoped_lock lock(outbox.mutex);
  must(begin <= outbox.runs.size(), "a piece begins at a run");
  const auto until = [&](std::size_t count) { return count == 0 ? 0 : outbox.runs[count - 1].end; };
  return until(outbox.runs.size()) - until(begin);
}

template <int P>
void ShardsOf<P>::forget_sent() {
  for (Outbox& outbox : outboxes_) {
    const std::scoped_lock lock(outbox.mutex);
    outbox.runs.clear();
  }
  sent_spools_.clear();
}

template <int P>
void ShardsOf<P>::receive(const unsigned char* data, std::size_t size) {
  const Byte* const end = data + size;
  const auto check = [&](bool is_right) {
    if (!is_right) throw Damage(options_.folder, "data from another owner are damaged");
  };
  while (data != end) {
    std::uint64_t head[2];
    check(static_cast<std::size_t>(end - data) >= sizeof head);
    std::memcpy(head, data, sizeof head);
    data += sizeof head;
    check(head[0] < options_.num_shards && is_ours(static_cast<std::uint32_t>(head[0])) &&
          head[1] <= static_cast<std::size_t>(end - data));
    {
      const std::scoped_lock lock(inbox_mutex_);
      if (inbox_ == nullptr) inbox_ = std::make_unique<BlockFile>(options_.folder + "/spool-inbox", File::Mode::nameless);
    }
    SpooledRun<P> run{inbox_.get(), {}};
    std::uint64_t offset = inbox_->append(data, head[1]);
    for (const Byte* const run_end = data + head[1]; data != run_end;) {
      BlockHead block;
      check(static_cast<std::size_t>(run_end - data) >= sizeof block);
      std::memcpy(&block, data, sizeof block);
      check(block.bytes <= static_cast<std::size_t>(run_end - data) - sizeof block);
      State<P> first = zero_state<P>();
      check(read_gap(data + sizeof block, run_end, first) != nullptr);
      run.rows.push_back({offset, block.count, block.bytes, first});
      data += sizeof block + block.bytes;
      offset += sizeof block + block.bytes;
    }
    const std::scoped_lock lock(inbox_mutex_);
    received_[head[0]].push_back(std::move(run));
  }
}

template <int P>
void ShardsOf<P>::take_over(const std::vector<std::string>& files, std::uint32_t num_shards) {
  must(num_shards > 0 && next_ == nullptr && !is_held(),
       "a layer can be taken over only into a folder, and only if no layer is in progress");
  std::vector<std::unique_ptr<Layer<P>>> parts;
  for (const std::string& file : files) {
    parts.push_back(std::make_unique<Layer<P>>(file, num_shards, typename Layer<P>::Existing{}));
    parts.back()->load();
  }
  open_next();
  Worker& worker = *workers_[0];
  for (std::uint32_t shard = first_shard_of(options_.owner); shard < first_shard_of(options_.owner + 1); ++shard) {
    if (is_cancelled_.load(std::memory_order_relaxed)) break;
    // The old shards with hash ranges that overlap the range of the new shard.
    const std::uint64_t old = num_shards, all = options_.num_shards;
    const auto first = static_cast<std::uint32_t>(shard * old / all);
    const auto last = static_cast<std::uint32_t>(((shard + std::uint64_t{1}) * old - 1) / all);
    std::vector<SpooledRun<P>> runs;
    for (const auto& part : parts)
      for (std::uint32_t from = first; from <= last; ++from)
        if (const auto rows = part->rows(from); !rows.empty())
          runs.push_back({&part->blocks(), {rows.begin(), rows.end()}});
    if (runs.empty()) continue;
    worker.writer.open(next_->file(), next_->writing(shard));
    const auto stream = union_of<P>(std::span<const SpooledRun<P>>(runs), marks_);
    for (auto entries = stream->next(); !entries.empty(); entries = stream->next())
      for (const State<P>& entry : entries)
        if (sharding_.of(state_of(entry)) == shard) worker.writer.write({&entry, 1});
    worker.writer.flush();
  }
  next_->finish();
  layers_.push_back(std::move(next_));
  end_layer();
  keep();
  layers_.back()->unload();
}

template <int P>
std::int64_t ShardsOf<P>::give_away() {
  must(!layers_.empty(), "there is no layer to expand");
  for (std::uint32_t shard; (shard = next_shard_++) < options_.num_shards;)
    if (!layers_.back()->rows(shard).empty()) return shard;
  return -1;
}

template <int P>
bool ShardsOf<P>::expand_other(const std::string& file, std::uint32_t shard) {
  must(shard < options_.num_shards, "there is no such shard");
  Layer<P> layer(file, options_.num_shards, typename Layer<P>::Existing{});
  layer.load();
  Worker& worker = *workers_[0];
  for (const Row<P>& row : layer.rows(shard))
    if (!expand_block(worker, worker.reader.read(layer.blocks(), row))) return false;
  spill_foreign(worker);
  return true;
}

}  // namespace fewest
